// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <fstream>
#include <iterator>
#include <regex>

#include "fernwood/search/search.h"
#include "fuzz/target.h"
#include "search/toy_problem.h"

namespace fernwood::fuzz {

namespace {

/// Kinds of input, selected by the first byte.
enum class SearchText { kSpace, kProposals, kJournal, kJournalBehindItsHead, kCount };

struct SmallToy : search::ToyProblem {
  SmallToy() { folds = 3; }
};

search::SearchOptions small_race(const std::filesystem::path& folder) {
  search::SearchOptions options;
  options.trials = 6;
  options.batch_size = 3;
  options.folder = folder;
  return options;
}

/// The journal of a completed search.
const std::string& finished_journal() {
  static const std::string text = [] {
    const std::filesystem::path folder = scratch_folder() / "finished";
    SmallToy toy;
    search::run_search(toy, small_race(folder));
    std::ifstream file(folder / "journal.jsonl", std::ios::binary);
    const std::string journal(std::istreambuf_iterator<char>(file), {});
    return std::regex_replace(journal, std::regex("\"at\":[0-9.e-]+"), "\"at\":0.5");  // the same in each run
  }();
  return text;
}

void read_space(std::string_view text) {
  const search::Space changed = SmallToy().space().changed_by(text, "space.toml");
  const std::vector<std::vector<double>> corners = {std::vector<double>(changed.parameters().size(), 0),
                                                    std::vector<double>(changed.parameters().size(), 0.999)};
  for (const std::vector<double>& corner : corners) {
    const search::Configuration configuration = changed.configuration(corner);
    law(changed.has(configuration) && changed.configuration(changed.point(configuration)) == configuration,
        "a configuration is not its point's");
  }
  law(changed.has(changed.standard()), "the standard configuration is not of the space");
}

/// Resumes a search from the journal.
void resume(const std::string& journal) {
  const std::filesystem::path folder = scratch_folder() / "resumed";
  std::filesystem::create_directories(folder);
  write_bytes(folder / "journal.jsonl", reinterpret_cast<const std::uint8_t*>(journal.data()), journal.size());
  SmallToy toy;
  std::stop_source stopped;
  stopped.request_stop();
  search::run_search(toy, small_race(folder), {.progress = {}, .stop = stopped.get_token()});
}

}  // namespace

int fuzz_search(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto kind = static_cast<SearchText>(data[0] % static_cast<int>(SearchText::kCount));
  const std::string text(text_of(data + 1, size - 1));
  const std::string& journal = finished_journal();
  reads([&] {
    if (kind == SearchText::kSpace) return read_space(text);
    if (kind == SearchText::kJournal) return resume(text);
    if (kind == SearchText::kJournalBehindItsHead) return resume(journal.substr(0, journal.find('\n') + 1) + text);
    const MemoryFile file(data + 1, size - 1);
    law(!search::read_proposals(file.path()).empty(), "no proposals are none that were read");
  });
  return 0;
}

std::vector<Bytes> search_seeds() {
  const std::string& journal = finished_journal();
  const auto seed = [](SearchText kind, const std::string& text) { return bytes_of(static_cast<char>(kind) + text); };
  return {
      seed(SearchText::kSpace, "[samples]\nlow = 100\nhigh = 4000\nlog = true\n[absolute]\nlow = 0.1\nhigh = 0.25\n"),
      seed(SearchText::kSpace, "[channels]\nchoices = [\"lab\", \"depth\"]\n[depth]\nvalue = 7\n"),
      seed(SearchText::kProposals,
           "{\"configuration\": {\"trees\": \"3\", \"depth\": \"7\"}}\n\n{\"configuration\": {}}\n"),
      seed(SearchText::kJournal, journal),
      seed(SearchText::kJournal, journal.substr(0, journal.size() / 2)),
      seed(SearchText::kJournalBehindItsHead, journal.substr(journal.find('\n') + 1)),
      seed(SearchText::kJournalBehindItsHead,
           "{\"stopped\": \"minutes\", \"minutes\": 10, \"at\": 600.1}\n{\"trial\": 0, \"fold\": 1, \"problem\": "
           "\"none\", \"at\": 1}\n")};
}

}  // namespace fernwood::fuzz
