// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What differs from operating system to operating system beyond POSIX; src/core/platform has a file for each. Nothing
// else reads /proc or includes headers of one system (scripts/check_layers proves it).

#include <cstddef>
#include <filesystem>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace fernwood::platform {

/// The end of the names of shared libraries and of plug-ins.
inline constexpr std::string_view kLibrarySuffix = ".so";
/// The command that shows a page in the user's browser.
inline constexpr const char* kPageOpener = "xdg-open";
/// Counters of the processor's energy (RAPL), a folder for each.
inline constexpr const char* kEnergyFolder = "/sys/class/powercap";

/// The file of the program that runs; empty when the system does not say.
std::filesystem::path own_program();
/// A name under which the program that runs can be started again, also after its file was replaced.
const char* own_program_to_start();
/// The file that fernwood's code is in: a program, or a library that others load.
std::filesystem::path own_library();
/// The arguments that this process was started with, its name first.
std::vector<std::string> own_arguments();

/// The name of this machine in its network; empty when it has none.
std::string machine_name();

/// Has this process get SIGTERM when the process that started it ends.
void end_with_parent();
/// Memory that is freed stays with the process: frames come and go, and what was given back to the system would be
/// cleared page by page for the next.
void keep_freed_memory();

/// Numbers of the processor's cores that this process may run on, ascending.
std::vector<int> usable_cores();
/// Name of the processor; empty when the system does not say.
std::string processor_name();
/// What tells this processor from others of its name; empty when the system does not say.
std::string processor_signature();
/// Whether this processor multiplies and adds four bytes at once (FEAT_DotProd); false where it is not a 64-bit ARM.
bool has_dot_products();
/// Bytes of memory that the machine has, and that programs may still take; 0 when the system does not say.
std::size_t installed_memory_bytes();
std::size_t available_memory_bytes();
/// Bytes of memory that this process holds; 0 when the system does not say.
std::size_t resident_memory_bytes();

/// The path of a file that is open; `failure` is set where the system does not say.
std::filesystem::path path_of(int descriptor, std::error_code& failure);

/// Opens a shared library, which stays until it is closed or the process ends. @param problem  Gets why it cannot be
/// opened.
/// @return  Null when it cannot be.
void* open_library(const std::filesystem::path& file, std::string* problem = nullptr);
/// The address of a function or object of a library; null where it lacks the name.
void* find_in_library(void* library, const char* name);
void close_library(void* library);

/// For tests: name and signature as the text of Linux' /proc/cpuinfo says them, of x86 and of ARM.
struct ProcessorText {
  std::string name, signature;
};
ProcessorText read_processor_text(std::istream& cpuinfo);

}  // namespace fernwood::platform
