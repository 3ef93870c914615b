// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/records/cuda/compiled_kernel.h"

#include <cuda.h>
#include <nvrtc.h>

#include <memory>

#include "fernwood/core/error.h"

namespace fernwood::lab {

namespace {

/// A function of the driver, looked up at run time so that the program also runs without one.
template <typename Function>
Function driver(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  cuda::check(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found), name);
  FW_CHECK(function, Device, "the driver lacks " << name << "; fernwood doctor describes the driver");
  return reinterpret_cast<Function>(function);
}

void check_driver(CUresult status, const char* what) {
  FW_CHECK(status == CUDA_SUCCESS, Device,
           "the GPU refused code made for the forest (" << what << ", error " << static_cast<int>(status)
                                                        << "); choose another strategy");
}

std::string first_error(nvrtcProgram program) {
  std::size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, '\0');
  nvrtcGetProgramLog(program, log.data());
  const std::size_t error = log.find("error");
  return error == std::string::npos ? "no message" : log.substr(error, log.find('\n', error) - error);
}

int capability_in_use() {
  int gpu = 0, major = 0, minor = 0;
  cuda::check(cudaGetDevice(&gpu), "asking for the GPU");
  cuda::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu), "asking about the GPU");
  cuda::check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, gpu), "asking about the GPU");
  return 10 * major + minor;
}

}  // namespace

std::vector<char> compile_kernel(const std::string& source, int capability) {
  nvrtcProgram program = nullptr;
  FW_CHECK(nvrtcCreateProgram(&program, source.c_str(), "forest.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS, Runtime,
           "NVRTC takes no code for the forest; choose another strategy");
  const auto destroy = [](nvrtcProgram* held) { nvrtcDestroyProgram(held); };
  const std::unique_ptr<nvrtcProgram, decltype(destroy)> owner(&program, destroy);
  const std::string architecture = "--gpu-architecture=sm_" + std::to_string(capability);
  const char* options[] = {architecture.c_str(), "--fmad=false", "--std=c++17"};
  FW_CHECK(nvrtcCompileProgram(program, 3, options) == NVRTC_SUCCESS, Runtime,
           "code for the forest does not compile (" << first_error(program) << "); choose another strategy");
  std::size_t size = 0;
  nvrtcGetCUBINSize(program, &size);
  std::vector<char> code(size);
  nvrtcGetCUBIN(program, code.data());
  return code;
}

CompiledKernel::CompiledKernel(const std::string& source, const char* name, unsigned threads) : threads_(threads) {
  cuda::check(cudaFree(nullptr), "starting the GPU");  // creates the context for the driver's functions below
  const std::vector<char> code = compile_kernel(source, capability_in_use());
  CUmodule module = nullptr;
  check_driver(driver<decltype(&cuModuleLoadData)>("cuModuleLoadData")(&module, code.data()), "loading it");
  module_ = module;
  CUfunction function = nullptr;
  check_driver(driver<decltype(&cuModuleGetFunction)>("cuModuleGetFunction")(&function, module, name), "finding it");
  function_ = function;
  int most_threads = 0;
  check_driver(driver<decltype(&cuFuncGetAttribute)>("cuFuncGetAttribute")(
                   &most_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function),
               "asking about it");
  FW_CHECK(static_cast<unsigned>(most_threads) >= threads, Device,
           "code made for the forest needs so many registers that blocks have at most "
               << most_threads << " threads, not " << threads << "; choose another strategy");
}

CompiledKernel::~CompiledKernel() {
  if (module_) driver<decltype(&cuModuleUnload)>("cuModuleUnload")(static_cast<CUmodule>(module_));
}

void CompiledKernel::launch(unsigned blocks, const cuda::Stream& stream, void** arguments) const {
  if (blocks == 0) return;
  check_driver(driver<decltype(&cuLaunchKernel)>("cuLaunchKernel")(static_cast<CUfunction>(function_), blocks, 1, 1,
                                                                   threads_, 1, 1, 0, stream, arguments, nullptr),
               "launching it");
}

}  // namespace fernwood::lab
