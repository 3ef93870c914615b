# Facts about the build for include/fernwood/core/machine.h. Included after all modules are defined, because each call of
# fernwood_optional() appends to the global property FERNWOOD_OPTIONAL_LIBRARIES.
get_property(libraries GLOBAL PROPERTY FERNWOOD_OPTIONAL_LIBRARIES)
list(JOIN libraries ", " libraries)

set(toolkit)
set(gpu_code)
if(FERNWOOD_HAS_CUDA)
  set(toolkit ${CMAKE_CUDA_COMPILER_VERSION})
  # In CMake's notation: 90-real is machine code, 90-virtual is PTX, 90 is both.
  foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
    if(architecture MATCHES "^([0-9]+[a-z]?)(-real)?$")
      list(APPEND gpu_code "\"sm_${CMAKE_MATCH_1}\"")
    endif()
    if(architecture MATCHES "^([0-9]+[a-z]?)(-virtual)?$")
      list(APPEND gpu_code "\"compute_${CMAKE_MATCH_1}\"")
    endif()
    if(NOT architecture MATCHES "^[0-9]")
      list(APPEND gpu_code "\"${architecture}\"")
    endif()
  endforeach()
endif()
list(JOIN gpu_code ", " gpu_code)

configure_file(${FERNWOOD_ROOT}/src/core/build_facts.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/src/core/build_facts.cpp @ONLY)
target_sources(fernwood_core PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/src/core/build_facts.cpp)
