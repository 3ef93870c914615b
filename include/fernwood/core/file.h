// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
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
/// Writes a text, such as a page.
inline void write_file_atomically(const std::filesystem::path& path, NamedBy named_by, std::string_view text,
                                  Durability outlasts = Durability::kPowerFailure) {
  write_file_atomically(
      path, named_by, [&](std::ostream& out) { out << text; }, outlasts);
}

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

// No output may replace an input: checks of the programs and of Python before the work starts.

/// An option or argument, as messages name it, and the path that it names, which may be empty.
using NamedPath = std::pair<const char*, std::filesystem::path>;

/// The absolute path of a name, whether or not the file exists, with links resolved, including dangling ones.
std::filesystem::path place_of(const std::filesystem::path& path);
/// Whether two names refer to the same file, existing or not, through any links.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);
/// Whether a file, existing or not, is directly in an existing folder, through any links.
bool is_in_folder(const std::filesystem::path& file, const std::filesystem::path& folder);
/// Whether a file exists in a folder, at any depth, and does not look like an earlier output: a page, a map, a model.
bool is_kept_in(const std::filesystem::path& file, const std::filesystem::path& folder);

/// Whether a command may read a file because of an input, which is another file or a folder.
using InputRule = bool (*)(const std::filesystem::path& file, const std::filesystem::path& input);

/// @param outputs  Files to be written. @param inputs  Files and folders to be read.
/// @throws Error(kUsage) if an output would replace an input, a file that is read because of one, or another output.
void refuse_replaced_files(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs,
                           InputRule is_read = &is_kept_in);

/// A lock that prevents two runs from writing the same output: a model, a checkpoint, a page, a folder of labels. It is
/// held from before the work begins until the output is written; the system releases it when the process ends, for any
/// reason.
///
/// A folder is locked directly; a file is locked by `path`.lock beside it, which is removed with the lock. A file of
/// that name from another program (Cargo.lock) is never written to. If the file system does not support locks, or the
/// lock file cannot be created, nothing is locked; a later write reports the problem.
class OutputLock {
 public:
  OutputLock() = default;
  /// @throws Error(kRuntime) naming the run that holds the lock, or another program's file with the lock's name.
  explicit OutputLock(const std::filesystem::path& path);
  /// Returns nothing if another run holds the lock.
  /// @param holder  Receives the name of that run, if known: "process 12 on atlas".
  /// @throws Error(kRuntime) if another program's file has the lock's name.
  static std::optional<OutputLock> try_lock(const std::filesystem::path& path, std::string* holder = nullptr);

 private:
  std::shared_ptr<const void> held_;  // the open file; null: nothing is locked
};

/// A new temporary folder, which is removed with this object.
class ScratchFolder {
 public:
  /// @throws Error(kRuntime) if the folder cannot be created.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace fernwood
