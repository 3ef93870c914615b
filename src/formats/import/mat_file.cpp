// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/import/mat_file.h"

#include <cerrno>

#include "fernwood/core/error.h"
#include "fernwood/core/plugin.h"

namespace fernwood::formats {

namespace fs = std::filesystem;

MatFile::MatFile(const fs::path& path) : path_(path.string()) {
  if (!fs::is_regular_file(path))
    throw FileError(ErrorKind::kData, path, fs::is_directory(path) ? EISDIR : ENOENT,
                    "does not exist; name a .mat file");
  const auto open = find_plugin<OpenMat>("mat", "fernwood_open_mat");
  FW_CHECK(
      open != nullptr, Usage,
      path_ << ": .mat files are read by the plug-in fernwood_mat.so, which is not installed; install matio (Debian "
               "and Ubuntu: libmatio-dev), configure and build fernwood again");
  reader_.reset(open(path_.c_str()));
}

void check_hdf5_reader(const fs::path& path) {
  FW_CHECK(
      find_plugin<ReadHdf5>("mat", "fernwood_read_hdf5") != nullptr, Usage,
      path.string() << ": HDF5 files are read by the plug-in fernwood_mat.so, which is not installed; install matio "
                       "(Debian and Ubuntu: libmatio-dev), configure and build fernwood again");
}

Hdf5Numbers read_hdf5(const fs::path& path, const std::string& name) {
  if (!fs::is_regular_file(path))
    throw FileError(ErrorKind::kData, path, fs::is_directory(path) ? EISDIR : ENOENT,
                    "does not exist; name an HDF5 file");
  check_hdf5_reader(path);
  Hdf5Numbers numbers;
  find_plugin<ReadHdf5>("mat", "fernwood_read_hdf5")(path.string().c_str(), name.c_str(), &numbers);
  return numbers;
}

}  // namespace fernwood::formats
