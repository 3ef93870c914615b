# How a Python package is built: one shared library of all modules, the extension module and the program. Both use the library,
# so that the wheel contains it, with its GPU code, only once. The package has the folders of an installation: PACKAGE/lib,
# PACKAGE/bin, PACKAGE/lib/fernwood/plugins. The extension uses Python's stable ABI, so that one file works with Python 3.10 and
# later; the parts of nanobind that are not stable are in the package nanobind-backend. Helpers that packages have in common are
# in python/common and become a part of each. The packages of core and annex may be used in one process: their libraries have
# different names, and share no symbol and no type.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
execute_process(
  COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failure)
if(failure)
  message(FATAL_ERROR "fernwood's Python module needs nanobind 3: ${Python_EXECUTABLE} -m pip install nanobind nanobind-backend")
endif()
find_package(nanobind 3.1 CONFIG REQUIRED NO_CMAKE_FIND_ROOT_PATH)  # its sources, from the Python that runs the build

get_filename_component(fernwood_root ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)

# fernwood_python_package(name libraries...): the target fernwood_python, of src/*.cpp and what packages have in common, and the
# target fernwood_modules, the library of all modules so far, which programs link in place of these libraries.
function(fernwood_python_package package)
  if(BUILD_SHARED_LIBS)
    add_library(fernwood_modules INTERFACE)
    target_link_libraries(fernwood_modules INTERFACE ${ARGN})
  else()
    get_property(modules GLOBAL PROPERTY FERNWOOD_MODULES)
    list(TRANSFORM modules REPLACE "(.+)" "$<TARGET_FILE:fernwood_\\1>" OUTPUT_VARIABLE archives)
    list(TRANSFORM modules PREPEND fernwood_)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp "")
    add_library(fernwood_modules SHARED ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
    target_link_libraries(fernwood_modules PRIVATE -Wl,--whole-archive ${archives} -Wl,--no-whole-archive ${modules})
    target_include_directories(fernwood_modules INTERFACE ${PROJECT_SOURCE_DIR}/include ${fernwood_root}/include)
    target_compile_features(fernwood_modules INTERFACE cxx_std_20)
    target_compile_options(fernwood_modules INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${FERNWOOD_EXACT_IN_HEADERS}>")
    target_link_libraries(fernwood_modules INTERFACE Random123::Random123)
    # Symbols are bound locally: neither ours nor those of linked libraries may be mixed with other modules of the process.
    set(exported ${fernwood_root}/python/exported.map)
    target_link_options(fernwood_modules PRIVATE -Wl,--version-script=${exported} -Wl,-Bsymbolic-functions)
    set_target_properties(fernwood_modules PROPERTIES OUTPUT_NAME ${package}_modules LINK_DEPENDS ${exported})
    fernwood_set_rpath(fernwood_modules "$ORIGIN")
    install(TARGETS fernwood_modules LIBRARY DESTINATION ${package}/${CMAKE_INSTALL_LIBDIR} COMPONENT python)
  endif()

  file(GLOB sources CONFIGURE_DEPENDS src/*.cpp ${fernwood_root}/python/common/src/*.cpp)
  nanobind_add_module(fernwood_python BACKEND_MODULE nanobind_backend NB_DOMAIN ${package} ${sources})
  set_target_properties(fernwood_python PROPERTIES OUTPUT_NAME _${package} UNITY_BUILD OFF)
  target_compile_definitions(fernwood_python PRIVATE FERNWOOD_PACKAGE="${package}")
  target_include_directories(fernwood_python PRIVATE ${PROJECT_SOURCE_DIR} ${fernwood_root})
  target_link_libraries(fernwood_python PRIVATE fernwood_modules nlohmann_json::nlohmann_json)
  target_link_options(fernwood_python PRIVATE -Wl,--exclude-libs,ALL)
  fernwood_set_rpath(fernwood_python "$ORIGIN/${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS fernwood_python LIBRARY DESTINATION ${package} COMPONENT python)
  file(GLOB helpers CONFIGURE_DEPENDS ${fernwood_root}/python/common/*.py)
  install(FILES ${helpers} DESTINATION ${package} COMPONENT python)
  # The command is a module of its own, because importing the package takes ten times as long as starting the program.
  install(FILES ${fernwood_root}/python/_program.py DESTINATION . COMPONENT python RENAME _${package}_program.py)

  # Where the module cannot be loaded (cross builds), scripts/wheel runs it under emulation.
  if(CMAKE_CROSSCOMPILING)
    add_custom_target(fernwood_python_stub)
  else()
    nanobind_add_stub(
      fernwood_python_stub MODULE _${package} OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/_${package}.pyi
      PYTHON_PATH $<TARGET_FILE_DIR:fernwood_python> DEPENDS fernwood_python)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/_${package}.pyi DESTINATION ${package} COMPONENT python OPTIONAL)
  endif()
endfunction()
