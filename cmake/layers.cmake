# layers.cmake -- the library as a stack of layers.

# cleave_layer(NAME NEEDS lower... [PUBLIC headers...] [SOURCES files...])
# One layer is one folder of src/. Without SOURCES it has every .cpp of its
# folder; with none there it consists of headers.
function(cleave_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "NEEDS;PUBLIC;SOURCES")
  if(layer_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cleave_layer(${name}): what is '${layer_UNPARSED_ARGUMENTS}'?")
  endif()
  if(layer_SOURCES)
    list(TRANSFORM layer_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/${name}/)
  else()
    file(GLOB layer_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  endif()
  list(TRANSFORM layer_PUBLIC PREPEND ${PROJECT_SOURCE_DIR}/include/)
  set_property(GLOBAL APPEND PROPERTY CLEAVE_PUBLIC_HEADERS ${layer_PUBLIC})
  set_property(GLOBAL PROPERTY CLEAVE_SOURCES_${name} ${layer_SOURCES})

  if(layer_SOURCES)
    add_library(cleave_${name} OBJECT ${layer_SOURCES})
    # The objects go into the static and into the shared library.
    set_target_properties(cleave_${name} PROPERTIES
      POSITION_INDEPENDENT_CODE ON
      C_VISIBILITY_PRESET hidden
      CXX_VISIBILITY_PRESET hidden
      VISIBILITY_INLINES_HIDDEN ON)
    cleave_internal(cleave_${name} PRIVATE)
    set_property(GLOBAL APPEND PROPERTY CLEAVE_OBJECTS $<TARGET_OBJECTS:cleave_${name}>)
  else()
    add_library(cleave_${name} INTERFACE)
  endif()
endfunction()

# cleave_own_layer(NAME NEEDS lower... [LINK targets...] [PUBLIC headers...] [MADE files...])
# A layer that is no part of libcleave but a static library of its own,
# cleave_NAME: the front end of programs, which only the tool has, and what
# compiled programs are linked with. MADE lists sources that the build makes.
function(cleave_own_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "NEEDS;LINK;PUBLIC;MADE")
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(APPEND sources ${layer_MADE})
  list(TRANSFORM layer_PUBLIC PREPEND ${PROJECT_SOURCE_DIR}/include/)
  add_library(cleave_${name} STATIC ${sources})
  cleave_internal(cleave_${name} PUBLIC)
  # With -O3 g++ 12 takes `"text" + string` for a copy onto itself (GCC bug 105651), and
  # the text of an optional for one that nobody set (GCC bug 80635).
  target_compile_options(cleave_${name} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized>)
  target_link_libraries(cleave_${name} PUBLIC ${layer_LINK})
  if(layer_PUBLIC)
    target_sources(cleave_${name} PUBLIC
      FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${layer_PUBLIC})
    set_target_properties(cleave_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  endif()
endfunction()

# What it takes to compile the sources in src/, and the tests that look inside.
function(cleave_internal target scope)
  target_include_directories(${target} ${scope}
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${target} ${scope}
    CLEAVE_CHECKED=$<BOOL:${CLEAVE_CHECKED}>
    CLEAVE_VERSION="${PROJECT_VERSION}")
endfunction()

# cleave_library() makes the library of all layers above it, once static and
# once shared. cleave::cleave is the one that BUILD_SHARED_LIBS asks for.
# cleave_inside is for tests: the static one with the headers of src/.
function(cleave_library)
  find_package(Threads REQUIRED)
  get_property(objects GLOBAL PROPERTY CLEAVE_OBJECTS)
  get_property(headers GLOBAL PROPERTY CLEAVE_PUBLIC_HEADERS)
  foreach(kind IN ITEMS static shared)
    string(TOUPPER ${kind} KIND)
    add_library(cleave_${kind} ${KIND} ${objects})
    add_library(cleave::cleave_${kind} ALIAS cleave_${kind})
    set_target_properties(cleave_${kind} PROPERTIES
      OUTPUT_NAME cleave
      LINKER_LANGUAGE CXX
      VERSION ${PROJECT_VERSION}
      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_compile_features(cleave_${kind} PUBLIC cxx_std_20)
    target_link_libraries(cleave_${kind} PUBLIC Threads::Threads)
    target_sources(cleave_${kind} PUBLIC
      FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
  endforeach()
  set_target_properties(cleave_static PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  if(BUILD_SHARED_LIBS)
    add_library(cleave::cleave ALIAS cleave_shared)
  else()
    add_library(cleave::cleave ALIAS cleave_static)
  endif()

  add_library(cleave_inside INTERFACE)
  cleave_internal(cleave_inside INTERFACE)
  target_link_libraries(cleave_inside INTERFACE cleave_static)
endfunction()

# cleave_addon(NAME LAYER layer PACKAGE package LINK targets... PUBLIC headers...)
# Headers of a layer that stand on another package. They are installed in any
# case; cleave::NAME is there when the package is.
function(cleave_addon name)
  cmake_parse_arguments(PARSE_ARGV 1 addon "" "LAYER;PACKAGE" "LINK;PUBLIC")
  list(TRANSFORM addon_PUBLIC PREPEND ${PROJECT_SOURCE_DIR}/include/)
  add_library(cleave_${name} INTERFACE)
  target_sources(cleave_${name} INTERFACE
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${addon_PUBLIC})
  set_property(GLOBAL APPEND PROPERTY CLEAVE_ADDONS cleave_${name})
  find_package(${addon_PACKAGE} QUIET)
  if(${addon_PACKAGE}_FOUND)
    add_library(cleave::${name} ALIAS cleave_${name})
    target_link_libraries(cleave_${name} INTERFACE cleave::cleave ${addon_LINK})
    set_target_properties(cleave_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  endif()
endfunction()
