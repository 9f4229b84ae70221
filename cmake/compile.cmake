# compile.cmake -- how everything in this project is compiled.
#
# All of it is set on the directory, so it holds for the library, the tests, the
# tools and the header checks alike, and for nothing outside when a larger
# project takes this one in.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef)

if(CLEAVE_SANITIZE)
  add_compile_options(-fsanitize=${CLEAVE_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CLEAVE_SANITIZE})
endif()

if(PROJECT_IS_TOP_LEVEL)
  # build/<preset>/bin/cleave and build/<preset>/lib/libcleave.*
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

  find_program(CLEAVE_CCACHE ccache)
  mark_as_advanced(CLEAVE_CCACHE)
  if(CLEAVE_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER ${CLEAVE_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CLEAVE_CCACHE})
  endif()
endif()

# cleave_native(target): for programs that are measured, not for the library,
# whose users may run it elsewhere.
function(cleave_native target)
  if(CLEAVE_NATIVE)
    target_compile_options(${target} PRIVATE -march=native)
  endif()
endfunction()
