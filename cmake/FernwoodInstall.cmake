# Rules of `cmake --install`. Another project then needs only
#   find_package(fernwood REQUIRED)
#   target_link_libraries(x PRIVATE fernwood::fernwood)
# Where the annex is built by itself, its package is fernwood_tables, with fernwood::tables; where it is a part of the core's build,
# the core's package has both.
include(CMakePackageConfigHelpers)
set(fernwood_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/${PROJECT_NAME})

get_property(fernwood_modules GLOBAL PROPERTY FERNWOOD_MODULES)
foreach(module IN LISTS fernwood_modules)
  set_target_properties(fernwood_${module} PROPERTIES EXPORT_NAME ${module})
  fernwood_set_rpath(fernwood_${module} "$ORIGIN")
  install(TARGETS fernwood_${module} EXPORT ${PROJECT_NAME} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()

# fernwood_install_c(target header name): a library for C, and what builds without CMake need. Paths are relative to the file, so that
# the installed folder can be moved.
function(fernwood_install_c target header name)
  # Also part of the package of scripts/package, which has the shared libraries in a folder beside the program.
  fernwood_set_rpath(${target} "$ORIGIN/fernwood:$ORIGIN")
  install(TARGETS ${target} EXPORT ${PROJECT_NAME} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program)
  install(FILES ${header} ${FERNWOOD_ROOT}/include/fernwood_status.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT program)
  file(RELATIVE_PATH fernwood_prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  set(fernwood_c_target ${target})
  set(fernwood_pc_name ${name})
  configure_file(${FERNWOOD_ROOT}/cmake/fernwood.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# scripts/package puts other projects' shared libraries into a folder beside fernwood's.
function(fernwood_install_program target destination)
  file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  fernwood_set_rpath(${target} "$ORIGIN/${to_libraries}/fernwood:$ORIGIN/${to_libraries}")
  install(TARGETS ${target} RUNTIME DESTINATION ${destination} ${ARGN})
endfunction()

# fernwood_install_app(target name package): a program and its shell completion, also into a Python package of that name.
function(fernwood_install_app target name package)
  fernwood_install_program(${target} ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  set(completion ${FERNWOOD_BINARY_DIR}/apps/completion/${name}/share/)
  install(DIRECTORY ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program OPTIONAL)
  if(FERNWOOD_PYTHON)
    install(TARGETS ${target} RUNTIME DESTINATION ${package}/${CMAKE_INSTALL_BINDIR} COMPONENT python)
  endif()
  if(SKBUILD_DATA_DIR)
    install(DIRECTORY ${completion} DESTINATION ${SKBUILD_DATA_DIR}/share COMPONENT python OPTIONAL)
  endif()
endfunction()

install(DIRECTORY ${FERNWOOD_ROOT}/include/fernwood DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET fernwood)
  install(TARGETS fernwood EXPORT ${PROJECT_NAME})
  install(DIRECTORY docs examples OPTIONAL DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(FILES LICENSE README.md CHANGELOG.md OPTIONAL DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
if(TARGET fernwood_tables)
  set_target_properties(fernwood_tables PROPERTIES EXPORT_NAME tables)
  install(TARGETS fernwood_tables EXPORT ${PROJECT_NAME})
  install(DIRECTORY ${FERNWOOD_ROOT}/tables/include/fernwood DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${FERNWOOD_ROOT}/tables/docs ${FERNWOOD_ROOT}/tables/examples OPTIONAL
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/fernwood_tables)
  install(FILES ${FERNWOOD_ROOT}/LICENSE ${FERNWOOD_ROOT}/tables/README.md OPTIONAL
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/fernwood_tables)
endif()
if(TARGET fernwood_c)
  fernwood_install_c(fernwood_c include/fernwood.h fernwood)
endif()
if(TARGET fernwood_tables_c)
  fernwood_install_c(fernwood_tables_c ${FERNWOOD_ROOT}/tables/include/fernwood_tables.h fernwood_tables)
endif()
install(EXPORT ${PROJECT_NAME} NAMESPACE fernwood:: FILE ${PROJECT_NAME}Targets.cmake DESTINATION ${fernwood_package_dir})

configure_package_config_file(${FERNWOOD_ROOT}/cmake/fernwoodConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/${PROJECT_NAME}Config.cmake
                              INSTALL_DESTINATION ${fernwood_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/${PROJECT_NAME}ConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${PROJECT_NAME}Config.cmake ${CMAKE_CURRENT_BINARY_DIR}/${PROJECT_NAME}ConfigVersion.cmake
        DESTINATION ${fernwood_package_dir})

if(TARGET fernwood_app)
  fernwood_install_app(fernwood_app fernwood fernwood)
endif()
if(TARGET fernwood_tables_app)
  fernwood_install_app(fernwood_tables_app fernwood-tables fernwood_tables)
endif()
get_property(fernwood_test_programs GLOBAL PROPERTY FERNWOOD_TEST_PROGRAMS)
foreach(program IN LISTS fernwood_test_programs)
  fernwood_install_program(${program} tests COMPONENT tests EXCLUDE_FROM_ALL)
endforeach()
