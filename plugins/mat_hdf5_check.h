// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

namespace fernwood {

enum class Hdf5Check {
  kMatlab,   ///< Of large files: small chunks are trusted to unfold to what they should.
  kThorough  ///< All chunks are unfolded.
};

/// Walks a file of HDF5, which takes memory for what it says. @throws Error(kData) naming the variable whose chunks,
/// filters, sizes or references are beyond what MATLAB writes, or that leads to another file.
void check_hdf5(const std::filesystem::path& path, Hdf5Check check);

}  // namespace fernwood
