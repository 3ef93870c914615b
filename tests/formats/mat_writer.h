// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Writes small .mat files for tests.

#include <gtest/gtest.h>
#include <matio.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fernwood::formats {

class MatWriter {
 public:
  MatWriter(const std::filesystem::path& path, mat_ft version, matio_compression compression = MAT_COMPRESSION_NONE)
      : mat_(Mat_CreateVer(path.c_str(), "MATLAB MAT-file, without a date", version)), compression_(compression) {
    if (!mat_) ADD_FAILURE() << path << " cannot be made";
  }
  ~MatWriter() { Mat_Close(mat_); }
  MatWriter(const MatWriter&) = delete;
  MatWriter& operator=(const MatWriter&) = delete;

  /// `values` are in MATLAB's order: the first index changes fastest.
  template <typename T>
  void array(const std::string& name, std::vector<std::size_t> shape, std::vector<T> values) {
    write(Mat_VarCreate(name.c_str(), class_of(T{}), type_of(T{}), static_cast<int>(shape.size()), shape.data(),
                        values.data(), 0));
  }

  void strings(const std::string& name, const std::vector<std::string>& texts) {
    std::vector<matvar_t*> cells;
    for (const std::string& text : texts) {
      std::size_t shape[2] = {1, text.size()};
      cells.push_back(Mat_VarCreate(nullptr, MAT_C_CHAR, MAT_T_UTF8, 2, shape, const_cast<char*>(text.data()), 0));
    }
    cells.push_back(nullptr);
    std::size_t shape[2] = {texts.size(), 1};
    write(Mat_VarCreate(name.c_str(), MAT_C_CELL, MAT_T_CELL, 2, shape, cells.data(), 0));
  }

 private:
  static matio_classes class_of(std::uint8_t) { return MAT_C_UINT8; }
  static matio_classes class_of(std::uint16_t) { return MAT_C_UINT16; }
  static matio_classes class_of(float) { return MAT_C_SINGLE; }
  static matio_classes class_of(double) { return MAT_C_DOUBLE; }
  static matio_types type_of(std::uint8_t) { return MAT_T_UINT8; }
  static matio_types type_of(std::uint16_t) { return MAT_T_UINT16; }
  static matio_types type_of(float) { return MAT_T_SINGLE; }
  static matio_types type_of(double) { return MAT_T_DOUBLE; }

  void write(matvar_t* variable) {
    EXPECT_EQ(Mat_VarWrite(mat_, variable, compression_), 0);
    Mat_VarFree(variable);
  }

  mat_t* mat_;
  matio_compression compression_;
};

}  // namespace fernwood::formats
