# fernwood_c_library(target name libraries...): a library for C: modules in one shared library that exports only the functions of its
# header. The sources are those of this folder, and src/c_api/status.cpp, which every such library has.
function(fernwood_c_library target name)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  list(APPEND sources ${FERNWOOD_ROOT}/src/c_api/status.cpp)
  list(REMOVE_DUPLICATES sources)
  add_library(${target} SHARED ${sources})
  add_library(fernwood::${name} ALIAS ${target})
  target_compile_options(${target} PRIVATE ${FERNWOOD_WARNINGS})
  target_include_directories(
    ${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${FERNWOOD_ROOT}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${FERNWOOD_ROOT}/src)
  foreach(library IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${library}>)
  endforeach()
  set(exported ${FERNWOOD_ROOT}/src/c_api/exported.map)
  target_link_options(${target} PRIVATE -Wl,--version-script=${exported})
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")  # clang defines the sanitizers' functions only in programs
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} SOVERSION ${FERNWOOD_SOVERSION} VERSION ${PROJECT_VERSION}
                                             LIBRARY_OUTPUT_DIRECTORY ${FERNWOOD_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}
                                             LINK_DEPENDS ${exported})
endfunction()
