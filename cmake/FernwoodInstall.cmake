# Rules of `cmake --install`. Another project then needs only
#   find_package(fernwood REQUIRED)
#   target_link_libraries(x PRIVATE fernwood::fernwood)
include(CMakePackageConfigHelpers)
set(fernwood_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fernwood)

get_property(fernwood_modules GLOBAL PROPERTY FERNWOOD_MODULES)
foreach(module IN LISTS fernwood_modules)
  set_target_properties(fernwood_${module} PROPERTIES EXPORT_NAME ${module})
  fernwood_set_rpath(fernwood_${module} "$ORIGIN")
  install(TARGETS fernwood_${module} EXPORT fernwood DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
install(TARGETS fernwood EXPORT fernwood)
if(FERNWOOD_C)
  # Also part of the package of scripts/package, which has the shared libraries in a folder beside the program.
  fernwood_set_rpath(fernwood_c "$ORIGIN/fernwood:$ORIGIN")
  install(TARGETS fernwood_c EXPORT fernwood LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program)
  install(FILES include/fernwood.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT program)
  # For builds without CMake. Paths are relative to the file, so that the installed folder can be moved.
  file(RELATIVE_PATH fernwood_prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  configure_file(cmake/fernwood.pc.in fernwood.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fernwood.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
install(EXPORT fernwood NAMESPACE fernwood:: FILE fernwoodTargets.cmake DESTINATION ${fernwood_package_dir})

configure_package_config_file(cmake/fernwoodConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/fernwoodConfig.cmake
                              INSTALL_DESTINATION ${fernwood_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/fernwoodConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fernwoodConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/fernwoodConfigVersion.cmake
        DESTINATION ${fernwood_package_dir})

install(DIRECTORY include/fernwood DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY docs examples OPTIONAL DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE README.md CHANGELOG.md OPTIONAL DESTINATION ${CMAKE_INSTALL_DOCDIR})

# scripts/package puts other projects' shared libraries into a folder beside fernwood's.
function(fernwood_install_program target destination)
  file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  fernwood_set_rpath(${target} "$ORIGIN/${to_libraries}/fernwood:$ORIGIN/${to_libraries}")
  install(TARGETS ${target} RUNTIME DESTINATION ${destination} ${ARGN})
endfunction()

if(FERNWOOD_APPS)
  fernwood_install_program(fernwood_app ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  set(fernwood_pages ${PROJECT_BINARY_DIR}/apps/pages/share/)
  install(DIRECTORY ${fernwood_pages} DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program OPTIONAL)
  if(FERNWOOD_PYTHON)
    install(TARGETS fernwood_app RUNTIME DESTINATION fernwood/${CMAKE_INSTALL_BINDIR} COMPONENT python)
  endif()
  if(SKBUILD_DATA_DIR)
    install(DIRECTORY ${fernwood_pages} DESTINATION ${SKBUILD_DATA_DIR}/share COMPONENT python OPTIONAL)
  endif()
endif()
get_property(fernwood_test_programs GLOBAL PROPERTY FERNWOOD_TEST_PROGRAMS)
foreach(program IN LISTS fernwood_test_programs)
  fernwood_install_program(${program} tests COMPONENT tests EXCLUDE_FROM_ALL)
endforeach()
