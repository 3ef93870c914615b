// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace fernwood::formats {

// Interface between MatFile and the plug-in mat, which uses matio.

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
