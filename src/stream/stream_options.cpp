// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/stream_options.h"

#include <nlohmann/json.hpp>

#include "core/check_range.h"
#include "core/option_text.h"
#include "fernwood/core/error.h"

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

void StreamOptions::check() const {
  check_range("bins", bins, 2, 255);
  check_range("max-depth", max_depth, 1, 24);
  check_range("max-leaves", max_leaves, 0, 1 << 24);
  FW_CHECK(max_leaves != 1, Usage, "--max-leaves is 1; give at least 2, or 0 for no limit");
  check_range("min-samples", min_samples, 2, 2147483647);
  check_range("min-leaf-samples", min_leaf_samples, 1, 2147483647);
  check_range("min-gain", min_gain, 0, 1e9);
  check_range("samples-per-leaf", samples_per_leaf, 1, 1000000000);
  check_range("batch", batch, 1, 1000000000);
  check_range("grace-period", grace_period, 1, 1000000000);
  FW_CHECK(failure_probability >= 0 && failure_probability < 1, Usage,
           "--failure-probability is " << failure_probability << "; give a number from 0, for no bound, to below 1");
  check_range("tie", tie, 0, 1e9);
}

namespace {

const std::vector<TextOption<StreamOptions>>& text_rows() {
  using O = StreamOptions;
  static const std::vector<TextOption<O>> kRows = {
      choice_option<O>(
          "schedule", [](O & o) -> auto& { return o.schedule; }, kSchedules),
      choice_option<O>(
          "criterion", [](O & o) -> auto& { return o.criterion; }, records::kCriteria),
      text_option<O>(
          "bins", [](O & o) -> auto& { return o.bins; }),
      text_option<O>(
          "max-depth", [](O & o) -> auto& { return o.max_depth; }),
      text_option<O>(
          "max-leaves", [](O & o) -> auto& { return o.max_leaves; }),
      text_option<O>(
          "min-samples", [](O & o) -> auto& { return o.min_samples; }),
      text_option<O>(
          "min-leaf-samples", [](O & o) -> auto& { return o.min_leaf_samples; }),
      text_option<O>(
          "min-gain", [](O & o) -> auto& { return o.min_gain; }),
      text_option<O>(
          "samples-per-leaf", [](O & o) -> auto& { return o.samples_per_leaf; }),
      text_option<O>(
          "batch", [](O & o) -> auto& { return o.batch; }),
      text_option<O>(
          "grace-period", [](O & o) -> auto& { return o.grace_period; }),
      text_option<O>(
          "failure-probability", [](O & o) -> auto& { return o.failure_probability; }),
      text_option<O>(
          "tie", [](O & o) -> auto& { return o.tie; }),
      text_option<O>(
          "prune", [](O & o) -> auto& { return o.prune; })};
  return kRows;
}

}  // namespace

void set_options(const OptionTexts& texts, StreamOptions& options) {
  for (const auto& [name, text] : texts)
    if (name == "schedule") options = StreamOptions::for_schedule(parse_name("schedule", text, kSchedules));
  for (const auto& [name, text] : texts) set_option(text_rows(), name, text, options);
}

std::vector<std::string> option_names() { return names_of(text_rows()); }

std::string to_json(const StreamOptions& options) {
  return nlohmann::json{{"schedule", to_string(options.schedule)},
                        {"sketch", "log-linear"},
                        {"criterion", to_string(options.criterion)},
                        {"bins", options.bins},
                        {"max_depth", options.max_depth},
                        {"max_leaves", options.max_leaves},
                        {"min_samples", options.min_samples},
                        {"min_leaf_samples", options.min_leaf_samples},
                        {"min_gain", options.min_gain},
                        {"samples_per_leaf", options.samples_per_leaf},
                        {"batch", options.batch},
                        {"grace_period", options.grace_period},
                        {"failure_probability", options.failure_probability},
                        {"tie", options.tie},
                        {"prune", options.prune}}
      .dump();
}

}  // namespace fernwood::stream
