// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/error.h"

#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/search/report.h"
#include "search/report/search_report.h"

namespace fernwood::search {

namespace {

void put(const std::filesystem::path& path, const std::string& text) {
  write_file_atomically(path, NamedBy::kFernwood, [&](std::ostream& file) { file << text; });
}

std::string racing_text(const SearchProgress& now) {
  std::string text = "batch " + std::to_string(now.batch + 1) + ", fold " + std::to_string(now.fold + 1) + " of " +
                     std::to_string(now.num_folds) + ", " + std::to_string(now.trials_alive) + " of " +
                     std::to_string(now.trials) + " alive";
  if (!now.leaders.empty())
    text += ", trial " + std::to_string(now.leaders.front().trial) + " leads with loss " +
            format_text("%.4f", now.leaders.front().loss);
  return text;
}

}  // namespace

SearchFiles search_files(const std::filesystem::path& folder) {
  return {folder / "best.fernwood", folder / "best.toml", folder / "search.html", folder / "search.json"};
}

void check_search_files(const char* option, const std::filesystem::path& folder, const std::vector<NamedPath>& inputs,
                        InputRule is_read) {
  const std::filesystem::path journal = journal_path(folder);
  refuse_replaced_files({{option, journal}}, inputs, is_read);
  const SearchFiles files = search_files(folder);
  std::vector<std::string> existing;
  for (const std::filesystem::path& file : {files.model, files.config, files.page, files.json}) {
    refuse_replaced_files({{option, file}}, inputs, is_read);
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

void write_report(const std::filesystem::path& folder, const std::string& config, const std::string& page,
                  const std::string& json) {
  const SearchFiles files = search_files(folder);
  put(files.config, config);
  put(files.page, page);
  put(files.json, json);
}

ProgressWords progress_words(const SearchProgress& progress) {
  if (!progress.after.empty()) return {"finishing", progress.after, progress.done};
  return {"racing", racing_text(progress), progress.done};
}

}  // namespace fernwood::search
