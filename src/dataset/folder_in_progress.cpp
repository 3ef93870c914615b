// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/folder_in_progress.h"

#include <cerrno>

#include "core/platform/file_system.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMarker = ".fernwood_import";  // of a folder that is being written

/// Whether this user made a folder: anybody may have put one, or a link, beside a name in a shared folder.
bool is_own_folder(const fs::path& path) {
  const auto about = platform::OpenFile(path, platform::OpenFile::For::kHold).status();
  return about.type == fs::file_type::directory && about.is_own;
}

bool is_empty_folder(const fs::path& path) { return fs::is_directory(path) && fs::is_empty(path); }

/// The folder's own path, without links, "." and a trailing slash, because renaming would act on these.
fs::path folder_to_make(const fs::path& out) {
  const fs::path named = out.has_filename() ? out : out.parent_path(), path = behind_links(named);
  std::error_code missing;
  FW_CHECK(!fs::is_symlink(fs::symlink_status(named)) || fs::exists(named, missing), Usage,
           named.string() << " is a link to a folder that does not exist; create that folder, or choose a new one");
  if (fs::exists(path) && !fs::is_directory(path))
    throw FileError(ErrorKind::kUsage, out, ENOTDIR, "is a file; choose a new folder");
  FW_CHECK(!fs::exists(path) || is_empty_folder(path), Usage,
           out.string() << " holds files already, which would mix with the data set; choose a new folder");
  const fs::path whole = fs::weakly_canonical(path);  // "a/." becomes "a/"
  return whole.has_filename() ? whole : whole.parent_path();
}

}  // namespace

FolderInProgress::FolderInProgress(const fs::path& out) : out_(folder_to_make(out)), part_(out_) {
  part_ += kPartSuffix;
  FW_CHECK(!fs::exists(part_) || fs::is_directory(part_), Usage, in_the_way());
  make_part();
  begin();
}

FolderInProgress::~FolderInProgress() {
  if (done_) return;
  clear();
  give_back();
}

void FolderInProgress::finish() {
  std::error_code failure;
  sync_folders(part_);
  if (fs::exists(out_)) fs::remove(out_, failure);  // it is empty
  fs::rename(part_, out_, failure);
  FW_CHECK(!failure, Runtime,
           out_.string() << " cannot take the place of " << part_.string() << ": " << failure.message()
                         << "; check the permissions of its folder");
  fs::remove(out_ / kMarker, failure);  // it is no longer in progress
  done_ = true;
  sync_folder(out_.parent_path());
}

std::string FolderInProgress::in_the_way() const {
  return part_.string() + " already exists, and the new folder is written there first; remove or rename it";
}

void FolderInProgress::make_part() {
  if (!fs::exists(out_) || fs::exists(part_)) return make_folder(part_);
  std::error_code failure;
  fs::rename(out_, part_, failure);
  if (failure)
    throw FileError(
        ErrorKind::kRuntime, out_, failure.value(),
        "cannot be renamed while the data set is written: " + failure.message() + "; choose a new folder in it");
  was_there_ = true;
}

/// Takes the temporary folder from an earlier run that was killed, and marks it.
void FolderInProgress::begin() {
  bool is_ours = false;  // even if this run named the folder, another may have locked it first
  try {
    FW_CHECK(was_there_ || is_own_folder(part_), Usage, in_the_way());
    lock_ = OutputLock(part_);
    // An empty folder belongs to a run that was killed before it could write the marker.
    FW_CHECK(fs::exists(part_ / kMarker) || is_empty_folder(part_), Usage, in_the_way());
    is_ours = true;
    clear();
    write_file_atomically(part_ / kMarker, NamedBy::kFernwood, "\n", Durability::kProcess);
  } catch (const Error&) {  // for example, another run has locked it, or no descriptor is available
    if (is_ours) give_back();
    throw;
  } catch (...) {
    give_back();
    throw;
  }
}

void FolderInProgress::clear() {
  std::error_code ignored;
  for (fs::directory_iterator entry(part_, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    std::error_code failure;
    fs::remove_all(entry->path(), failure);
  }
}

/// Removes the temporary folder, if it is empty, or gives it its name back.
void FolderInProgress::give_back() noexcept {
  std::error_code ignored;
  if (was_there_)
    fs::rename(part_, out_, ignored);
  else
    fs::remove(part_, ignored);
}

}  // namespace fernwood::dataset
