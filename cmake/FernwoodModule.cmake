# How a module of the library is built: sources, warnings and dependencies.

# Arithmetic for byte-for-byte equal models on all machines: every operation rounds as written. Targets that include headers
# with formulas need the first flag, too; the other flags only permit vectorisation.
set(FERNWOOD_EXACT_IN_HEADERS -ffp-contract=off)
set(FERNWOOD_EXACT_ARITHMETIC ${FERNWOOD_EXACT_IN_HEADERS} -fno-trapping-math -fno-math-errno)
# By default g++ makes inline variables, and variables of inline functions, unique in the process; the Python packages of core and
# annex may be of different versions.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>
                    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<CXX_COMPILER_ID:GNU>>:-Xcompiler=-fno-gnu-unique>)
# Before 1.0 a minor version may change interfaces, so the sonames of shared libraries contain major and minor version.
set(FERNWOOD_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(FERNWOOD_WARNINGS -Wall -Wextra -Wpedantic)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^1[23]\\.")
  list(APPEND FERNWOOD_WARNINGS -Wno-restrict)  # warns about "text" + string: https://gcc.gnu.org/PR105651
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 17)
  list(APPEND FERNWOOD_WARNINGS -Wno-deprecated-declarations)  # std::stable_sort of libstdc++ 12 calls such a function; g++ still warns of our own code
endif()
if(FERNWOOD_WARNINGS_AS_ERRORS)
  list(APPEND FERNWOOD_WARNINGS -Werror)
endif()

# fernwood_module(name [BASE folder] [FOLDER folder] [PUBLIC lower-modules...] [PRIVATE libraries...] [HEADERS libraries...]): a
# library of src/<name>, or of another FOLDER of src/, below this project or below BASE; shared with BUILD_SHARED_LIBS. PUBLIC and PRIVATE libraries are linked; HEADERS are header-only libraries, which are not
# needed once fernwood is installed.
function(fernwood_module name)
  cmake_parse_arguments(ARG "" "BASE;FOLDER" "PUBLIC;PRIVATE;HEADERS" ${ARGN})
  set(base ${CMAKE_CURRENT_SOURCE_DIR})
  set(folder ${name})
  if(ARG_BASE)
    set(base ${ARG_BASE})
  endif()
  if(ARG_FOLDER)
    set(folder ${ARG_FOLDER})
  endif()
  # Relative paths, so that the filters do not match folder names above the checkout.
  file(GLOB_RECURSE sources RELATIVE ${base} CONFIGURE_DEPENDS ${base}/src/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/cuda/|/platform/|_kernels\\.cpp$")
  list(TRANSFORM sources PREPEND ${base}/)
  add_library(fernwood_${name} ${sources})
  add_library(fernwood::${name} ALIAS fernwood_${name})
  set_property(GLOBAL APPEND PROPERTY FERNWOOD_MODULES ${name})
  target_compile_features(fernwood_${name} PUBLIC cxx_std_20)
  target_compile_options(fernwood_${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${FERNWOOD_WARNINGS}>")
  target_compile_options(fernwood_${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${FERNWOOD_EXACT_ARITHMETIC}>"
                                          INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${FERNWOOD_EXACT_IN_HEADERS}>")
  target_include_directories(
    fernwood_${name}
    PUBLIC $<BUILD_INTERFACE:${base}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${base}/src ${FERNWOOD_ROOT}/src)
  target_link_libraries(fernwood_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  foreach(library IN LISTS ARG_HEADERS)
    target_link_libraries(fernwood_${name} PRIVATE $<BUILD_INTERFACE:${library}>)
  endforeach()
  set_target_properties(fernwood_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION}
                        SOVERSION ${FERNWOOD_SOVERSION})
  fernwood_cuda_sources(fernwood_${name} ${base}/src/${folder}/cuda)
endfunction()

# fernwood_small(modules...): modules that take little time at run time are built for a small wheel and in less time than with -O3.
function(fernwood_small)
  foreach(module IN LISTS ARGN)
    target_compile_options(fernwood_${module} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-Os>)
  endforeach()
endfunction()

# fernwood_set_rpath(target "folders"): where an installed target looks for libraries, unless a packager has set CMAKE_INSTALL_RPATH.
# RPATH rather than its successor RUNPATH, because only RPATH is also used for the dependencies of those libraries.
function(fernwood_set_rpath target folders)
  if(NOT DEFINED CMAKE_INSTALL_RPATH)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "${folders}")
    target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  endif()
  # For an RPATH that the installation replaces, CMake adds colons in the build tree, and the loader takes an empty entry for the current
  # folder. Where modules are shared libraries, programs of the build tree need its own RPATH.
  if(NOT BUILD_SHARED_LIBS AND NOT FERNWOOD_PYTHON)
    set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
  endif()
endfunction()

# fernwood_optional(module PRIVATE|HEADERS target macro "what for (package)"): uses a library if it was found, and
# reports it otherwise.
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

# fernwood_isa_kernels(module folder [isas...]): compiles the folder's *_kernels.cpp once per instruction set, each into a namespace of
# its own (FW_ISA). A module may name further instruction sets of this function; those of other kinds of processor are ignored. The
# flags are those that made g++ 12 emit gather instructions.
function(fernwood_isa_kernels module folder)
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${folder}/*_kernels.cpp)
  set(flags_baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(flags_avx2 -march=x86-64-v3 -mtune=haswell)
    set(flags_avx512 -march=x86-64-v4 -mtune=skylake-avx512 -mprefer-vector-width=512)
    set(flags_vnni ${flags_avx512} -mavx512vnni)
    set(isas baseline avx2 avx512)
  else()
    set(isas baseline)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(flags_dotprod -march=armv8.2-a+dotprod)
  endif()
  foreach(isa IN LISTS ARGN)
    if(DEFINED flags_${isa})
      list(APPEND isas ${isa})
    endif()
  endforeach()
  foreach(isa IN LISTS isas)
    add_library(fernwood_${module}_${isa} OBJECT ${kernels})
    target_link_libraries(fernwood_${module}_${isa} PRIVATE fernwood_core)
    target_compile_options(fernwood_${module}_${isa} PRIVATE -O3 -fno-exceptions ${FERNWOOD_EXACT_ARITHMETIC} ${FERNWOOD_WARNINGS} ${flags_${isa}})
    target_compile_definitions(fernwood_${module}_${isa} PRIVATE FW_ISA=isa_${isa})
    target_include_directories(fernwood_${module}_${isa}
                               PRIVATE $<TARGET_PROPERTY:fernwood_${module},INCLUDE_DIRECTORIES>)
    # Compiled separately, because names of helpers are unique only within a kernel file.
    set_target_properties(fernwood_${module}_${isa} PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
    target_sources(fernwood_${module} PRIVATE $<TARGET_OBJECTS:fernwood_${module}_${isa}>)
    target_compile_definitions(fernwood_${module} PRIVATE FERNWOOD_HAS_ISA_${isa}=1)
    set_property(GLOBAL APPEND PROPERTY FERNWOOD_KERNELS fernwood_${module}_${isa})
  endforeach()
endfunction()
