// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <dlfcn.h>
#include <malloc.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iterator>
#include <map>

#include "fernwood/core/file_stream.h"
#include "fernwood/core/platform.h"

namespace fernwood::platform {

namespace {

namespace fs = std::filesystem;

std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

ProcessorText own_processor() {
  InputFile file("/proc/cpuinfo");
  ProcessorText text = read_processor_text(file);
  if (text.name.empty()) {  // boards have a name of their own
    InputFile model("/proc/device-tree/model");
    std::getline(model, text.name, '\0');
  }
  return text;
}

}  // namespace

fs::path own_program() {
  std::error_code failure;
  const fs::path file = fs::read_symlink("/proc/self/exe", failure);
  return failure ? fs::path() : file;
}

const char* own_program_to_start() { return "/proc/self/exe"; }

fs::path own_library() {
  static const char kHere = 0;
  Dl_info info;
  // A program started through PATH is known by a relative name, which would be sought in the current folder.
  const fs::path file = ::dladdr(&kHere, &info) != 0 && info.dli_fname ? info.dli_fname : "";
  return file.is_absolute() ? file : own_program();
}

std::vector<std::string> own_arguments() {
  InputFile file("/proc/self/cmdline");
  const std::string all(std::istreambuf_iterator<char>(file), {});
  std::vector<std::string> arguments;
  for (std::size_t begin = 0; begin < all.size(); begin = all.find('\0', begin) + 1)
    arguments.emplace_back(all.c_str() + begin);
  return arguments;
}

std::string machine_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

void end_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGTERM); }

bool has_dot_products() {
#if defined(__aarch64__)
  return (::getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  return false;
#endif
}

void keep_freed_memory() {
#ifdef M_MMAP_THRESHOLD  // glibc only
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
}

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

ProcessorText read_processor_text(std::istream& cpuinfo) {
  // ARM reports part numbers, not processor names, and may combine several kinds of cores.
  constexpr std::array kParts = {"cpu family",      "model",       "stepping", "microcode",
                                 "CPU implementer", "CPU variant", "CPU part", "CPU revision"};
  std::map<std::string, std::vector<std::string>> values;
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos || colon == 0) continue;
    std::vector<std::string>& known = values[line.substr(0, line.find_last_not_of("\t ", colon - 1) + 1)];
    if (const std::string value = line.substr(colon + 2); std::ranges::find(known, value) == known.end())
      known.push_back(value);
  }
  ProcessorText text;
  for (const char* name : {"model name", "Model"})
    if (const auto found = values.find(name); found != values.end() && text.name.empty()) text.name = found->second[0];
  for (const char* part : kParts) {
    const auto found = values.find(part);
    if (found == values.end()) continue;
    if (!text.signature.empty()) text.signature += "-";
    for (const std::string& value : found->second) text.signature += (&value == &found->second[0] ? "" : "+") + value;
  }
  return text;
}

std::string processor_name() { return own_processor().name; }

std::string processor_signature() { return own_processor().signature; }

std::size_t installed_memory_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * page_bytes(); }

std::size_t available_memory_bytes() {
  InputFile file("/proc/meminfo");
  std::string key, unit;
  std::size_t kib = 0;
  while (file >> key >> kib >> unit)
    if (key == "MemAvailable:") return kib * 1024;
  return 0;
}

std::size_t resident_memory_bytes() {
  InputFile file("/proc/self/statm");
  std::size_t total_pages = 0, resident_pages = 0;
  file >> total_pages >> resident_pages;
  return resident_pages * page_bytes();
}

fs::path path_of(int descriptor, std::error_code& failure) {
  return fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor), failure);
}

void* open_library(const fs::path& file, std::string* problem) {
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr && problem != nullptr) *problem = ::dlerror();
  return library;
}

void* find_in_library(void* library, const char* name) { return ::dlsym(library, name); }

void close_library(void* library) { ::dlclose(library); }

}  // namespace fernwood::platform
  if (file.has_parent_path() && file.is_relative()) {
    if (problem != nullptr) *problem = file.string() + " is relative to the current folder; give the full path";
    return nullptr;
  }
