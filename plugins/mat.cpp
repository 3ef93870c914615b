// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The plug-in mat: MATLAB files of versions 5 and 7.3, read by matio, which depends on HDF5 and its dependencies.

#include <matio.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/saturated.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file_stream.h"
#include "formats/import/mat_file.h"
#include "plugins/mat_hdf5.h"

namespace {

using fernwood::Error;
using fernwood::ErrorKind;
using fernwood::formats::mat_place;
using fernwood::formats::MatNumber;
using fernwood::formats::MatReader;
using fernwood::formats::MatSlices;
using fernwood::hdf5::QuietHdf5;

struct OpenFile {
  std::string path;
  mat_t* mat = nullptr;

  explicit OpenFile(const char* file) : path(file) {
    const QuietHdf5 quiet;
    mat = Mat_Open(file, MAT_ACC_RDONLY);
  }
  ~OpenFile() {
    const QuietHdf5 quiet;
    if (mat) Mat_Close(mat);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
};

using Variable = std::unique_ptr<matvar_t, decltype(&Mat_VarFree)>;

/// Limits the memory that a file can make us allocate: a colour frame of 3344 x 3344 pixels.
constexpr std::size_t kMaxSliceBytes = std::size_t{1} << 25, kMaxSliceElements = kMaxSliceBytes;
constexpr std::size_t kMaxStrings = 65535, kMaxLetters = std::size_t{1} << 22;

/// matio's name of a numeric type, and its size.
struct NumberKind {
  matio_classes name;
  std::size_t size_bytes;
};

NumberKind kind_of(MatNumber number) {
  switch (number) {
    case MatNumber::kUint8:
      return {MAT_C_UINT8, 1};
    case MatNumber::kUint16:
      return {MAT_C_UINT16, 2};
    case MatNumber::kSingle:
      return {MAT_C_SINGLE, 4};
    case MatNumber::kDouble:
      return {MAT_C_DOUBLE, 8};
  }
  return {MAT_C_EMPTY, 0};
}

std::string class_name(matio_classes type) {
  static constexpr std::array<const char*, 18> kNames = {"empty",  "cell",   "struct", "object", "char",     "sparse",
                                                         "double", "single", "int8",   "uint8",  "int16",    "uint16",
                                                         "int32",  "uint32", "int64",  "uint64", "function", "opaque"};
  return static_cast<std::size_t>(type) < kNames.size() ? kNames[type] : "unknown type";
}

std::vector<std::size_t> dims_of(const matvar_t& variable) {
  if (!variable.dims || variable.rank < 0) return {};
  return {variable.dims, variable.dims + variable.rank};
}

std::size_t product(std::span<const std::size_t> sizes) {
  std::size_t count = 1;
  for (const std::size_t size : sizes) count = fernwood::saturated_product(count, size);
  return count;
}

/// Type and size for messages: `single 480 x 640 x 1449`.
std::string describe(const matvar_t& variable) {
  std::string text = variable.isComplex ? "complex " : "";
  text += class_name(variable.class_type);
  const char* separator = " ";
  for (const std::size_t size : dims_of(variable)) {
    text += separator + std::to_string(size);
    separator = " x ";
  }
  return text;
}

/// Calls Mat_VarReadInfo or Mat_VarRead; null if that fails.
Variable find(matvar_t* (*look_up)(mat_t*, const char*), mat_t* mat, const std::string& name) {
  const QuietHdf5 quiet;
  return {look_up(mat, name.c_str()), &Mat_VarFree};
}

/// Version and "MI" from the header, both in the file's byte order; empty if the file is shorter.
std::string version_of(const char* path) {
  std::array<char, 128> header{};
  if (!fernwood::InputFile(path).read(header.data(), header.size())) return "";
  return {header.data() + 124, 4};
}

using namespace std::string_view_literals;
bool is_version_5(std::string_view version) { return version == "\0\1IM"sv || version == "\1\0MI"sv; }
bool is_version_73(std::string_view version) { return version == "\0\2IM"sv || version == "\2\0MI"sv; }

Variable checked(Variable found, const std::string& place) {
  FW_CHECK(found, Data, place << " is missing or damaged; take the file from the data set's authors again");
  return found;
}

/// The cells that matio has allocated, whatever the sizes of the array; empty for other variables.
std::span<const matvar_t* const> cells_of(const matvar_t& variable) {
  if (variable.class_type != MAT_C_CELL || !variable.data) return {};
  return {static_cast<const matvar_t* const*>(variable.data), variable.nbytes / sizeof(matvar_t*)};
}

std::string text_of(const matvar_t* cell, const std::string& place) {
  FW_CHECK(cell && cell->class_type == MAT_C_CHAR, Data, place << " must hold strings, one of its cells holds none");
  const std::size_t length = cell->data ? product(dims_of(*cell)) : 0;
  const auto letter_bytes = static_cast<std::size_t>(std::max(1, cell->data_size));
  FW_CHECK(length <= cell->nbytes / letter_bytes, Data, place << " is damaged: a string is shorter than it says");
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    std::uint32_t code = '?';
    if (cell->data_size == 1) code = static_cast<const std::uint8_t*>(cell->data)[i];
    if (cell->data_size == 2) code = static_cast<const std::uint16_t*>(cell->data)[i];
    text += code < 128 ? static_cast<char>(code) : '?';
  }
  return text;
}

class MatioSlices : public MatSlices {
 public:
  MatioSlices(std::shared_ptr<const OpenFile> file, const std::string& name, MatNumber number, std::size_t rank)
      : file_(std::move(file)),
        place_(mat_place(file_->path, name)),
        number_bytes_(kind_of(number).size_bytes),
        variable_(checked(find(&Mat_VarReadInfo, file_->mat, name), place_)),
        shape_(dims_of(*variable_)) {
    const matio_classes kind = kind_of(number).name;
    FW_CHECK(
        variable_->class_type == kind && !variable_->isComplex && !shape_.empty() && shape_.size() <= rank, Data,
        place_ << " must be " << class_name(kind) << " with " << rank << " dimensions, not " << describe(*variable_));
    shape_.resize(rank, 1);  // MATLAB drops trailing dimensions of size 1
    slice_size_ = product(std::span(shape_).first(rank - 1));
    FW_CHECK(slice_size_ <= kMaxSliceBytes / number_bytes_ && shape_.back() <= kMaxSliceElements, Data,
             place_ << " is too large: " << describe(*variable_));
  }

  const std::vector<std::size_t>& shape() const override { return shape_; }
  std::size_t slice_size() const override { return slice_size_; }

  void read_slice(std::size_t index, void* slice) const override {
    std::memset(slice, 0, slice_size_ * number_bytes_);
    const QuietHdf5 quiet;
    int failure = 0;
    if (Mat_GetVersion(file_->mat) == MAT_FT_MAT73) {
      std::vector<int> start(shape_.size(), 0), stride(shape_.size(), 1), edge(shape_.begin(), shape_.end());
      start.back() = static_cast<int>(index);
      edge.back() = 1;
      failure = Mat_VarReadData(file_->mat, variable_.get(), slice, start.data(), stride.data(), edge.data());
    } else {  // matio 1.5 misplaces slabs of compressed arrays of version 5 with four dimensions
      FW_CHECK((index + 1) * slice_size_ <= std::numeric_limits<int>::max(), Data,
               place_ << " is too large for a file of version 5; save it as version 7.3");
      failure = Mat_VarReadDataLinear(file_->mat, variable_.get(), slice, static_cast<int>(index * slice_size_), 1,
                                      static_cast<int>(slice_size_));
    }
    FW_CHECK(failure == 0, Data,
             place_ << " cannot be read at index " << index + 1 << " of " << shape_.back()
                    << ": the file is cut off or damaged; copy or download it again");
  }

 private:
  std::shared_ptr<const OpenFile> file_;  // outlives the variable
  std::string place_;
  std::size_t number_bytes_, slice_size_ = 0;
  Variable variable_;
  std::vector<std::size_t> shape_;
};

class MatioReader : public MatReader {
 public:
  explicit MatioReader(std::shared_ptr<const OpenFile> file) : file_(std::move(file)) {}

  bool has(const std::string& name) const override { return find(&Mat_VarReadInfo, file_->mat, name) != nullptr; }
  std::unique_ptr<MatSlices> open_array(const std::string& name, MatNumber number, std::size_t rank) const override {
    return std::make_unique<MatioSlices>(file_, name, number, rank);
  }
  std::vector<std::string> read_strings(const std::string& name) const override;

 private:
  std::shared_ptr<const OpenFile> file_;
};

std::vector<std::string> MatioReader::read_strings(const std::string& name) const {
  const std::string place = mat_place(file_->path, name);
  const Variable info = checked(find(&Mat_VarReadInfo, file_->mat, name), place);
  const std::size_t count = product(dims_of(*info));
  FW_CHECK(info->class_type == MAT_C_CELL && count <= kMaxStrings, Data,
           place << " must be a cell array of at most " << kMaxStrings << " strings, not " << describe(*info));
  // matio reads cells of any content.
  std::size_t num_letters = 0;
  for (const matvar_t* cell : cells_of(*info)) {
    FW_CHECK(cell && cell->class_type == MAT_C_CHAR, Data, place << " must hold strings, one of its cells holds none");
    num_letters = fernwood::saturated_sum(num_letters, product(dims_of(*cell)));
  }
  FW_CHECK(num_letters <= kMaxLetters, Data,
           place << " holds strings of " << num_letters << " letters, more than " << kMaxLetters
                 << "; take the file from the data set's authors again");
  const Variable cells = checked(find(&Mat_VarRead, file_->mat, name), place);
  FW_CHECK(cells_of(*cells).size() == count, Data, place << " is damaged: its cells cannot be read");
  std::vector<std::string> texts;
  for (const matvar_t* cell : cells_of(*cells)) texts.push_back(text_of(cell, place));
  return texts;
}

}  // namespace

extern "C" {

const char* fernwood_plugin_version() { return FERNWOOD_VERSION; }

MatReader* fernwood_open_mat(const char* path) {
  std::shared_ptr<const OpenFile> file;
  // matio treats all other files as version 4, and allocates memory by their unchecked sizes.
  const std::string version = version_of(path);
  if (is_version_73(version)) {
    const QuietHdf5 quiet;
    fernwood::check_hdf5(path, fernwood::Hdf5Check::kMatlab);
  }
  if (is_version_5(version) || is_version_73(version)) file = std::make_shared<const OpenFile>(path);
  FW_CHECK(file && file->mat, Data,
           path << " is not a MATLAB file of version 5 or 7.3, or is damaged; take it from its authors again");
  if (Mat_GetVersion(file->mat) == MAT_FT_MAT5) fernwood::check_mat5(path);
  return new MatioReader(std::move(file));
}
}
