# These headers define the data that a program and its plug-ins exchange. A plug-in that was built before one of them changed
# must not be loaded, even if its version is the same.
set(contents "${CMAKE_CXX_COMPILER_ID}")
foreach(header include/fernwood/core/array.h include/fernwood/core/communicator.h include/fernwood/core/error.h
               include/fernwood/dataset/image_io.h include/fernwood/recordings/frame_source.h include/fernwood/image/camera.h include/fernwood/image/frame.h include/fernwood/ros/node.h
               src/core/messages.h src/recordings/bag/bag_file.h src/formats/import/mat_file.h apps/live/window.h)
  file(SHA256 ${FERNWOOD_ROOT}/${header} content)
  string(APPEND contents ${content})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FERNWOOD_ROOT}/${header})
endforeach()
string(SHA256 interface "${contents}")
string(SUBSTRING ${interface} 0 8 interface)
set(FERNWOOD_PLUGIN_VERSION "${PROJECT_VERSION}+${interface}")

# Relative to the folder of the program, installed and in the build folder.
file(RELATIVE_PATH FERNWOOD_PARTS_FOLDER ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/fernwood)
set(FERNWOOD_PLUGIN_FOLDER ${FERNWOOD_PARTS_FOLDER}/plugins)

# fernwood_plugin(name option "what for (package)" libraries...): builds <name>.cpp and
# <name>_*.cpp as a shared library in lib/fernwood/plugins (CMAKE_INSTALL_LIBDIR), which the program loads when it needs it; see
# include/fernwood/core/plugin.h.
function(fernwood_plugin name option purpose)
  string(REGEX REPLACE "^(.*) \\((.*)\\)$" "{\"\\1\", \"\\2\"" fact "${purpose}")
  foreach(library IN LISTS ARGN)
    if(NOT ${option} OR NOT TARGET ${library})
      set_property(GLOBAL APPEND PROPERTY FERNWOOD_OPTIONAL_LIBRARIES "${fact}, false}")
      message(STATUS "fernwood: built without ${purpose}")
      return()
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY FERNWOOD_OPTIONAL_LIBRARIES "${fact}, true}")
  file(GLOB sources CONFIGURE_DEPENDS ${name}.cpp ${name}_*.cpp)
  add_library(fernwood_plugin_${name} MODULE ${sources} $<TARGET_OBJECTS:fernwood_platform>)
  target_compile_features(fernwood_plugin_${name} PRIVATE cxx_std_20)
  target_compile_options(fernwood_plugin_${name} PRIVATE ${FERNWOOD_WARNINGS})
  target_compile_definitions(fernwood_plugin_${name} PRIVATE FERNWOOD_VERSION="${FERNWOOD_PLUGIN_VERSION}")
  target_include_directories(fernwood_plugin_${name} PRIVATE ${FERNWOOD_ROOT} ${FERNWOOD_ROOT}/src
                             ${FERNWOOD_ROOT}/include)
  target_link_libraries(fernwood_plugin_${name} PRIVATE ${ARGN})
  set_target_properties(fernwood_plugin_${name} PROPERTIES UNITY_BUILD OFF PREFIX "" OUTPUT_NAME fernwood_${name}
                        LIBRARY_OUTPUT_DIRECTORY ${FERNWOOD_BINARY_DIR}/apps/${FERNWOOD_PLUGIN_FOLDER})
  foreach(user fernwood_app fernwood_tables_app fernwood_python)
    if(TARGET ${user})
      add_dependencies(${user} fernwood_plugin_${name})
    endif()
  endforeach()
  if(FERNWOOD_INSTALL)
    # The folder into which scripts/package puts the libraries of other projects; see fernwood_install_program.
    fernwood_set_rpath(fernwood_plugin_${name} "$ORIGIN/..")
    install(TARGETS fernwood_plugin_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/fernwood/plugins COMPONENT plugins)
    if(FERNWOOD_PYTHON)
      install(TARGETS fernwood_plugin_${name} LIBRARY DESTINATION fernwood/${CMAKE_INSTALL_LIBDIR}/fernwood/plugins COMPONENT python)
    endif()
  endif()
endfunction()
