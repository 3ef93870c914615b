// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/checkpoint.h"

#include <nlohmann/json.hpp>

#include "core/json_field.h"
#include "fernwood/core/error.h"
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

void save_checkpoint(const forest::Forest& forest, const GrowingTree* growing, const std::filesystem::path& path) {
  forest::Forest saved = forest;
  Json options = Json::parse(forest.options_json);
  Json& state = options[kStateKey] = {{"growing", growing != nullptr}};
  if (growing) {
    state["level"] = growing->level;
    state["open"] = growing->open.size();
    saved.trees.push_back(growing->tree());
  }
  saved.options_json = options.dump();
  forest::save_forest(saved, path);
}

Checkpoint load_checkpoint(const std::filesystem::path& path, const forest::Forest& expected) {
  Checkpoint out;
  out.forest = forest::load_forest(path);
  Json options = Json::parse(out.forest.options_json);
  FW_CHECK(options.contains(kStateKey), Model,
           path.string() << ": is a finished model, not a checkpoint; train without --resume");
  const Json state = options[kStateKey];
  options.erase(kStateKey);
  out.forest.options_json = options.dump();
  check_same(path, "options", out.forest.options_json, expected.options_json);
  check_same(path, "data", out.forest.provenance_json, expected.provenance_json);
  FW_CHECK(out.forest.classes == expected.classes && out.forest.preparation == expected.preparation &&
               out.forest.leaves == expected.leaves,
           Usage,
           path.string()
               << ": this checkpoint was made with other classes, channels, camera or leaf options; give the same, or "
                  "train without --resume");
  try {
    if (state.at("growing").get<bool>()) {
      FW_CHECK(!out.forest.trees.empty(), Model, path.string() << ": the growing tree is missing");
      const forest::Tree tree = std::move(out.forest.trees.back());
      out.forest.trees.pop_back();
      const auto num_open = state.at("open").get<std::size_t>();
      FW_CHECK(num_open <= tree.num_leaves(), Model, path.string() << ": more open nodes than leaves");
      out.growing = reopen(tree, num_open, state.at("level").get<int>());
    }
  } catch (const Json::exception& failure) {
    throw Error(ErrorKind::kModel, path.string() + ": damaged checkpoint state: " + failure.what());
  }
  return out;
}

}  // namespace fernwood::train
