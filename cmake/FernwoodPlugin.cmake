# What a program and its plug-ins hand each other is laid out by these headers: a plug-in of the same version that was
# built before one of them changed must not be loaded.
set(contents "${CMAKE_CXX_COMPILER_ID}")
foreach(header include/fernwood/core/array.h include/fernwood/core/communicator.h include/fernwood/core/error.h
               include/fernwood/dataset/frame_source.h include/fernwood/dataset/image_io.h include/fernwood/image/camera.h include/fernwood/image/frame.h
               src/core/messages.h apps/live/window.h)
  file(SHA256 ${PROJECT_SOURCE_DIR}/${header} content)
  string(APPEND contents ${content})
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
endforeach()
string(SHA256 interface "${contents}")
string(SUBSTRING ${interface} 0 8 interface)
set(FERNWOOD_PLUGIN_VERSION "${PROJECT_VERSION}+${interface}")

# fernwood_plugin(name source option "what for (package)" libraries...): a source as a file of its own in
# lib/fernwood/plugins, which the program loads when it needs it; see include/fernwood/core/plugin.h.
function(fernwood_plugin name source option purpose)
  string(REGEX REPLACE "^(.*) \\((.*)\\)$" "{\"\\1\", \"\\2\"" fact "${purpose}")
  foreach(library IN LISTS ARGN)
    if(NOT ${option} OR NOT TARGET ${library})
      set_property(GLOBAL APPEND PROPERTY FERNWOOD_OPTIONAL_LIBRARIES "${fact}, false}")
      message(STATUS "fernwood: built without ${purpose}")
      return()
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY FERNWOOD_OPTIONAL_LIBRARIES "${fact}, true}")
  add_library(fernwood_plugin_${name} MODULE ${source})
  target_compile_features(fernwood_plugin_${name} PRIVATE cxx_std_20)
  target_compile_options(fernwood_plugin_${name} PRIVATE ${FERNWOOD_WARNINGS})
  target_compile_definitions(fernwood_plugin_${name} PRIVATE FERNWOOD_VERSION="${FERNWOOD_PLUGIN_VERSION}")
  target_include_directories(fernwood_plugin_${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src
                             ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(fernwood_plugin_${name} PRIVATE ${ARGN})
  set_target_properties(fernwood_plugin_${name} PROPERTIES PREFIX "" OUTPUT_NAME fernwood_${name}
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/fernwood/plugins)
  if(TARGET fernwood_app)
    add_dependencies(fernwood_app fernwood_plugin_${name})
  endif()
  if(FERNWOOD_INSTALL)
    install(TARGETS fernwood_plugin_${name} LIBRARY DESTINATION lib/fernwood/plugins COMPONENT plugins)
  endif()
endfunction()
