// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/forest/model_file.h"
#include "fernwood/records/record_file.h"
#include "fernwood/report/search.h"

namespace fernwood::report {

namespace {

void put(const std::filesystem::path& path, const std::string& text) {
  write_file_atomically(path, NamedBy::kFernwood, [&](std::ostream& file) { file << text; });
}

}  // namespace

SearchFiles search_files(const std::filesystem::path& folder) {
  return {folder / "best.fernwood", folder / "best.toml", folder / "search.html", folder / "search.json"};
}

void check_search_files(const char* option, const std::filesystem::path& folder, const std::vector<NamedPath>& inputs) {
  const std::filesystem::path journal = search::journal_path(folder);
  refuse_replaced_files({{option, journal}}, inputs);
  const SearchFiles files = search_files(folder);
  std::vector<std::string> existing;
  for (const std::filesystem::path& file : {files.model, files.config, files.page, files.json}) {
    refuse_replaced_files({{option, file}}, inputs);
    check_writable(file, NamedBy::kFernwood);
    // A link is replaced, and its target stays.
    if (std::filesystem::is_regular_file(std::filesystem::symlink_status(file)))
      existing.push_back(file.filename().string());
  }
  // The journal last: another process may write it and then the files in between.
  FW_CHECK(existing.empty() || std::filesystem::exists(journal), Usage,
           folder.string() << ": the folder has no journal of a search, and this search would replace "
                           << join(existing) << " in it; remove "
                           << (existing.size() == 1 ? "this file" : "these files") << ", or name another folder");
}

void write_search(const std::filesystem::path& folder, const search::ForestSearch& found, const std::string& preset) {
  const SearchFiles files = search_files(folder);
  forest::save_forest(found.forest, files.model, NamedBy::kFernwood);
  put(files.config, search::winner_config(found, preset));
  put(files.page, search_page(found));
  put(files.json, search_json(found));
}

void write_search(const std::filesystem::path& folder, const search::RecordSearch& found) {
  const SearchFiles files = search_files(folder);
  records::save_records(found.forest, files.model, NamedBy::kFernwood);
  put(files.config, search::winner_config(found));
  put(files.page, search_page(found));
  put(files.json, search_json(found));
}

}  // namespace fernwood::report
