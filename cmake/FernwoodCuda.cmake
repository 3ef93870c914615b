# FERNWOOD_CUDA: AUTO builds for NVIDIA GPUs when a toolkit is found, ON demands it, OFF does not look for it.
# FERNWOOD_HAS_CUDA tells the outcome. FERNWOOD_CUDA_ARCHITECTURES: the GPUs that machine code is made for, by compute
# capability; the last one's PTX is kept too, which newer GPUs translate for themselves.
set(FERNWOOD_CUDA AUTO CACHE STRING "Build for NVIDIA GPUs: AUTO (when a toolkit is found), ON or OFF")
set_property(CACHE FERNWOOD_CUDA PROPERTY STRINGS AUTO ON OFF)
set(FERNWOOD_CUDA_ARCHITECTURES "80-real;86-real;89-real;90" CACHE STRING "Compute capabilities to compile for")
set(FERNWOOD_HAS_CUDA OFF)

if(NOT FERNWOOD_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "FERNWOOD_CUDA is \"${FERNWOOD_CUDA}\"; give AUTO, ON or OFF.")
endif()
if(NOT FERNWOOD_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(FERNWOOD_HAS_CUDA ON)
    set(CMAKE_CUDA_ARCHITECTURES ${FERNWOOD_CUDA_ARCHITECTURES})
    enable_language(CUDA)
    find_package(CUDAToolkit 12 REQUIRED)
  elseif(FERNWOOD_CUDA STREQUAL "ON")
    message(FATAL_ERROR "FERNWOOD_CUDA is ON, but no CUDA compiler was found; name it by "
                        "-DCMAKE_CUDA_COMPILER=/path/to/nvcc, or configure with -DFERNWOOD_CUDA=OFF.")
  else()
    message(STATUS "fernwood: built for CPUs only, no CUDA compiler was found")
  endif()
endif()

# fernwood_cuda_sources(module): adds src/<module>/cuda to a module when there is a toolkit.
function(fernwood_cuda_sources name)
  if(NOT FERNWOOD_HAS_CUDA)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS src/${name}/cuda/*.cu)
  if(NOT sources)
    return()
  endif()
  target_sources(fernwood_${name} PRIVATE ${sources})
  target_link_libraries(fernwood_${name} PRIVATE CUDA::cudart_static)
  target_compile_definitions(fernwood_${name} PRIVATE FERNWOOD_HAS_CUDA=1)
  # No fused multiply-add that the source does not ask for: the GPU must round as the CPU does.
  set(host_flags ${FERNWOOD_EXACT_ARITHMETIC} ${FERNWOOD_WARNINGS})
  list(REMOVE_ITEM host_flags -Wpedantic)  # the compiler driver's own code is not ISO C++
  list(JOIN host_flags "," host_flags)
  target_compile_options(fernwood_${name} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--fmad=false;-Xcompiler=${host_flags}>")
endfunction()
