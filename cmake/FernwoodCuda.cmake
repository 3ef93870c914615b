# FERNWOOD_CUDA: AUTO builds for NVIDIA GPUs when a toolkit is found, ON demands it, OFF does not look for it.
# FERNWOOD_HAS_CUDA tells the outcome.
set(FERNWOOD_CUDA AUTO CACHE STRING "Build for NVIDIA GPUs: AUTO (when a toolkit is found), ON or OFF")
set_property(CACHE FERNWOOD_CUDA PROPERTY STRINGS AUTO ON OFF)
set(FERNWOOD_HAS_CUDA OFF)

if(NOT FERNWOOD_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "FERNWOOD_CUDA is \"${FERNWOOD_CUDA}\"; give AUTO, ON or OFF.")
endif()
if(NOT FERNWOOD_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(FERNWOOD_HAS_CUDA ON)
  elseif(FERNWOOD_CUDA STREQUAL "ON")
    message(FATAL_ERROR "FERNWOOD_CUDA is ON, but no CUDA compiler was found; name it by "
                        "-DCMAKE_CUDA_COMPILER=/path/to/nvcc, or configure with -DFERNWOOD_CUDA=OFF.")
  else()
    message(STATUS "fernwood: built for CPUs only, no CUDA compiler was found")
  endif()
endif()
