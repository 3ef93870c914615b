// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/option_text.h"

#include <array>
#include <optional>

#include "fernwood/train/options.h"

namespace fernwood::train {

namespace {

/// What texts set.
struct TextTarget {
  TrainOptions& options;
  TrainResources& resources;
  std::optional<std::string> preset = {}, kind = {};
};

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names(1);
  for (const char c : text) {
    if (c == ',')
      names.emplace_back();
    else if (c != ' ')
      names.back() += c;
  }
  std::erase(names, "");
  return names;
}

using Row = TextOption<TextTarget>;

template <typename Member>
Row option_row(const char* name, Member member) {
  return text_option<TextTarget>(
      name, [member](TextTarget & to) -> auto& { return member(to.options); });
}

template <typename Member, typename Values>
Row named_row(const char* name, Member member, const Values& values) {
  return choice_option<TextTarget>(
      name, [member](TextTarget & to) -> auto& { return member(to.options); }, values);
}

const std::vector<Row>& text_rows() {
  using O = TrainOptions;
  static const std::vector<Row> rows = {
      {"preset", [](const std::string& text, TextTarget& to) { to.preset = text; }},
      {"kind", [](const std::string& text, TextTarget& to) { to.kind = text; }},
      option_row(
          "trees", [](O & o) -> auto& { return o.trees; }),
      option_row(
          "samples-per-frame", [](O & o) -> auto& { return o.samples_per_frame; }),
      option_row(
          "features", [](O & o) -> auto& { return o.features; }),
      option_row(
          "thresholds", [](O & o) -> auto& { return o.thresholds; }),
      option_row(
          "max-depth", [](O & o) -> auto& { return o.max_depth; }),
      option_row(
          "min-samples", [](O & o) -> auto& { return o.min_samples; }),
      option_row(
          "learning-rate", [](O & o) -> auto& { return o.learning_rate; }),
      option_row(
          "box-radius", [](O & o) -> auto& { return o.box_radius; }),
      option_row(
          "region-size", [](O & o) -> auto& { return o.region_size; }),
      option_row(
          "absolute-share", [](O & o) -> auto& { return o.absolute_share; }),
      option_row(
          "stages", [](O & o) -> auto& { return o.stages; }),
      option_row(
          "folds", [](O & o) -> auto& { return o.folds; }),
      option_row(
          "seed", [](O & o) -> auto& { return o.seed; }),
      option_row(
          "frames-per-tree", [](O & o) -> auto& { return o.frames_per_tree; }),
      option_row(
          "stop-when-flat", [](O & o) -> auto& { return o.stop_when_flat; }),
      named_row(
          "sampling", [](O & o) -> auto& { return o.sampling; }, kSamplings),
      named_row(
          "candidates", [](O & o) -> auto& { return o.candidates; }, kCandidateScopes),
      named_row(
          "threshold-source", [](O & o) -> auto& { return o.threshold_source; }, kThresholdSources),
      named_row(
          "score", [](O & o) -> auto& { return o.score; }, kScoreKinds),
      option_row(
          "flip", [](O & o) -> auto& { return o.flip; }),
      {"channels", [](const std::string& text, TextTarget& to) { to.options.channels = split_names(text); }},
      named_row(
          "depth-filling", [](O & o) -> auto& { return o.depth_filling; }, image::kDepthFillings),
      option_row(
          "reweight", [](O & o) -> auto& { return o.leaves.reweight; }),
      option_row(
          "histogram-bias", [](O & o) -> auto& { return o.leaves.histogram_bias; }),
      option_row(
          "class-weights", [](O & o) -> auto& { return o.class_weights; }),
      text_option<TextTarget>(
          "device", [](TextTarget & to) -> auto& { return to.resources.device; }),
      text_option<TextTarget>(
          "threads", [](TextTarget & to) -> auto& { return to.resources.threads; }),
      {"memory-budget",
       [](const std::string& text,
          TextTarget&
              to) { to.resources.memory_budget_bytes = parse_bytes(text, "--memory-budget", kLeastMemoryBytes); }},
      {"gpu-memory", [](const std::string& text, TextTarget& to) {
         to.resources.gpu_memory_bytes = parse_bytes(text, "--gpu-memory", kLeastMemoryBytes);
       }}};
  return rows;
}

/// What a training begins with, before other options change it.
TrainOptions beginning(const std::optional<std::string>& preset, const std::optional<std::string>& kind,
                       const TrainOptions& options) {
  TrainOptions begun = options;
  std::vector<std::string> names;
  for (const Preset& known : presets()) names.emplace_back(known.name);
  if (preset) begun = presets()[find_name("preset", *preset, names)].options;
  if (!kind) return begun;
  const forest::ForestKind chosen = parse_name("kind", *kind, forest::kForestKinds);
  if (!preset) begun = defaults_of(chosen);
  begun.kind = chosen;
  return begun;
}

}  // namespace

void set_options(const OptionTexts& texts, TrainOptions& options, TrainResources& resources) {
  TrainOptions unused;
  TrainResources none;
  TextTarget first{unused, none};
  for (const auto& [name, text] : texts) set_option(text_rows(), name, text, first);
  options = beginning(first.preset, first.kind, options);
  TextTarget target{options, resources};
  for (const auto& [name, text] : texts) set_option(text_rows(), name, text, target);
}

std::vector<std::string> option_names() { return names_of(text_rows()); }

}  // namespace fernwood::train
