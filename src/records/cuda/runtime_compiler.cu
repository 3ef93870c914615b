// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/cuda/runtime_compiler.h"

#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <memory>
#include <vector>

#include "fernwood/core/error.h"

namespace fernwood::cuda {

namespace {

/// The functions of NVRTC that are used; null when it is not there.
struct Compiler {
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
};

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

std::string library_name() { return "libnvrtc.so." + std::to_string(CUDART_VERSION / 1000); }

Compiler load_compiler() {
  Compiler compiler;
  void* library = dlopen(library_name().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return compiler;
  find(library, "nvrtcCreateProgram", compiler.create);
  find(library, "nvrtcDestroyProgram", compiler.destroy);
  find(library, "nvrtcCompileProgram", compiler.compile);
  find(library, "nvrtcGetProgramLogSize", compiler.log_size);
  find(library, "nvrtcGetProgramLog", compiler.log);
  find(library, "nvrtcGetCUBINSize", compiler.cubin_size);
  find(library, "nvrtcGetCUBIN", compiler.cubin);
  return compiler;
}

const Compiler& compiler() {
  static const Compiler loaded = load_compiler();
  return loaded;
}

std::string first_error(nvrtcProgram program) {
  std::size_t size = 0;
  compiler().log_size(program, &size);
  std::string log(size, '\0');
  compiler().log(program, log.data());
  const std::size_t error = log.find("error");
  return error == std::string::npos ? "no message" : log.substr(error, log.find('\n', error) - error);
}

/// A function of the driver, which this program is not linked to so that it runs without one.
template <typename Function>
Function driver(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found), name);
  FW_CHECK(function, Device, "the driver lacks " << name << "; fernwood doctor tells about the driver");
  return reinterpret_cast<Function>(function);
}

void check_driver(CUresult status, const char* what) {
  FW_CHECK(status == CUDA_SUCCESS, Device,
           "the GPU refused code made for the forest (" << what << ", error " << static_cast<int>(status)
                                                        << "); choose another strategy");
}

int capability_in_use() {
  int gpu = 0, major = 0, minor = 0;
  check(cudaGetDevice(&gpu), "asking for the GPU");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu), "asking about the GPU");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, gpu), "asking about the GPU");
  return 10 * major + minor;
}

}  // namespace

std::string compiler_obstacle() {
  if (compiler().create) return "";
  return "it needs the CUDA compiler " + library_name() +
         ", which was not found; install the CUDA toolkit's NVRTC, or add its folder to LD_LIBRARY_PATH";
}

std::vector<char> compile_kernel(const std::string& source, int capability) {
  nvrtcProgram program = nullptr;
  FW_CHECK(compiler().create &&
               compiler().create(&program, source.c_str(), "forest.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS,
           Runtime, "code for the forest cannot be compiled: " << compiler_obstacle());
  const auto destroy = [](nvrtcProgram* held) { compiler().destroy(held); };
  const std::unique_ptr<nvrtcProgram, decltype(destroy)> owner(&program, destroy);
  const std::string architecture = "--gpu-architecture=sm_" + std::to_string(capability);
  const char* options[] = {architecture.c_str(), "--fmad=false", "--std=c++17"};
  FW_CHECK(compiler().compile(program, 3, options) == NVRTC_SUCCESS, Runtime,
           "code for the forest does not compile (" << first_error(program) << "); choose another strategy");
  std::size_t size = 0;
  compiler().cubin_size(program, &size);
  std::vector<char> code(size);
  compiler().cubin(program, code.data());
  return code;
}

CompiledKernel::CompiledKernel(const std::string& source, const char* name, unsigned threads) : threads_(threads) {
  check(cudaFree(nullptr), "starting the GPU");  // the driver's functions below want its context
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

void CompiledKernel::launch(unsigned blocks, const Stream& stream, void** arguments) const {
  if (blocks == 0) return;
  check_driver(driver<decltype(&cuLaunchKernel)>("cuLaunchKernel")(static_cast<CUfunction>(function_), blocks, 1, 1,
                                                                   threads_, 1, 1, 0, stream, arguments, nullptr),
               "launching it");
}

}  // namespace fernwood::cuda
