// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/stream/record_source.h"

namespace fernwood::records {

inline bool operator==(const RecordTable& a, const RecordTable& b) {
  return a.attributes == b.attributes && a.classes == b.classes && a.labels == b.labels && a.values == b.values;
}

}  // namespace fernwood::records

namespace fernwood::stream {

/// All batches of a source.
inline std::vector<records::RecordTable> batches_of(RecordSource& source, std::size_t max_records) {
  std::vector<records::RecordTable> batches(1);
  while (source.read(batches.back(), max_records)) batches.emplace_back();
  batches.pop_back();
  return batches;
}

inline std::vector<std::size_t> sizes_of(const std::vector<records::RecordTable>& batches) {
  std::vector<std::size_t> sizes;
  for (const records::RecordTable& batch : batches) sizes.push_back(batch.values.rows());
  return sizes;
}

inline std::vector<float> row(const records::RecordTable& table, std::size_t i) {
  return {table.values.row(i), table.values.row(i) + table.values.cols()};
}

/// "kind: message" of the error that `work` throws, or "" if there is none.
template <typename Work>
std::string refusal_of(const Work& work) {
  try {
    work();
  } catch (const Error& problem) {
    return std::to_string(static_cast<int>(problem.kind())) + ": " + problem.what();
  }
  return "";
}

/// Creates a folder for each test, and opens sources that read from it.
class SourceTest : public testing::Test {
 protected:
  SourceTest() {
    const testing::TestInfo* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / ("fernwood_" + std::string(info->test_suite_name()) + "_" +
                                                           info->name() + "_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~SourceTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::unique_ptr<RecordSource> open(const std::filesystem::path& path, const records::TableOptions& options = {},
                                     const FolderOptions& folder_options = {}) {
    return open_record_source(path, options, folder_options, pool_);
  }
  /// Error of reading a source, without the path of the test's folder.
  std::string refusal(const std::filesystem::path& path, const records::TableOptions& options = {},
                      const FolderOptions& folder_options = {}) {
    std::string text = refusal_of([&] { batches_of(*open(path, options, folder_options), 100); });
    const std::string place = (folder_ / "").string();
    for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place))
      text.erase(at, place.size());
    return text;
  }

  std::filesystem::path folder_;
  ThreadPool pool_{2};
};

}  // namespace fernwood::stream
