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

/// Reads a whole file. @throws Error(kRuntime) naming the path and the system's reason.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path);

/// Reads a whole file as a string. @throws Error as read_file().
std::string read_text(const std::filesystem::path& path);

/// Failure that a written file survives.
enum class Durability {
  kProcess,  ///< A crash of this process. After a power failure the file is complete or missing; a file that replaces
             ///< another one is as below. For many files, whose folder is synced once before they are used.
  kPowerFailure  ///< Also a power failure or crash of the machine at any moment.
};

/// Origin of a file name. Folders may come from other people and contain links to the user's own files.
enum class NamedBy {
  kUser,     ///< Chosen by the user: a link is followed and stays.
  kFernwood  ///< Chosen by fernwood, within a folder given by the user: a link of this name is replaced.
};

/// Suffix of the name of a file that is being written.
inline constexpr const char* kPartSuffix = ".part";

/// Writes a file atomically, so that it appears completely or not at all: `write` fills `path`.part, which is then
/// synced and renamed. A replaced file keeps its mode, without setuid, and its owner and group where permitted. What a
/// killed process left is overwritten; another one that writes the same file is waited for, up to five seconds.
/// @throws Error(kRuntime), also for a device, a pipe or a socket, which cannot be replaced; kResource if the disk is
/// full. An existing file then stays unchanged.
void write_file_atomically(const std::filesystem::path& path, NamedBy named_by,
                           const std::function<void(std::ostream&)>& write,
                           Durability outlasts = Durability::kPowerFailure);

/// Checks that nothing is at `path`, or a file that write_file_atomically() can replace: a finished file that replaced
/// a device would leave the machine without that device. @throws Error(kRuntime) for a folder, a device or a pipe.
void check_replaceable(const std::filesystem::path& path, NamedBy named_by);

/// Checks before the work starts that a file can be created or replaced at `path`.
/// @throws Error(kRuntime) naming the folder that is missing or not writable; also for a device or a pipe.
void check_writable(const std::filesystem::path& path, NamedBy named_by);

/// The absolute path without "." and a trailing slash, so that filename() is the name of the folder, also of "rooms/".
std::filesystem::path full_path(const std::filesystem::path& path);

/// Creates a folder for output and its missing parents; they survive a power failure.
/// @throws Error(kRuntime) if that fails or a file has the name, Error(kUsage) for an empty name.
void make_folder(const std::filesystem::path& folder);

/// Creates subfolders, with names chosen by fernwood, of a folder given by the user; links among them are not followed.
/// @param below  Relative path of one or more names. @throws Error as make_folder(); kRuntime also if one is a link.
void make_folder_within(const std::filesystem::path& folder, const std::filesystem::path& below);

/// Makes the directory entries of a folder survive a power failure, if the file system supports it.
/// @throws Error(kRuntime, kResource) if the disk fails.
void sync_folder(const std::filesystem::path& folder);

/// Throws the error for a failed write. @param remedy  Advice if the disk is not full.
/// @throws Error(kResource) if the disk or a quota is full, Error(kRuntime) for other values of `errno`.
[[noreturn]] void fail_writing(const std::filesystem::path& path, int error_number,
                               const char* remedy = "check the folder and its permissions");

/// XXH3 hash of a block of memory; to_hex() writes it as 16 hexadecimal digits.
std::uint64_t checksum(const void* data, std::size_t size_bytes);

}  // namespace fernwood
