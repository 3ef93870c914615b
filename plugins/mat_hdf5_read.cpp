// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Arrays of HDF5 files that were not written by MATLAB.

#include <algorithm>
#include <array>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "formats/import/mat_file.h"
#include "plugins/mat_hdf5.h"

namespace fernwood {

namespace {

using namespace hdf5;
using formats::Hdf5Numbers;
using formats::mat_place;

constexpr const char *kSingle = "H5T_IEEE_F32LE_g", *kSingleBig = "H5T_IEEE_F32BE_g";
constexpr std::array kNumberTypes = {kSingle,           kSingleBig,        "H5T_IEEE_F64LE_g", "H5T_IEEE_F64BE_g",
                                     "H5T_STD_I8LE_g",  "H5T_STD_U8LE_g",  "H5T_STD_I8BE_g",   "H5T_STD_U8BE_g",
                                     "H5T_STD_I16LE_g", "H5T_STD_I16BE_g", "H5T_STD_U16LE_g",  "H5T_STD_U16BE_g",
                                     "H5T_STD_I32LE_g", "H5T_STD_I32BE_g", "H5T_STD_U32LE_g",  "H5T_STD_U32BE_g"};
constexpr int kMaxRank = 3;
constexpr Size kMaxNumbers = Size{1} << 24;  // 4096 x 4096, and 64 MiB as floats

/// The size of each dimension. @throws Error(kData) for an array that is too large or empty.
std::vector<std::size_t> shape_of(Id dataset, const std::string& place) {
  const Handle space(call<Id>("H5Dget_space", dataset), "H5Sclose");
  const int rank = space.id() < 0 ? -1 : call<int>("H5Sget_simple_extent_ndims", space.id());
  FW_CHECK(rank >= 1 && rank <= kMaxRank, Data,
           place << " has " << rank << " dimensions, and 1 to " << kMaxRank
                 << " are read; take the file from the data set's authors again");
  std::array<Size, kMaxRank> sizes{};
  call<int>("H5Sget_simple_extent_dims", space.id(), sizes.data(), static_cast<Size*>(nullptr));
  Size count = 1;
  for (const Size size : std::span(sizes).first(static_cast<std::size_t>(rank))) {
    FW_CHECK(size >= 1 && size <= kMaxNumbers / count, Data,
             place << " is empty, or has more than " << kMaxNumbers
                   << " numbers; take the file from the data set's authors again");
    count *= size;
  }
  return {sizes.begin(), sizes.begin() + rank};
}

Id type_named(const char* name) {
  const auto* const type = static_cast<const Id*>(dlsym(RTLD_DEFAULT, name));
  FW_CHECK(type, Data, "this build's HDF5 has no " << name << "; install libhdf5 1.10 or later");
  return *type;
}

/// Whether a type is IEEE 754 binary16, for which HDF5 has no predefined type.
bool is_half(Id type, const char* single) {
  const Handle half(call<Id>("H5Tcopy", type_named(single)), "H5Tclose");
  call<int>("H5Tset_fields", half.id(), std::size_t{15}, std::size_t{10}, std::size_t{5}, std::size_t{0},
            std::size_t{10});
  call<int>("H5Tset_size", half.id(), std::size_t{2});
  call<int>("H5Tset_ebias", half.id(), std::size_t{15});
  return call<int>("H5Tequal", type, half.id()) > 0;
}

/// Accepts only native numeric types: HDF5 writes out of bounds for some invalid types that a file can define.
void check_numeric(Id dataset, const std::string& place) {
  const Handle type(call<Id>("H5Dget_type", dataset), "H5Tclose");
  const auto is_type = [&](const char* name) { return call<int>("H5Tequal", type.id(), type_named(name)) > 0; };
  const bool is_known = type.id() >= 0 && (std::ranges::any_of(kNumberTypes, is_type) || is_half(type.id(), kSingle) ||
                                           is_half(type.id(), kSingleBig));
  FW_CHECK(is_known, Data,
           place << " holds something else than integers of up to 32 bits or floating-point numbers of up to 64; take "
                    "the file from the data set's authors again");
}

Hdf5Numbers read_numbers(const std::string& path, const std::string& name) {
  check_hdf5(path, Hdf5Check::kThorough);
  const std::string place = mat_place(path, name);
  const Handle file(call<Id>("H5Fopen", path.c_str(), 0u, kDefault), "H5Fclose");
  const Handle dataset(call<Id>("H5Dopen2", file.id(), name.c_str(), kDefault), "H5Dclose");
  FW_CHECK(dataset.id() >= 0, Data, place << " is missing; take the file from the data set's authors again");
  check_numeric(dataset.id(), place);
  Hdf5Numbers numbers{shape_of(dataset.id(), place), {}};
  std::size_t count = 1;
  for (const std::size_t size : numbers.shape) count *= size;
  numbers.values.resize(count);
  const bool is_read = call<int>("H5Dread", dataset.id(), type_named("H5T_NATIVE_FLOAT_g"), kDefault, kDefault,
                                 kDefault, static_cast<void*>(numbers.values.data())) >= 0;
  FW_CHECK(is_read, Data, place << " cannot be read: the file is cut off or damaged; copy or download it again");
  return numbers;
}

}  // namespace

}  // namespace fernwood

extern "C" {

void fernwood_read_hdf5(const char* path, const char* name, fernwood::formats::Hdf5Numbers* numbers) {
  static std::mutex mutex;  // HDF5 may be built without thread safety
  const std::lock_guard lock(mutex);
  FW_CHECK(dlsym(RTLD_DEFAULT, "H5Fopen"), Usage,
           path << ": is an HDF5 file, and this build's matio has no HDF5; install one that has (Debian and Ubuntu: "
                   "libmatio-dev), configure and build fernwood again");
  const fernwood::hdf5::QuietHdf5 quiet;
  *numbers = fernwood::read_numbers(path, name);
}
}
