// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/cuda/kernel_compiler.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <memory>
#include <vector>

#include "fernwood/core/error.h"

namespace fernwood::records {

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

}  // namespace fernwood::records
