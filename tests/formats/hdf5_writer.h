// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Writes small HDF5 files for tests, through the HDF5 library that matio loads.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fernwood::formats {

struct Hdf5Options {
  std::string type = "H5T_NATIVE_FLOAT_g";  ///< Stored type; "half" is binary16, which HDF5 does not predefine.
  std::vector<unsigned long long> chunk = {};
  bool is_deflated = false;
  std::string name = "dataset";
};

/// Writes an array of floats. @param values  Empty: nothing is stored, so a reader gets zeros.
class Hdf5Writer {
 public:
  static void write(const std::filesystem::path& path, const std::vector<unsigned long long>& shape,
                    const std::vector<float>& values, const Hdf5Options& options = {}) {
    std::filesystem::create_directories(path.parent_path());
    const int rank = static_cast<int>(shape.size());
    const Id file = call<Id>("H5Fcreate", path.c_str(), 2u, Id{0}, Id{0});
    const Id type = options.type == "half" ? half() : *static_cast<const Id*>(find(options.type.c_str()));
    const Id space = call<Id>("H5Screate_simple", rank, shape.data(), static_cast<const unsigned long long*>(nullptr));
    const Id layout = call<Id>("H5Pcreate", *static_cast<const Id*>(find("H5P_CLS_DATASET_CREATE_ID_g")));
    if (!options.chunk.empty()) call<int>("H5Pset_chunk", layout, rank, options.chunk.data());
    if (options.is_deflated) call<int>("H5Pset_deflate", layout, 9u);
    const Id dataset = call<Id>("H5Dcreate2", file, options.name.c_str(), type, space, Id{0}, layout, Id{0});
    EXPECT_GE(dataset, 0) << path;
    if (!values.empty()) {
      const Id floats = *static_cast<const Id*>(find("H5T_NATIVE_FLOAT_g"));
      EXPECT_GE(call<int>("H5Dwrite", dataset, floats, Id{0}, Id{0}, Id{0}, static_cast<const void*>(values.data())),
                0);
    }
    call<int>("H5Dclose", dataset);
    call<int>("H5Pclose", layout);
    call<int>("H5Sclose", space);
    call<int>("H5Fclose", file);
  }

 private:
  using Id = std::int64_t;
  static void* find(const char* name) {
    void* const found = dlsym(RTLD_DEFAULT, name);
    if (!found) ADD_FAILURE() << "there is no " << name;
    return found;
  }
  template <typename Result, typename... Parameters>
  static Result call(const char* name, Parameters... parameters) {
    return reinterpret_cast<Result (*)(Parameters...)>(find(name))(parameters...);
  }
  /// Type of IEEE 754 binary16.
  static Id half() {
    const Id type = call<Id>("H5Tcopy", *static_cast<const Id*>(find("H5T_IEEE_F32LE_g")));
    call<int>("H5Tset_fields", type, std::size_t{15}, std::size_t{10}, std::size_t{5}, std::size_t{0}, std::size_t{10});
    call<int>("H5Tset_size", type, std::size_t{2});
    call<int>("H5Tset_ebias", type, std::size_t{15});
    return type;
  }
};

}  // namespace fernwood::formats
