# What fernwood is built on. All that is missing is named at once, with its Debian package and the remedy.

list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
set(fernwood_missing)

# fernwood_require(package debian-package [arguments of find_package...]): a library that fernwood cannot do without.
macro(fernwood_require package debian_package)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    list(APPEND fernwood_missing "${package} (${debian_package})")
  endif()
endmacro()

# fernwood_require_pkg(prefix pkg-config-name debian-package): the same through pkg-config, as PkgConfig::<prefix>.
macro(fernwood_require_pkg prefix name debian_package)
  if(PkgConfig_FOUND)
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET GLOBAL ${name})
  endif()
  if(NOT TARGET PkgConfig::${prefix})
    list(APPEND fernwood_missing "${name} (${debian_package})")
  endif()
endmacro()

fernwood_require(PkgConfig pkg-config)
fernwood_require(TBB libtbb-dev)
fernwood_require(OpenCV libopencv-dev COMPONENTS core imgcodecs)
fernwood_require(Random123 librandom123-dev)
fernwood_require(nlohmann_json nlohmann-json3-dev)
fernwood_require(tomlplusplus libtomlplusplus-dev)
fernwood_require_pkg(XXHASH libxxhash libxxhash-dev)
if(FERNWOOD_APPS)
  fernwood_require(CLI11 libcli11-dev)
  fernwood_require(spdlog libspdlog-dev)
endif()
if(FERNWOOD_TESTS)
  fernwood_require(GTest "libgtest-dev and libgmock-dev")
  fernwood_require(OpenCV libopencv-dev COMPONENTS core imgcodecs imgproc)
endif()
if(fernwood_missing)
  list(REMOVE_DUPLICATES fernwood_missing)
  list(JOIN fernwood_missing ", " fernwood_missing)
  message(FATAL_ERROR "fernwood needs, and did not find: ${fernwood_missing}. In brackets: the package of Debian and "
                      "Ubuntu. scripts/setup installs all of them.")
endif()

# Optional; fernwood_optional() says what is missing without them.
if(FERNWOOD_EIGEN)
  find_package(Eigen3 QUIET NO_MODULE)
endif()
if(FERNWOOD_MATIO)
  pkg_check_modules(MATIO QUIET IMPORTED_TARGET GLOBAL matio)
endif()
