# The floor on which both products stand, the core (CMakeLists.txt) and the annex (tables/CMakeLists.txt): options of every build,
# libraries, the modules core, page and search, and the shell of programs. Included once, by the top-level one of the two.
get_filename_component(FERNWOOD_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(FERNWOOD_BINARY_DIR ${CMAKE_CURRENT_BINARY_DIR})

option(FERNWOOD_APPS "Build the programs" ${PROJECT_IS_TOP_LEVEL})
option(FERNWOOD_C "Build the shared libraries for C" ${PROJECT_IS_TOP_LEVEL})
option(FERNWOOD_PYTHON "Build the extension module of the Python package" OFF)
option(FERNWOOD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(FERNWOOD_FUZZ "Build the fuzz targets for libFuzzer, with clang and the preset asan" OFF)
option(FERNWOOD_INSTALL "Create the rules for cmake --install" ${PROJECT_IS_TOP_LEVEL})
option(FERNWOOD_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
option(BUILD_SHARED_LIBS "Build each module of the library as a shared library" OFF)
option(FERNWOOD_MPI "Build the plug-in for several processes (MPI) if its library is found" ON)
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo or MinSizeRel" FORCE)
endif()

list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
include(GNUInstallDirs)
include(FernwoodDependencies)
include(FernwoodModule)
include(FernwoodCuda)
include(FernwoodEmbed)
include(FernwoodPlugin)
include(FernwoodProgram)

# The order of modules, here and in both projects, is that of scripts/check_layers.
fernwood_module(core BASE ${FERNWOOD_ROOT} PUBLIC $<BUILD_INTERFACE:Random123::Random123>
                     PRIVATE TBB::tbb PkgConfig::XXHASH ${CMAKE_DL_LIBS} HEADERS nlohmann_json::nlohmann_json)
# What differs between systems; plug-ins have it too, since they are not linked to the library.
file(GLOB sources CONFIGURE_DEPENDS ${FERNWOOD_ROOT}/src/core/platform/*.cpp)
add_library(fernwood_platform OBJECT ${sources})
target_compile_features(fernwood_platform PRIVATE cxx_std_20)
target_compile_options(fernwood_platform PRIVATE ${FERNWOOD_WARNINGS})
target_include_directories(fernwood_platform PRIVATE ${FERNWOOD_ROOT}/include ${FERNWOOD_ROOT}/src)
set_target_properties(fernwood_platform PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_sources(fernwood_core PRIVATE $<TARGET_OBJECTS:fernwood_platform>)
fernwood_module(page BASE ${FERNWOOD_ROOT} PUBLIC fernwood_core)
fernwood_module(search BASE ${FERNWOOD_ROOT} PUBLIC fernwood_page PRIVATE tomlplusplus::tomlplusplus
                       HEADERS Boost::headers nlohmann_json::nlohmann_json)
fernwood_small(page search)
