// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Functions of HDF5, looked up at run time, because a matio without HDF5 lacks them and cannot read these files.

#include <dlfcn.h>

#include <cstdint>
#include <filesystem>

#include "fernwood/core/error.h"

namespace fernwood::hdf5 {

using Id = std::int64_t;
using Size = unsigned long long;

template <typename Function>
Function* function(const char* name) {
  auto* const found = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  FW_CHECK(found, Data, "this build's HDF5 has no " << name << "; save .mat files as version 5 (save -v7)");
  return found;
}

template <typename Result, typename... Parameters>
Result call(const char* name, Parameters... parameters) {
  return function<Result(Parameters...)>(name)(parameters...);
}

/// Owner of an HDF5 object; `closes` is the name of the function that closes it.
class Handle {
 public:
  Handle(Id id, const char* closes) : id_(id), closes_(closes) {}
  ~Handle() {
    if (id_ >= 0) call<int>(closes_, id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Id id() const { return id_; }

 private:
  Id id_;
  const char* closes_;
};

inline constexpr Id kDefault = 0;

/// Suppresses HDF5's printed errors while it exists; matio reports them anyway.
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

}  // namespace fernwood::hdf5

namespace fernwood {

/// Checks the structure of a file of version 5, because matio allocates memory by its lengths without checking them.
/// @throws Error(kData) naming a variable that is cut off, damaged, or not an array of numbers, text or cells.
void check_mat5(const std::filesystem::path& path);

enum class Hdf5Check {
  kMatlab,   ///< For large files: small chunks are not inflated to check their size.
  kThorough  ///< All chunks are inflated.
};

/// Checks the structure of an HDF5 file, because HDF5 allocates memory by the sizes in it. @throws Error(kData) naming
/// a variable whose chunks, filters, sizes or references exceed those that MATLAB writes, or that refers to another
/// file.
void check_hdf5(const std::filesystem::path& path, Hdf5Check check);

}  // namespace fernwood
