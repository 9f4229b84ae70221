# cuda.cmake -- what CUDA devices need, where its toolkit is; without it nothing is missed.
#
# libcleave_cuda.so drives the devices. libcleave loads it when a CUDA device is asked for. It is
# plain C++ over CUDA's runtime, which is linked into it.
option(CLEAVE_CUDA "Build for CUDA devices where the toolkit is" ON)
set(CLEAVE_CUDA_ARCHITECTURE 90 CACHE STRING "The CUDA devices that kernels are compiled for")

set(CLEAVE_HAS_CUDA OFF)
if(CLEAVE_CUDA AND NOT CLEAVE_SANITIZE)
  find_package(CUDAToolkit 12 QUIET)
  if(CUDAToolkit_FOUND AND TARGET CUDA::cudart_static AND CUDAToolkit_NVCC_EXECUTABLE)
    set(CLEAVE_HAS_CUDA ON)
  endif()
endif()

if(CLEAVE_HAS_CUDA)
  message(STATUS "CUDA ${CUDAToolkit_VERSION}: devices are built for")
  add_library(cleave_cuda MODULE src/device/cuda/plugin.cpp)
  cleave_internal(cleave_cuda PRIVATE)
  target_compile_features(cleave_cuda PRIVATE cxx_std_20)
  target_link_libraries(cleave_cuda PRIVATE CUDA::cudart_static)
  set_target_properties(cleave_cuda PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  # Nothing links it, and whoever builds the library wants it beside it.
  add_dependencies(cleave_shared cleave_cuda)
endif()

# cleave_cuda_program(NAME source) is a program with kernels, compiled by nvcc. CMake's own support for
# CUDA does not know the newest compilers and drops the standard for them, so nvcc is called here.
function(cleave_cuda_program name source)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  cmake_path(ABSOLUTE_PATH source)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -std=c++20 -O3 -arch=sm_${CLEAVE_CUDA_ARCHITECTURE}
      --expt-relaxed-constexpr -diag-suppress 2810 -ccbin ${CMAKE_CXX_COMPILER}
      -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/bench
      -MD -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d
    COMMENT "Compiling ${source} for CUDA" VERBATIM)
  add_executable(${name} ${object})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE cleave_static CUDA::cudart_static)
  add_dependencies(${name} cleave_cuda)
endfunction()
