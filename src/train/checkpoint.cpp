// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/checkpoint.h"

#include <nlohmann/json.hpp>

#include "core/json_field.h"
#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "fernwood/forest/model_file.h"

namespace fernwood::train {

namespace {

using Json = nlohmann::json;

constexpr const char* kStateKey = "checkpoint";

/// Nodes that are open: the leaves whose index is in the last `num_open`.
GrowingTree reopen(const forest::Tree& tree, std::size_t num_open, int level) {
  GrowingTree growing;
  growing.nodes = tree.nodes;
  growing.num_classes = tree.leaf_counts.cols();
  growing.leaf_counts.assign(tree.leaf_counts.begin(), tree.leaf_counts.end());
  growing.level = level;
  const std::size_t num_closed = tree.num_leaves() - num_open;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (tree.nodes[i].is_leaf() && static_cast<std::size_t>(tree.nodes[i].leaf_index()) >= num_closed)
      growing.open.push_back(static_cast<std::int32_t>(i));
  return growing;
}

void check_same(const std::filesystem::path& path, const char* what, const std::string& was, const std::string& is) {
  if (was == is) return;
  const std::string difference = json_difference(was, is);
  throw Error(ErrorKind::kUsage, path.string() + ": this checkpoint was made with other " + what + ":" + difference +
                                     " give the same, or train without --resume");
}

}  // namespace

void save_checkpoint(const GrowingForest& forest, const GrowingTree* growing, const std::filesystem::path& path) {
  forest::Forest saved = forest.model;
  saved.stages = {forest.trees};
  Json options = Json::parse(saved.options_json);
  Json& state = options[kStateKey] = {{"growing", growing != nullptr}};
  if (growing) {
    state["level"] = growing->level;
    state["open"] = growing->open.size();
    saved.stages[0].push_back(growing->tree());
  }
  saved.options_json = options.dump();
  forest::save_forest(saved, path);
}

Checkpoint load_checkpoint(const std::filesystem::path& path, const forest::Forest& expected) {
  forest::Forest saved = forest::load_forest(path);
  Json options = Json::parse(saved.options_json);
  FW_CHECK(options.contains(kStateKey), Model,
           path.string() << ": is a finished model, not a checkpoint; train without --resume");
  const Json state = options[kStateKey];
  options.erase(kStateKey);
  check_same(path, "options", options.dump(), expected.options_json);
  check_same(path, "data", saved.provenance_json, expected.provenance_json);
  FW_CHECK(
      saved.classes == expected.classes && saved.preparation == expected.preparation && saved.leaves == expected.leaves,
      Usage,
      path.string()
          << ": this checkpoint was made with other classes, channels, camera or leaf options; give the same, or "
             "train without --resume");
  Checkpoint out{std::move(saved.labelling_trees()), {}};
  try {
    if (state.at("growing").get<bool>()) {
      FW_CHECK(!out.trees.empty(), Model, path.string() << ": the growing tree is missing");
      const forest::Tree tree = std::move(out.trees.back());
      out.trees.pop_back();
      const auto num_open = state.at("open").get<std::size_t>();
      FW_CHECK(num_open <= tree.num_leaves(), Model, path.string() << ": more open nodes than leaves");
      out.growing = reopen(tree, num_open, state.at("level").get<int>());
    }
  } catch (const Json::exception& failure) {
    throw Error(ErrorKind::kModel, path.string() + ": damaged checkpoint state: " + failure.what());
  }
  return out;
}

std::optional<GrowingTree> CheckpointKeeper::resume(GrowingForest& forest) const {
  if (!resume_ || !std::filesystem::exists(path_)) return std::nullopt;
  Checkpoint checkpoint = load_checkpoint(path_, forest.model);
  forest.trees = std::move(checkpoint.trees);
  return std::move(checkpoint.growing);
}

void CheckpointKeeper::save(const GrowingForest& forest, const GrowingTree* growing) {
  if (path_.empty()) return;
  save_checkpoint(forest, growing, path_);
  last_saved_ = seconds_now();
}

void CheckpointKeeper::save_if_due(const GrowingForest& forest, const GrowingTree* growing) {
  constexpr double kSecondsBetween = 2.0;
  if (seconds_now() - last_saved_ >= kSecondsBetween) save(forest, growing);
}

}  // namespace fernwood::train
