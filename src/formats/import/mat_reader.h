// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Interface between MatFile and the plug-in mat, which uses matio.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace fernwood::formats {

/// Type of the elements of a numeric array.
enum class MatNumber { kUint8, kUint16, kSingle, kDouble };

/// A numeric array, read by slices along its last dimension. Keeps the file open.
class MatSlices {
 public:
  virtual ~MatSlices() = default;
  /// In MATLAB's order (rows first); as many numbers as the requested rank.
  virtual const std::vector<std::size_t>& shape() const = 0;
  /// Number of elements of a slice.
  virtual std::size_t slice_size() const = 0;
  /// @param slice  Buffer for slice_size() numbers. @throws Error(kData) when the file ends too early or is damaged.
  virtual void read_slice(std::size_t index, void* slice) const = 0;
};

/// A MATLAB file of version 5 or 7.3, open for reading by one thread at a time.
class MatReader {
 public:
  virtual ~MatReader() = default;
  virtual bool has(const std::string& name) const = 0;
  /// @throws Error(kData) when the variable is missing or not a cell array of strings.
  virtual std::vector<std::string> read_strings(const std::string& name) const = 0;
  /// @throws Error(kData) when the variable is missing, of another type, or has more than `rank` dimensions.
  virtual std::unique_ptr<MatSlices> open_array(const std::string& name, MatNumber number, std::size_t rank) const = 0;
};

/// The plug-in's fernwood_open_mat; the caller owns the reader. @throws Error(kData) when it is not a MATLAB file.
using OpenMat = MatReader*(const char* path);

/// A numeric array of any HDF5 file, in its own order: the last index varies fastest.
struct Hdf5Numbers {
  std::vector<std::size_t> shape;
  std::vector<float> values;  ///< Half floats and whole numbers of up to 24 bits are exact.
};

/// The plug-in's fernwood_read_hdf5, which is thread-safe. @throws Error(kData) when the array is missing, too large,
/// not numeric, or damaged; Error(kUsage) when matio was built without HDF5.
using ReadHdf5 = void(const char* path, const char* name, Hdf5Numbers* numbers);

/// The beginning of an error message about a variable.
inline std::string mat_place(const std::string& path, const std::string& name) {
  return path + ": variable \"" + name + "\"";
}

}  // namespace fernwood::formats
