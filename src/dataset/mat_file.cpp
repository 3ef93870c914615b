// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/mat_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <limits>
#include <span>
#include <string_view>

#include "fernwood/core/error.h"

#ifdef FERNWOOD_HAS_MATIO
#include <dlfcn.h>
#include <matio.h>
#endif

namespace fernwood::dataset {

namespace fs = std::filesystem;

#ifdef FERNWOOD_HAS_MATIO

namespace {

/// While it lives, HDF5 does not print its errors, which matio reports anyway. Looked up at run time because a matio
/// without HDF5 has no such functions.
class QuietHdf5 {
 public:
  QuietHdf5() {
    if (kGet && kSet && kGet(kDefaultStack, &printer_, &data_) >= 0) kSet(kDefaultStack, nullptr, nullptr);
  }
  ~QuietHdf5() {
    if (printer_) kSet(kDefaultStack, printer_, data_);
  }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  using Get = int (*)(std::int64_t stack, void** printer, void** data);
  using Set = int (*)(std::int64_t stack, void* printer, void* data);
  inline static const Get kGet = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "H5Eget_auto2"));
  inline static const Set kSet = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "H5Eset_auto2"));
  static constexpr std::int64_t kDefaultStack = 0;

  void* printer_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace

struct MatFile::Handle {
  fs::path path;
  mat_t* mat = nullptr;

  explicit Handle(const fs::path& file) : path(file) {
    const QuietHdf5 quiet;
    mat = Mat_Open(file.c_str(), MAT_ACC_RDONLY);
  }
  ~Handle() {
    const QuietHdf5 quiet;
    if (mat) Mat_Close(mat);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
};

namespace {

using Variable = std::unique_ptr<matvar_t, decltype(&Mat_VarFree)>;

/// Bounds what a file can make us allocate: a colour frame of 3344 x 3344.
constexpr std::size_t kMaxSliceBytes = std::size_t{1} << 25, kMaxSliceElements = kMaxSliceBytes;
constexpr std::size_t kMaxStrings = 65535, kMaxLetters = std::size_t{1} << 22;

template <typename T>
constexpr matio_classes kClassOf = MAT_C_EMPTY;
template <>
constexpr matio_classes kClassOf<std::uint8_t> = MAT_C_UINT8;
template <>
constexpr matio_classes kClassOf<std::uint16_t> = MAT_C_UINT16;
template <>
constexpr matio_classes kClassOf<float> = MAT_C_SINGLE;
template <>
constexpr matio_classes kClassOf<double> = MAT_C_DOUBLE;

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

/// Elements of an array; stops counting above kMaxSliceElements.
std::size_t product(std::span<const std::size_t> sizes) {
  constexpr std::size_t kTooMany = kMaxSliceElements + 1;
  std::size_t count = 1;
  for (const std::size_t size : sizes) count = std::min(count * std::min(size, kTooMany), kTooMany);
  return count;
}

/// For people: `single 480 x 640 x 1449`.
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

/// Looks a variable up with Mat_VarReadInfo or Mat_VarRead; null when that fails.
Variable find(matvar_t* (*look_up)(mat_t*, const char*), mat_t* mat, const std::string& name) {
  const QuietHdf5 quiet;
  return {look_up(mat, name.c_str()), &Mat_VarFree};
}

/// Whether the header says version 5 or 7.3, in either order of bytes: matio takes all other files for version 4, and
/// memory for what they say.
bool has_known_version(const fs::path& path) {
  std::array<char, 128> header{};
  if (!std::ifstream(path, std::ios::binary).read(header.data(), header.size())) return false;
  const std::string_view end(header.data() + 124, 4);  // version and "MI", each in the file's order of bytes
  using namespace std::string_view_literals;
  return end == "\0\1IM"sv || end == "\0\2IM"sv || end == "\1\0MI"sv || end == "\2\0MI"sv;
}

Variable checked(Variable found, const std::string& place) {
  FW_CHECK(found, Data, place << " is missing or damaged; take the file from the data set's authors again");
  return found;
}

std::string text_of(const matvar_t* cell, const std::string& place) {
  FW_CHECK(cell && cell->class_type == MAT_C_CHAR, Data, place << " must hold texts, one of its cells holds none");
  const std::size_t length = cell->data ? product(dims_of(*cell)) : 0;
  const auto letter_bytes = static_cast<std::size_t>(std::max(1, cell->data_size));
  FW_CHECK(length <= cell->nbytes / letter_bytes, Data, place << " is damaged: a text is shorter than it says");
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    std::uint32_t code = '?';
    if (cell->data_size == 1) code = static_cast<const std::uint8_t*>(cell->data)[i];
    if (cell->data_size == 2) code = static_cast<const std::uint16_t*>(cell->data)[i];
    text += code < 128 ? static_cast<char>(code) : '?';
  }
  return text;
}

/// Elements with one last index.
std::size_t slice_size(const std::vector<std::size_t>& shape) {
  return product(std::span(shape).first(shape.size() - 1));
}

}  // namespace

MatFile::MatFile(const fs::path& path) {
  FW_CHECK(fs::is_regular_file(path), Data, path.string() << ": there is no such file; name a .mat file");
  if (has_known_version(path)) handle_ = std::make_shared<const Handle>(path);
  FW_CHECK(
      handle_ && handle_->mat, Data,
      path.string() << ": is not a MATLAB file of version 5 or 7.3, or is damaged; take it from its authors again");
  if (Mat_GetVersion(handle_->mat) == MAT_FT_MAT5) check_mat5(path);
}

std::string MatFile::place(const std::string& name) const {
  return handle_->path.string() + ": variable \"" + name + "\"";
}

bool MatFile::has(const std::string& name) const { return find(&Mat_VarReadInfo, handle_->mat, name) != nullptr; }

std::vector<std::string> MatFile::read_strings(const std::string& name) const {
  const Variable info = checked(find(&Mat_VarReadInfo, handle_->mat, name), place(name));
  const std::size_t count = product(dims_of(*info));
  FW_CHECK(info->class_type == MAT_C_CELL && count <= kMaxStrings, Data,
           place(name) << " must be a cell array of at most " << kMaxStrings << " texts, not " << describe(*info));
  // matio reads whatever cells hold.
  std::size_t num_letters = 0;
  for (std::size_t i = 0; info->data && i < count; ++i) {
    const matvar_t* cell = static_cast<matvar_t* const*>(info->data)[i];
    FW_CHECK(cell && cell->class_type == MAT_C_CHAR, Data,
             place(name) << " must hold texts, one of its cells holds none");
    num_letters += product(dims_of(*cell));
  }
  FW_CHECK(num_letters <= kMaxLetters, Data,
           place(name) << " holds texts of " << num_letters << " letters, more than " << kMaxLetters
                       << "; take the file from the data set's authors again");
  const Variable cells = checked(find(&Mat_VarRead, handle_->mat, name), place(name));
  FW_CHECK(cells->data || count == 0, Data, place(name) << " is damaged: its cells cannot be read");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i)
    texts.push_back(text_of(static_cast<matvar_t* const*>(cells->data)[i], place(name)));
  return texts;
}

template <typename T>
MatArray<T>::MatArray(const MatFile& file, const std::string& name, std::size_t rank) : file_(file), name_(name) {
  const std::shared_ptr<const MatFile::Handle> handle = file.handle_;
  Variable variable = checked(find(&Mat_VarReadInfo, handle->mat, name), place());
  shape_ = dims_of(*variable);
  FW_CHECK(variable->class_type == kClassOf<T> && !variable->isComplex && !shape_.empty() && shape_.size() <= rank,
           Data,
           place() << " must be " << class_name(kClassOf<T>) << " with " << rank << " dimensions, not "
                   << describe(*variable));
  shape_.resize(rank, 1);  // MATLAB drops dimensions of size 1 at the end
  FW_CHECK(slice_size(shape_) <= kMaxSliceBytes / sizeof(T) && shape_.back() <= kMaxSliceElements, Data,
           place() << " is too large: " << describe(*variable));
  // The deleter keeps the file open as long as the variable lives.
  variable_ =
      std::shared_ptr<void>(variable.release(), [handle](void* owned) { Mat_VarFree(static_cast<matvar_t*>(owned)); });
}

template <typename T>
void MatArray<T>::read_slice(std::size_t index, std::vector<T>& slice) const {
  slice.assign(slice_size(shape_), T{});
  if (slice.empty()) return;
  const QuietHdf5 quiet;
  mat_t* mat = file_.handle_->mat;
  matvar_t* variable = static_cast<matvar_t*>(variable_.get());
  int failure = 0;
  if (Mat_GetVersion(mat) == MAT_FT_MAT73) {
    std::vector<int> start(shape_.size(), 0), stride(shape_.size(), 1), edge(shape_.begin(), shape_.end());
    start.back() = static_cast<int>(index);
    edge.back() = 1;
    failure = Mat_VarReadData(mat, variable, slice.data(), start.data(), stride.data(), edge.data());
  } else {  // matio 1.5 misplaces slabs of compressed arrays of version 5 with four dimensions
    FW_CHECK((index + 1) * slice.size() <= std::numeric_limits<int>::max(), Data,
             place() << " is too large for a file of version 5; save it as version 7.3");
    failure = Mat_VarReadDataLinear(mat, variable, slice.data(), static_cast<int>(index * slice.size()), 1,
                                    static_cast<int>(slice.size()));
  }
  FW_CHECK(failure == 0, Data,
           place() << " cannot be read at index " << index + 1 << " of " << num_slices()
                   << ": the file is cut off or damaged; copy or download it again");
}

#else

struct MatFile::Handle {};

namespace {
[[noreturn]] void fail_without_matio() {
  throw Error(
      ErrorKind::kUsage,
      "this build cannot read .mat files; install matio (Debian and Ubuntu: libmatio-dev), configure and build again");
}
}  // namespace

MatFile::MatFile(const fs::path&) { fail_without_matio(); }
std::string MatFile::place(const std::string& name) const { return name; }
bool MatFile::has(const std::string&) const { return false; }
std::vector<std::string> MatFile::read_strings(const std::string&) const { fail_without_matio(); }
template <typename T>
MatArray<T>::MatArray(const MatFile& file, const std::string& name, std::size_t) : file_(file), name_(name) {}
template <typename T>
void MatArray<T>::read_slice(std::size_t, std::vector<T>&) const {
  fail_without_matio();
}

#endif

template class MatArray<std::uint8_t>;
template class MatArray<std::uint16_t>;
template class MatArray<float>;
template class MatArray<double>;

}  // namespace fernwood::dataset
