// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

namespace fernwood {

enum class Hdf5Check {
  kMatlab,   ///< For large files: small chunks are not inflated to check their size.
  kThorough  ///< All chunks are inflated.
};

/// Checks the structure of an HDF5 file, because HDF5 allocates memory by the sizes in it. @throws Error(kData) naming
/// a variable whose chunks, filters, sizes or references exceed those that MATLAB writes, or that refers to another
/// file.
void check_hdf5(const std::filesystem::path& path, Hdf5Check check);

}  // namespace fernwood
