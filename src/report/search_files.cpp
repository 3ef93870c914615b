// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
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
  for (const std::filesystem::path& file : {files.model, files.config, files.page, files.json}) {
    refuse_replaced_files({{option, file}}, inputs);
    check_writable(file, NamedBy::kFernwood);
    // First the file: another process may write both in between. A link is replaced, and its target stays.
    const bool exists = std::filesystem::is_regular_file(std::filesystem::symlink_status(file));
    FW_CHECK(!exists || std::filesystem::exists(journal), Usage,
             file.string() << ": exists, and the folder has no journal of a search that wrote it; the search would "
                              "replace it: give another folder, or remove the file");
  }
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
