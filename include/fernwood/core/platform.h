// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Functions that differ between operating systems beyond POSIX; src/core/platform has a file for each system. No other
// file reads /proc or includes system-specific headers (checked by scripts/check_layers).

#include <cstddef>
#include <filesystem>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace fernwood::platform {

/// Suffix of the names of shared libraries and plug-ins.
inline constexpr std::string_view kLibrarySuffix = ".so";
/// Command that shows a page in the user's browser.
inline constexpr const char* kPageOpener = "xdg-open";
/// Energy counters of the processor (RAPL), one folder for each.
inline constexpr const char* kEnergyFolder = "/sys/class/powercap";

/// File of the running program; empty if unknown.
std::filesystem::path own_program();
/// File that contains fernwood's code, a full path: the program, or a library that another program has loaded.
std::filesystem::path own_library();

/// Host name of this machine; empty if it has none.
std::string machine_name();

/// Keeps freed memory in the process. Otherwise the system would clear its pages again for each new frame.
void keep_freed_memory();

/// Numbers of the cores on which this process may run, ascending.
std::vector<int> usable_cores();
/// Name of the processor; empty if unknown.
std::string processor_name();
/// Text that distinguishes this processor from others with the same name; empty if unknown.
std::string processor_signature();
/// Whether this processor has instructions for dot products of four bytes (FEAT_DotProd); false if it is not a 64-bit
/// ARM.
bool has_dot_products();
/// Memory of the machine, and memory that this process may still take, within its limits (those of its container, batch
/// job and address space), in bytes. The latter is at least 1 MiB: as a limit, 0 would mean an automatic one, or none.
std::size_t total_memory_bytes();
std::size_t available_memory_bytes();
/// Resident memory of this process in bytes; 0 if unknown.
std::size_t resident_memory_bytes();

/// Path of an open file; sets `failure` if it is unknown.
std::filesystem::path path_of(int descriptor, std::error_code& failure);

/// Opens a library by its full path, or by a name that the system looks up; it stays loaded until it is closed.
/// @param problem  Receives the reason of a failure. @return  Null on failure.
void* open_library(const std::filesystem::path& file, std::string* problem = nullptr);
/// Address of a function or object in a library; null if the library lacks the name.
void* find_in_library(void* library, const char* name);
void close_library(void* library);

/// For tests: name and signature of the processor in a text of Linux's /proc/cpuinfo, of x86 or ARM.
struct ProcessorText {
  std::string name, signature;
};
ProcessorText read_processor_text(std::istream& cpuinfo);

}  // namespace fernwood::platform
