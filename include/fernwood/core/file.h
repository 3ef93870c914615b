// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace fernwood {

/// Bytes of a whole file. @throws Error(kRuntime) naming the path and the system's reason.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path);

/// The same as a text.
std::string read_text(const std::filesystem::path& path);

/// What a written file is there after.
enum class Durability {
  kProcess,      ///< This process being killed; where it replaces another file, as below. A machine that stops leaves a
                 ///< whole file or none: for many files, whose folder is synced once, before anybody is told of them.
  kPowerFailure  ///< Also the machine stopping at any moment.
};

/// Who chose the name of a file. A folder may come from somebody else, with links that lead to the user's own files.
enum class NamedBy {
  kUser,     ///< The user: a link is followed, and stays.
  kFernwood  ///< In a folder that was given: a link in the way is replaced.
};

/// What the name of a file that is being written ends in.
inline constexpr const char* kPartSuffix = ".part";

/// Writes a file so that it appears whole or not at all: `write` fills `path`.part, which is then renamed. The file
/// keeps the permissions it had. What a killed process left is taken over; another process that writes the same file is
/// waited for, five seconds at most.
/// @throws Error(kRuntime), also for a device, a pipe or a socket, which no file may replace; kResource when the disk
/// is full; the old file, if any, stays.
void write_file_atomically(const std::filesystem::path& path, NamedBy named_by,
                           const std::function<void(std::ostream&)>& write,
                           Durability outlasts = Durability::kPowerFailure);

/// Checks, before work starts, that a file can be created at `path` or replaced there.
/// @throws Error(kRuntime) naming the folder that is missing or not writable; also for a device or a pipe.
void check_writable(const std::filesystem::path& path, NamedBy named_by);

/// Makes a folder for output, and those above it, where they are missing; they outlast the machine stopping.
/// @throws Error(kRuntime) when that fails or a file is in the way, Error(kUsage) for an empty name.
void make_folder(const std::filesystem::path& folder);

/// The same for folders within one that the user named, whose own names are fernwood's: no link is followed there.
/// @param below  One or more names, relative. @throws Error(kRuntime) also where one of them is a link.
void make_folder_within(const std::filesystem::path& folder, const std::filesystem::path& below);

/// Makes the names of a folder outlast the machine stopping, where the file system can.
/// @throws Error(kRuntime, kResource) when the disk fails.
void sync_folder(const std::filesystem::path& folder);

/// Throws what a failed write means. @param remedy  Where the disk is not full.
/// @throws Error(kResource) where a disk or a quota is full, Error(kRuntime) for any other number of `errno`.
[[noreturn]] void fail_writing(const std::filesystem::path& path, int error_number,
                               const char* remedy = "check the folder and its permissions");

/// XXH3 of some bytes; to_hex() makes 16 hexadecimal digits of it.
std::uint64_t checksum(const void* data, std::size_t size_bytes);

}  // namespace fernwood
