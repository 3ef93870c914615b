// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <map>

#include "core/platform/process_limits.h"
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

/// The numbers that a file begins with; "max" is none, and -1 one that limits nothing.
std::vector<std::uint64_t> numbers_in(const fs::path& path) {
  InputFile file(path);
  return {std::istream_iterator<std::uint64_t>(file), {}};
}

/// Takes the limits of a control group into account, in the files of either version.
void apply_group(const fs::path& group, ProcessLimits& limits) {
  for (const auto& [limit, usage, active, inactive] :
       {std::array{"memory.max", "memory.current", "active_file", "inactive_file"},
        std::array{"memory.high", "memory.current", "active_file", "inactive_file"},  // beyond it, processes are slowed
        std::array{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file", "total_inactive_file"}}) {
    const auto most = numbers_in(group / limit), used = numbers_in(group / usage);
    if (most.empty() || used.empty()) continue;
    std::uint64_t needed = used[0], bytes = 0;
    InputFile parts(group / "memory.stat");
    for (std::string key; parts >> key >> bytes;)  // cached files are dropped before memory is refused
      if (key == active || key == inactive) needed -= std::min(needed, bytes);
    limits.memory_bytes = std::min(limits.memory_bytes, most[0]);
    limits.free_memory_bytes = std::min(limits.free_memory_bytes, most[0] - std::min(most[0], needed));
  }
  std::vector<std::uint64_t> times_us = numbers_in(group / "cpu.max");  // quota and period
  for (const char* file : {"cpu.cfs_quota_us", "cpu.cfs_period_us"})
    for (const std::uint64_t time : numbers_in(group / file)) times_us.push_back(time);
  if (times_us.size() == 2)
    limits.cores = std::min(limits.cores, static_cast<double>(times_us[0]) / static_cast<double>(times_us[1]));
}

}  // namespace

ProcessLimits process_limits(const fs::path& root) {
  ProcessLimits limits;
  InputFile groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:cpu,memory:/path", or "0::/path" of version 2
    const std::size_t list = line.find(':'), path = line.find(":/");
    if (path == std::string::npos) continue;
    const std::string controllers = "," + line.substr(list + 1, path - list - 1) + ",";
    for (const std::string name : {"", "memory", "cpu"}) {
      if (controllers.find("," + name + ",") == std::string::npos) continue;
      // In a container the path may begin outside, at a group that is not there; its own is then the root.
      fs::path group = root / "sys/fs/cgroup" / name;
      apply_group(group, limits);
      for (const fs::path& below : fs::path(line.substr(path + 2))) apply_group(group /= below, limits);
    }
  }
  struct rlimit space;
  if (const auto pages = numbers_in(root / "proc/self/statm");
      !pages.empty() && ::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    limits.memory_bytes = std::min(limits.memory_bytes, space.rlim_cur);
    const std::uint64_t left = space.rlim_cur - std::min<std::uint64_t>(space.rlim_cur, pages[0] * page_bytes());
    limits.free_memory_bytes = std::min(limits.free_memory_bytes, left);
  }
  return limits;
}

fs::path own_program() {
  std::error_code failure;
  const fs::path file = fs::read_symlink("/proc/self/exe", failure);
  return failure ? fs::path() : file;
}

fs::path own_library() {
  static const char kHere = 0;
  Dl_info info;
  // A program started through PATH is known by a relative name, which would be sought in the current folder.
  const fs::path file = ::dladdr(&kHere, &info) != 0 && info.dli_fname ? info.dli_fname : "";
  return file.is_absolute() ? file : own_program();
}

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

int usable_threads() {
  // Asked once, because a pool may be made for each frame.
  static const double cores = std::min(static_cast<double>(usable_cores().size()), std::ceil(process_limits().cores));
  return std::max(1, static_cast<int>(cores));
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

std::size_t total_memory_bytes() {
  return std::min(static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * page_bytes(), process_limits().memory_bytes);
}

std::size_t available_memory_bytes() {
  std::size_t bytes = static_cast<std::size_t>(::sysconf(_SC_AVPHYS_PAGES)) * page_bytes();  // where /proc is missing
  InputFile file("/proc/meminfo");
  std::string key, unit;
  for (std::size_t kib = 0; key != "MemAvailable:" && file >> key >> kib >> unit;)
    if (key == "MemAvailable:") bytes = kib * 1024;
  return std::max(std::size_t{1} << 20, std::min(bytes, process_limits().free_memory_bytes));
}

std::size_t resident_memory_bytes() {
  InputFile file("/proc/self/statm");
  std::size_t total_pages = 0, resident_pages = 0;
  file >> total_pages >> resident_pages;
  return resident_pages * page_bytes();
}

std::size_t peak_memory_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

fs::path path_behind_links(const fs::path& path, std::error_code& failure) {
  const int opened = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  failure.assign(opened < 0 ? errno : 0, std::generic_category());
  if (failure) return {};
  std::error_code unknown;
  const fs::path found = fs::read_symlink("/proc/self/fd/" + std::to_string(opened), unknown);
  ::close(opened);
  return unknown ? fs::canonical(path) : found;
}

bool fill_with_random_bits(std::span<std::uint64_t> numbers) {
  return ::getrandom(numbers.data(), numbers.size_bytes(), 0) == static_cast<ssize_t>(numbers.size_bytes());
}

void* open_library(const fs::path& file, std::string* problem) {
  if (file.has_parent_path() && file.is_relative()) {
    if (problem != nullptr) *problem = file.string() + " is relative to the current folder; use the full path";
    return nullptr;
  }
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr && problem != nullptr) *problem = ::dlerror();
  return library;
}

void* find_in_library(void* library, const char* name) { return ::dlsym(library, name); }

void close_library(void* library) { ::dlclose(library); }

}  // namespace fernwood::platform
