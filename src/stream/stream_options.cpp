// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/stream_options.h"

#include <nlohmann/json.hpp>

#include "core/option_json.h"
#include "fernwood/core/option_error.h"

namespace fernwood::stream {

std::string to_string(Schedule schedule) {
  constexpr std::array kNames = {"passes", "fresh", "hoeffding"};
  return kNames[static_cast<std::size_t>(schedule)];
}

std::string to_string(Parallel parallel) {
  constexpr std::array kNames = {"sequential", "node", "feature", "data", "data-feature"};
  return kNames[static_cast<std::size_t>(parallel)];
}

StreamOptions StreamOptions::for_schedule(Schedule schedule) {
  StreamOptions options;
  options.schedule = schedule;
  if (schedule == Schedule::kHoeffding) options.failure_probability = 1e-7;
  return options;
}

namespace {

using O = StreamOptions;

constexpr std::array kRows = {
    choice_option<kSchedules, &O::schedule>(
        "schedule",
        "Which records a level is grown from: all again (passes), new ones (fresh), or new ones until the "
        "Hoeffding bound decides (hoeffding)")
        .in_model("schedule"),
    choice_option<records::kCriteria, &O::criterion>("criterion", "Split criterion").in_model("criterion"),
    option<&O::bins>("bins", "Histogram bins per attribute and leaf").in(from_to(2, 255)).in_model("bins"),
    option<&O::max_depth>("max-depth", "Maximum depth of the tree: levels below the root")
        .in(from_to(1, 24))
        .in_model("max_depth"),
    option<&O::max_leaves>("max-leaves", "Maximum number of leaves, best splits of a level first; 0: no limit")
        .in(from_to(0, 1 << 24))
        .in_model("max_leaves"),
    option<&O::min_samples>("min-samples", "A leaf with fewer records is not split")
        .in(at_least(2))
        .in_model("min_samples"),
    option<&O::min_leaf_samples>("min-leaf-samples", "Minimum number of records on each side of a split")
        .in(at_least(1))
        .in_model("min_leaf_samples"),
    option<&O::min_gain>("min-gain", "Minimum decrease of impurity by a split")
        .in(from_to(0, 1e9))
        .in_model("min_gain"),
    option<&O::samples_per_leaf>("samples-per-leaf", "Schedule fresh: records read per open leaf and level")
        .in(from_to(1, 1000000000))
        .in_model("samples_per_leaf"),
    option<&O::batch>("batch", "Schedule hoeffding: records between two rounds of decisions")
        .in(from_to(1, 1000000000))
        .in_model("batch"),
    option<&O::grace_period>("grace-period", "Schedule hoeffding: records that a leaf sees between two decisions")
        .in(from_to(1, 1000000000))
        .in_model("grace_period"),
    option<&O::failure_probability>("failure-probability", "Of the Hoeffding bound; 0: no bound")
        .in(from_below(0, 1))
        .default_means("0; with hoeffding 1e-7")
        .in_model("failure_probability"),
    option<&O::tie>("tie", "Attributes whose gains differ by less are equally good")
        .in(from_to(0, 1e9))
        .in_model("tie"),
    option<&O::prune>("prune", "Prune at the end by minimum description length").in_model("prune"),
};

}  // namespace

OptionTable<StreamOptions> StreamOptions::table() { return kRows; }

void StreamOptions::check() const {
  check_options(table(), *this);
  if (max_leaves == 1) throw OptionError("max-leaves", "1", "give at least 2, or 0 for no limit");
}

void set_options(const OptionTexts& texts, StreamOptions& options) {
  for (const auto& [name, text] : texts)
    if (name == "schedule") options = StreamOptions::for_schedule(parse_name("schedule", text, kSchedules));
  for (const auto& [name, text] : texts) set_option(name, text, options);
}

std::string to_json(const StreamOptions& options) {
  nlohmann::json json = model_json(StreamOptions::table(), options);
  json["sketch"] = "log-linear";
  return json.dump();
}

}  // namespace fernwood::stream
