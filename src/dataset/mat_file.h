// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace fernwood::dataset {

/// Walks a file of version 5, whose lengths matio believes when it takes memory. @throws Error(kData) naming the
/// variable that is cut off, damaged, or no array of numbers, text or cells.
void check_mat5(const std::filesystem::path& path);

/// A MATLAB file (version 5 or 7.3) open for reading, by one thread at a time. Copies share the file.
class MatFile {
 public:
  /// @throws Error(kData) when there is no such file or it is not a MATLAB file; Error(kUsage) without matio.
  explicit MatFile(const std::filesystem::path& path);

  bool has(const std::string& name) const;
  /// The texts of a cell array. @throws Error(kData) when the variable is missing or of another kind.
  std::vector<std::string> read_strings(const std::string& name) const;
  /// `path: variable "name"`, the start of an error about a variable.
  std::string place(const std::string& name) const;

 private:
  template <typename T>
  friend class MatArray;
  struct Handle;
  std::shared_ptr<const Handle> handle_;
};

/// A numeric array of a MATLAB file, of which one slice along the last dimension is in memory at a time.
/// T is std::uint8_t, std::uint16_t, float or double, and must be what the file holds.
template <typename T>
class MatArray {
 public:
  /// @throws Error(kData) when the variable is missing, not of type T, or has more than `rank` dimensions.
  MatArray(const MatFile& file, const std::string& name, std::size_t rank);

  /// `rank` numbers, in MATLAB's order (rows first).
  const std::vector<std::size_t>& shape() const { return shape_; }
  std::size_t num_slices() const { return shape_.back(); }
  std::string place() const { return file_.place(name_); }

  /// Reads the elements whose last index is `index` (0-based); the first index runs fastest.
  /// @throws Error(kData) when the file ends too early or is damaged.
  void read_slice(std::size_t index, std::vector<T>& slice) const;

 private:
  MatFile file_;
  std::string name_;
  std::vector<std::size_t> shape_;
  std::shared_ptr<void> variable_;
};

}  // namespace fernwood::dataset
