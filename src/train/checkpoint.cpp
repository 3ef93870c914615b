// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/checkpoint.h"

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>

#include "core/json_field.h"
#include "core/json_text.h"
#include "core/model_container.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/progress.h"
#include "fernwood/forest/forest.h"
#include "forest/model_bytes.h"

namespace fernwood::train {

namespace {

using Json = nlohmann::json;

constexpr const char* kStateKey = "checkpoint";

/// Depth of every node. @param nodes  In breadth-first order, as in every tree read from a file.
std::vector<int> depths_of(const std::vector<forest::Node>& nodes) {
  std::vector<int> depths(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].is_leaf()) continue;
    const auto child = static_cast<std::size_t>(nodes[i].child);
    depths[child] = depths[child + 1] = depths[i] + 1;
  }
  return depths;
}

/// Restores the open nodes: the leaves among the last `num_open` leaf indices.
GrowingTree reopen(const forest::Tree& tree, std::size_t num_open, std::uint64_t level, const ErrorContext& place) {
  FW_CHECK(num_open <= tree.num_leaves(), Model,
           place.file << " has " << num_open << " open nodes, but the growing tree has " << tree.num_leaves()
                      << " leaves" << place.remedy);
  GrowingTree growing;
  growing.nodes = tree.nodes;
  growing.num_classes = tree.leaf_counts.cols();
  growing.leaf_counts.assign(tree.leaf_counts.begin(), tree.leaf_counts.end());
  growing.level = static_cast<int>(level);
  const std::vector<int> depths = depths_of(tree.nodes);
  const std::size_t num_closed = tree.num_leaves() - num_open;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (!tree.nodes[i].is_leaf() || static_cast<std::size_t>(tree.nodes[i].leaf_index()) < num_closed) continue;
    FW_CHECK(depths[i] == growing.level, Model,
             place.file << ": node " << i << " is open at depth " << depths[i] << ", not at level " << level
                        << " that is to be grown" << place.remedy);
    growing.open.push_back(static_cast<std::int32_t>(i));
  }
  return growing;
}

void check_same(const std::filesystem::path& path, const char* what, const std::string& was, const std::string& is) {
  if (was == is) return;
  const std::string difference = json_difference(was, is);
  throw Error(ErrorKind::kUsage, path.string() + ": this checkpoint was made with other " + what + ":" + difference +
                                     " give the same, or train without " + named_option("resume"));
}

}  // namespace

void check_checkpoint_path(const std::filesystem::path& path, bool resume) {
  if (path.empty()) return;
  check_writable(path, NamedBy::kFernwood);
  if (resume) return;  // reading it reports an unsuitable file
  check_replaced_checkpoint(path, kPixelModel, "a training",
                            [](const JsonField& header) { return header.at("options").has(kStateKey); });
}

void save_checkpoint(const GrowingForest& forest, const GrowingTree* growing, const std::filesystem::path& path) {
  forest::Forest saved = forest.model;
  saved.stages = {forest.trees};
  Json options = Json::parse(saved.options_json);
  Json& state = options[kStateKey] = {{"growing", growing != nullptr}, {"reading", Json::parse(forest.reading_json)}};
  if (growing) {
    state["level"] = growing->level;
    state["open"] = growing->open.size();
    saved.stages[0].push_back(growing->tree());
  }
  saved.options_json = json_text(options);
  forest::save_forest(saved, path, NamedBy::kFernwood);
}

Checkpoint read_checkpoint(const Bytes& bytes, const std::filesystem::path& path, const GrowingForest& expected) {
  const forest::Forest& model = expected.model;
  ErrorContext place = loading_checkpoint(path.string());
  forest::Forest saved = forest::read_forest(bytes, place);
  Json options = Json::parse(saved.options_json);
  FW_CHECK(options.contains(kStateKey), Model,
           path.string() << " is a finished model, not a checkpoint for " << named_option("resume")
                         << "; choose another file");
  const Json state_json = options[kStateKey];
  options.erase(kStateKey);
  place.document = "checkpoint";
  const JsonField state(state_json, "", place);
  check_same(path, "options", json_text(options), model.options_json);
  // Different settings give different pixels; the error names the settings rather than their effects.
  check_same(path, "settings of the data", state.at("reading").object(), expected.reading_json);
  check_same(path, "data", saved.provenance_json, model.provenance_json);
  FW_CHECK(saved.classes == model.classes && saved.preparation == model.preparation && saved.leaves == model.leaves,
           Usage,
           path.string() << ": this checkpoint was made with other classes, channels, backbone, camera or leaf "
                            "options; pass the same, or "
                            "train without "
                         << named_option("resume"));
  Checkpoint out{std::move(saved.labelling_trees()), {}};
  FW_CHECK(out.trees.size() <= expected.plan.size(), Model,
           place.file << " has " << out.trees.size() << " trees, but this training grows " << expected.plan.size()
                      << place.remedy);
  if (!state.at("growing").flag()) return out;
  FW_CHECK(model.kind != forest::ForestKind::kBoosted, Model,
           place.file << " has an unfinished tree, which a checkpoint of boosted trees never has" << place.remedy);
  FW_CHECK(!out.trees.empty(), Model, place.file << ": the growing tree is missing" << place.remedy);
  const forest::Tree tree = std::move(out.trees.back());
  out.trees.pop_back();
  out.growing =
      reopen(tree, state.at("open").whole(0, tree.num_leaves()), state.at("level").whole(0, tree.nodes.size()), place);
  return out;
}

void check_leaf_counts(const GrowingTree& growing, const SampleSet& samples, const std::vector<std::uint32_t>& leaf_of,
                       const std::filesystem::path& path, Ranks& ranks) {
  std::vector<std::uint32_t> counts(growing.leaf_counts.size(), 0);
  for (std::size_t s = 0; s < samples.size(); ++s) ++counts[leaf_of[s] * growing.num_classes + samples.labels[s]];
  ranks.sum_over_samples(std::span(counts));
  const auto [found, noted] = std::ranges::mismatch(counts, growing.leaf_counts);
  if (found == counts.end()) return;
  const auto at = static_cast<std::size_t>(found - counts.begin());
  throw Error(ErrorKind::kModel,
              path.string() + ": leaf " + std::to_string(at / growing.num_classes) + " held " + std::to_string(*noted) +
                  " samples of class " + std::to_string(at % growing.num_classes) + " when it was written, and holds " +
                  std::to_string(*found) + " now; the checkpoint is damaged or of another version: train without " +
                  named_option("resume"));
}

CheckpointKeeper::CheckpointKeeper(const TrainHooks& hooks, Ranks& ranks, TrainReport& report)
    : hooks_(hooks), ranks_(ranks), report_(report) {
  if (!hooks_.checkpoint.empty() && ranks_.leads()) lock_ = OutputLock(hooks_.checkpoint);
}

std::optional<GrowingTree> CheckpointKeeper::resume(GrowingForest& forest) {
  if (!hooks_.resume) return std::nullopt;
  const std::filesystem::path& path = hooks_.checkpoint;
  Bytes bytes;
  std::optional<Checkpoint> checkpoint;
  if (ranks_.leads() && std::filesystem::exists(path)) {
    bytes = read_file(path);
    checkpoint = read_checkpoint(bytes, path, forest);
    report_.has_checkpoint = true;
  }
  bytes = ranks_.from_first(std::move(bytes));
  // The other ranks check it like a file: training reads trees without further checks.
  if (!ranks_.leads() && !bytes.empty()) checkpoint = read_checkpoint(bytes, path, forest);
  if (!checkpoint) return std::nullopt;
  forest.trees = std::move(checkpoint->trees);
  return std::move(checkpoint->growing);
}

void CheckpointKeeper::save(const GrowingForest& forest, const GrowingTree* growing) {
  if (hooks_.checkpoint.empty() || !ranks_.leads()) return;
  report_.checkpoint_failure.clear();
  try {
    save_checkpoint(forest, growing, hooks_.checkpoint);
    report_.has_checkpoint = true;
  } catch (const Error& failure) {
    report_.checkpoint_failure = failure.what();
  } catch (const std::bad_alloc&) {
    report_.checkpoint_failure = hooks_.checkpoint.string() + ": memory ran out while it was written";
  }
  last_saved_ = seconds_now();
}

void CheckpointKeeper::save_if_due(const GrowingForest& forest, const GrowingTree* growing) {
  if (seconds_now() - last_saved_ >= hooks_.checkpoint_every_s) save(forest, growing);
}

}  // namespace fernwood::train
