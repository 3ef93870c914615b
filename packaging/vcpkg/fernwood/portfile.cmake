# An overlay port: vcpkg install fernwood --overlay-ports=packaging/vcpkg. It builds the clone that contains it; a
# port of a registry downloads the source distribution instead of the next line.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES program FERNWOOD_APPS)
vcpkg_find_acquire_program(PKGCONFIG)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" shared)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${features} "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=36
          -DBUILD_SHARED_LIBS=${shared} -DFERNWOOD_CUDA=OFF -DFERNWOOD_LAB=OFF -DFERNWOOD_TESTS=OFF -DFERNWOOD_C=ON
          -DFERNWOOD_MATIO=OFF -DFERNWOOD_BAGS=OFF -DFERNWOOD_DDS=OFF -DFERNWOOD_MPI=OFF -DFERNWOOD_WINDOW=OFF -DFERNWOOD_VIDEO=OFF
          -DFERNWOOD_IMAGES=OFF -DFERNWOOD_EXR=OFF -DFERNWOOD_OPENNI2=OFF -DFERNWOOD_FREENECT=OFF -DFERNWOOD_REALSENSE=OFF -DFERNWOOD_ORBBEC=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/fernwood)
vcpkg_fixup_pkgconfig()
if("program" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES fernwood AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
