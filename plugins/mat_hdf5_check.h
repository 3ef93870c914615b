// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>

namespace fernwood {

/// Walks a file of version 7.3, of which HDF5 takes memory for what it says. @throws Error(kData) naming the variable
/// whose chunks, filters, sizes or references no MATLAB file has, or that leads to another file.
void check_mat_hdf5(const std::filesystem::path& path);

}  // namespace fernwood
