// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What MatFile and the plug-in mat, which knows matio, hand each other.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace fernwood::dataset {

/// What a numeric array holds.
enum class MatNumber { kUint8, kUint16, kSingle, kDouble };

/// A numeric array, read by slices along its last dimension. Keeps the file open.
class MatSlices {
 public:
  virtual ~MatSlices() = default;
  /// In MATLAB's order (rows first); as many numbers as were asked for.
  virtual const std::vector<std::size_t>& shape() const = 0;
  /// Elements with one last index.
  virtual std::size_t slice_size() const = 0;
  /// @param slice  Room for slice_size() numbers. @throws Error(kData) when the file ends too early or is damaged.
  virtual void read_slice(std::size_t index, void* slice) const = 0;
};

/// A MATLAB file of version 5 or 7.3, open for reading by one thread at a time.
class MatReader {
 public:
  virtual ~MatReader() = default;
  virtual bool has(const std::string& name) const = 0;
  /// @throws Error(kData) when the variable is missing or is no cell array of texts.
  virtual std::vector<std::string> read_strings(const std::string& name) const = 0;
  /// @throws Error(kData) when the variable is missing, holds something else, or has more than `rank` dimensions.
  virtual std::unique_ptr<MatSlices> open_array(const std::string& name, MatNumber number, std::size_t rank) const = 0;
};

/// The plug-in's fernwood_open_mat; the reader is the caller's. @throws Error(kData) when it is not a MATLAB file.
using OpenMat = MatReader*(const char* path);

/// A numeric array of any HDF5 file, in its own order: the last index runs fastest.
struct Hdf5Numbers {
  std::vector<std::size_t> shape;
  std::vector<float> values;  ///< Halves and whole numbers of up to 24 bits exactly.
};

/// The plug-in's fernwood_read_hdf5, which any thread may call. @throws Error(kData) when the array is missing, too
/// large, of something else than numbers, or damaged; Error(kUsage) when matio came without HDF5.
using ReadHdf5 = void(const char* path, const char* name, Hdf5Numbers* numbers);

/// The start of an error about a variable.
inline std::string mat_place(const std::string& path, const std::string& name) {
  return path + ": variable \"" + name + "\"";
}

}  // namespace fernwood::dataset
