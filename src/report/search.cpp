// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/evaluation.h"

#include <algorithm>

#include "fernwood/core/text.h"
#include "fernwood/forest/forest.h"
#include "report/search.h"
#include "search/report/search_report.h"

namespace fernwood::report {

namespace {

const search::SearchWords& frame_words() {
  static const search::SearchWords words = {
      "frame",
      "pixel accuracy",
      "pixel %",
      "mean of pixel and class accuracy",
      "ms per frame",
      "ms",
      "labelling a frame",
      "Loading frames is not part of training here, and labelling is from memory to memory.",
      "pixel_accuracy",
      "latency_ms",
      1,
      true};
  return words;
}

}  // namespace

search::SearchFacts facts_of(const tune::ForestSearch& found) {
  search::SearchFacts facts(found, frame_words());
  const train::TrainReport& training = found.train_report;
  facts.train_seconds = training.seconds_sampling + training.seconds_growing + training.seconds_context;
  const std::vector<forest::Tree>& trees = found.forest.labelling_trees();
  facts.num_trees = trees.size();
  std::size_t num_leaves = 0;
  for (const forest::Tree& tree : trees) {
    facts.depth = std::max(facts.depth, tree.depth());
    num_leaves += tree.num_leaves();
  }
  const std::size_t num_stages = found.forest.num_stages();
  facts.forest = (num_stages > 1 ? counted(num_stages, "stage") + " of " : "") +
                 search::trees_text(facts.num_trees, facts.depth, num_leaves);
  facts.options.push_back({"smooth", std::to_string(found.smoothing.extent()), "0"});
  return facts;
}

std::string search_table(const tune::ForestSearch& found, bool color) {
  return search::search_table(facts_of(found), color);
}

std::string search_json(const tune::ForestSearch& found) {
  Json json = search::search_json(facts_of(found));
  json["limits"]["max_latency_ms"] = search::limit_json(found.time_limit);
  json["winner"]["smooth_px"] = found.smoothing.extent();
  return dump(json);
}

std::string search_page(const tune::ForestSearch& found) { return search::search_page(facts_of(found)); }

void write_search(const std::filesystem::path& folder, const tune::ForestSearch& found, const std::string& preset) {
  forest::save_forest(found.forest, search::search_files(folder).model, NamedBy::kFernwood);
  search::write_report(folder, tune::winner_config(found, preset), search_page(found), search_json(found));
}

}  // namespace fernwood::report
