// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "formats/import/mat_reader.h"

namespace fernwood::formats {

/// A MATLAB file (version 5 or 7.3), open for reading by one thread at a time. Copies share the file.
class MatFile {
 public:
  /// @throws Error(kData) when the file is missing or not a MATLAB file; Error(kUsage) without the plug-in mat.
  explicit MatFile(const std::filesystem::path& path);

  bool has(const std::string& name) const { return reader_->has(name); }
  /// The strings of a cell array. @throws Error(kData) when the variable is missing or of another kind.
  std::vector<std::string> read_strings(const std::string& name) const { return reader_->read_strings(name); }
  /// `path: variable "name"`, the start of an error about a variable.
  std::string place(const std::string& name) const { return mat_place(path_, name); }

 private:
  template <typename T>
  friend class MatArray;

  std::string path_;
  std::shared_ptr<const MatReader> reader_;
};

/// @throws Error(kUsage) naming the file if the plug-in mat, which reads HDF5, is missing.
void check_hdf5_reader(const std::filesystem::path& path);
/// A numeric array of an HDF5 file of any program, as floats. @throws Error(kData) when the file or the array is
/// missing, damaged or too large; Error(kUsage) without the plug-in mat.
Hdf5Numbers read_hdf5(const std::filesystem::path& path, const std::string& name);

/// A numeric array of a MATLAB file, of which one slice along the last dimension is in memory at a time. T is
/// std::uint8_t, std::uint16_t, float or double, and must be the type in the file.
template <typename T>
class MatArray {
 public:
  /// @throws Error(kData) when the variable is missing, not of type T, or has more than `rank` dimensions.
  MatArray(const MatFile& file, const std::string& name, std::size_t rank)
      : place_(file.place(name)), slices_(file.reader_->open_array(name, kNumber, rank)) {}

  /// `rank` numbers, in MATLAB's order (rows first).
  const std::vector<std::size_t>& shape() const { return slices_->shape(); }
  std::size_t num_slices() const { return shape().back(); }
  const std::string& place() const { return place_; }

  /// Reads the elements whose last index is `index` (0-based); the first index runs fastest.
  /// @throws Error(kData) when the file ends too early or is damaged.
  void read_slice(std::size_t index, std::vector<T>& slice) const {
    slice.resize(slices_->slice_size());
    if (!slice.empty()) slices_->read_slice(index, slice.data());
  }

 private:
  static constexpr MatNumber kNumber = std::is_same_v<T, std::uint8_t>    ? MatNumber::kUint8
                                       : std::is_same_v<T, std::uint16_t> ? MatNumber::kUint16
                                       : std::is_same_v<T, float>         ? MatNumber::kSingle
                                                                          : MatNumber::kDouble;
  static_assert(kNumber != MatNumber::kDouble || std::is_same_v<T, double>);

  std::string place_;
  std::shared_ptr<const MatSlices> slices_;
};

}  // namespace fernwood::formats
