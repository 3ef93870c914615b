# How a module of the library is built: its sources, its warnings, its dependencies.

set(FERNWOOD_EXACT_ARITHMETIC -ffp-contract=off -fno-trapping-math -fno-math-errno)
set(FERNWOOD_WARNINGS -Wall -Wextra -Wpedantic)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^1[23]\\.")
  list(APPEND FERNWOOD_WARNINGS -Wno-restrict)  # warns about "text" + string: https://gcc.gnu.org/PR105651
endif()
if(FERNWOOD_WARNINGS_AS_ERRORS)
  list(APPEND FERNWOOD_WARNINGS -Werror)
endif()

# fernwood_module(name [PUBLIC lower-modules...] [PRIVATE libraries...] [HEADERS libraries...]): a static library of
# src/<name>. PUBLIC and PRIVATE libraries are linked, HEADERS are headers only, which an installed fernwood needs no more.
function(fernwood_module name)
  cmake_parse_arguments(ARG "" "" "PUBLIC;PRIVATE;HEADERS" ${ARGN})
  # Relative, so that folders above the checkout, whatever their names, are not filtered by.
  file(GLOB_RECURSE sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/cuda/|_kernels\\.cpp$")
  add_library(fernwood_${name} STATIC ${sources})
  add_library(fernwood::${name} ALIAS fernwood_${name})
  set_property(GLOBAL APPEND PROPERTY FERNWOOD_MODULES ${name})
  target_compile_features(fernwood_${name} PUBLIC cxx_std_20)
  target_compile_options(fernwood_${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${FERNWOOD_WARNINGS}>")
  # The arithmetic of the contract "one seed, one forest": every operation rounds as written.
  target_compile_options(fernwood_${name} PUBLIC "$<$<COMPILE_LANGUAGE:CXX>:${FERNWOOD_EXACT_ARITHMETIC}>")
  target_include_directories(
    fernwood_${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE src)
  target_link_libraries(fernwood_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  foreach(library IN LISTS ARG_HEADERS)
    target_link_libraries(fernwood_${name} PRIVATE $<BUILD_INTERFACE:${library}>)
  endforeach()
  set_target_properties(fernwood_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  fernwood_cuda_sources(fernwood_${name} src/${name}/cuda)
endfunction()

# fernwood_optional(module PRIVATE|HEADERS target macro "what for (package)"): uses a library if it is there, and says so
# if not.
function(fernwood_optional module kind target macro purpose)
  string(REGEX REPLACE "^(.*) \\((.*)\\)$" "{\"\\1\", \"\\2\"" fact "${purpose}")
  if(NOT TARGET ${target})
    set_property(GLOBAL APPEND PROPERTY FERNWOOD_OPTIONAL_LIBRARIES "${fact}, false}")
    message(STATUS "fernwood: built without ${purpose}")
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY FERNWOOD_OPTIONAL_LIBRARIES "${fact}, true}")
  if(kind STREQUAL "HEADERS")
    target_link_libraries(fernwood_${module} PRIVATE $<BUILD_INTERFACE:${target}>)
  else()
    target_link_libraries(fernwood_${module} PRIVATE ${target})
  endif()
  target_compile_definitions(fernwood_${module} PRIVATE ${macro}=1)
endfunction()

# fernwood_isa_kernels(module folder): compiles the folder's *_kernels.cpp once per instruction set, into a namespace each
# (FW_ISA). The flags are those that made g++ 12 emit gathers.
function(fernwood_isa_kernels module folder)
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${folder}/*_kernels.cpp)
  set(flags_baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(flags_avx2 -march=x86-64-v3 -mtune=haswell)
    set(flags_avx512 -march=x86-64-v4 -mtune=skylake-avx512 -mprefer-vector-width=512)
    set(isas baseline avx2 avx512)
  else()
    set(isas baseline)
  endif()
  foreach(isa IN LISTS isas)
    add_library(fernwood_${module}_${isa} OBJECT ${kernels})
    target_link_libraries(fernwood_${module}_${isa} PRIVATE fernwood_core)
    target_compile_options(fernwood_${module}_${isa} PRIVATE -O3 -fno-exceptions ${FERNWOOD_WARNINGS} ${flags_${isa}})
    target_compile_definitions(fernwood_${module}_${isa} PRIVATE FW_ISA=isa_${isa})
    target_include_directories(fernwood_${module}_${isa} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    # Each kernel file names its helpers for itself, and is compiled alone.
    set_target_properties(fernwood_${module}_${isa} PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
    target_sources(fernwood_${module} PRIVATE $<TARGET_OBJECTS:fernwood_${module}_${isa}>)
    target_compile_definitions(fernwood_${module} PRIVATE FERNWOOD_HAS_ISA_${isa}=1)
    set_property(GLOBAL APPEND PROPERTY FERNWOOD_KERNELS fernwood_${module}_${isa})
  endforeach()
endfunction()
