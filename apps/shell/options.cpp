// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/options.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "apps/shell/console.h"
#include "apps/shell/table_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "fernwood/teach/project.h"

namespace fernwood::apps {

std::pair<int, int> parse_pixel(const std::string& text) {
  int x = 0, y = 0;
  char rest = 0;
  require_option(std::sscanf(text.c_str(), "%d,%d%c", &x, &y, &rest) == 2, "at", in_quotes(text),
                 "write column,row of a pixel, counted from 0, for example 320,240");
  return {x, y};
}

void DatasetArguments::add_to(CLI::App& command) {
  command.add_option("--data", data, "Folder of frames: NAME_colors.png, NAME_depth.png, NAME_ground_truth.png")
      ->required()
      ->option_text("DIR");
  add_table(command, given);
}

dataset::DatasetOptions DatasetArguments::options(bool needs_truth) const {
  dataset::DatasetOptions options = given;
  options.needs_truth = needs_truth;
  return options;
}

dataset::Dataset DatasetArguments::open(bool needs_truth, const std::string& split_hint, bool tells) const {
  ProgressBar bar;
  if (needs_truth) teach::bring_truth_up_to_date(data, bar.counter("carrying labels"));
  return open_frames(data, options(needs_truth), split_hint, tells);
}

void warn_of_other_splits(const std::filesystem::path& folder, const dataset::Dataset& taken) {
  std::error_code ignored;
  if (std::filesystem::equivalent(folder, taken.folder(), ignored)) return;
  const std::string used = taken.folder().filename().string();
  std::vector<std::string> others;
  for (const char* split : {"train", "test", "val", "validation"})
    if (split != used && std::filesystem::is_directory(folder / split, ignored)) others.emplace_back(split);
  if (others.empty()) return;
  spdlog::warn("{}: the frames of {} are taken, those of {} are not; name each folder by itself", folder.string(), used,
               join(others));
}

dataset::Dataset open_frames(const std::filesystem::path& folder, const dataset::DatasetOptions& options,
                             const std::string& split_hint, bool tells) {
  dataset::Dataset data = dataset::Dataset::open(folder, options, split_hint);
  if (tells) warn_each(data.input_warnings());
  return data;
}

dataset::Dataset open_with_known_truth(const std::filesystem::path& folder, const dataset::DatasetOptions& options,
                                       const std::string& split_hint, bool tells) {
  ProgressBar bar;
  teach::bring_truth_up_to_date(folder, bar.counter("carrying labels"));
  dataset::Dataset data = open_frames(folder, options, split_hint, tells);
  data.check_truth_is_current();
  return data;
}

void TrainArguments::add_to(CLI::App& command) {
  command_ = &command;
  const TakeOption take = append_to(given_);
  add_table(command, train::PresetChoice(), take);
  add_table(command, options, take);
  add_table(command, resources, take);
}

void TrainArguments::finish() {
  train::set_options(given_, options, resources);
  options.check();
  const bool is_boosted = options.algorithm == forest::ForestKind::kBoosted;
  check_dependents(*command_, {is_boosted ? Dependents{{"--score"}, {"--algorithm forest", "--algorithm ferns"}}
                                          : Dependents{{"--learning-rate"}, {"--algorithm boosted"}}});
}

void add_model_option(CLI::App& command, std::filesystem::path& model) {
  command.add_option("--model", model, "Model file")->required()->option_text("FILE");
}

void add_threads_option(CLI::App& command, int& threads) {
  OptionInfo row = describe_option(*find_option(train::TrainResources::table(), "threads"), {.threads = threads});
  row.group = {};
  add_row(command, row,
          [&threads](const std::string& name, const std::string& text) { parse_option(name, text, threads); });
}

void add_device_options(CLI::App& command, train::TrainResources& resources) {
  add_row(command, resources, "device",
          "auto, cpu, cuda or cuda:N; for train, predict and evaluate also cuda:0,1 or cuda:all");
  add_threads_option(command, resources.threads);
}

std::string size_text(const dataset::FrameSize& size) {
  return std::to_string(size.cols) + "x" + std::to_string(size.rows);
}

void add_size_option(CLI::App& command, const std::string& name, dataset::FrameSize& size, const std::string& help) {
  const auto set = [name, &size](const std::string& text) {
    int width = 0, height = 0;
    char rest = 0;
    const bool is_read = std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) == 2;
    require_option(is_read && width >= 0 && height >= 0, name, in_quotes(text),
                   "write width x height, for example 640x480");
    size = {static_cast<std::size_t>(height), static_cast<std::size_t>(width)};
  };
  command.add_option_function<std::string>("--" + name, set, help)->option_text("WxH (" + size_text(size) + ")");
}

void check_size(const std::string& name, const dataset::FrameSize& size) {
  constexpr std::size_t kMostPixels = 16384;
  const auto fits = [](std::size_t side) { return side >= 1 && side <= kMostPixels; };
  require_option(fits(size.cols) && fits(size.rows), name, size_text(size),
                 "give a width and a height from 1 to " + std::to_string(kMostPixels) + " pixels");
}

void add_json_flag(CLI::App& command, bool& json) { command.add_flag("--json", json, "Print JSON"); }

std::string check_not_negative(const std::string& text) {
  return text.starts_with("-") ? text + " is negative; give 0 or more" : "";
}

std::vector<Dependents> label_dependents(const std::vector<std::string>& also) {
  std::vector<Dependents> all = {{{"--smooth-color", "--smooth-depth"}, {"--smooth", "--steady"}}};
  for (Dependents& some : all) some.partners.insert(some.partners.end(), also.begin(), also.end());
  return all;
}

void check_dependents(const CLI::App& command, const std::vector<Dependents>& all) {
  const auto is_given = [&](const std::string& text) {
    const std::size_t blank = text.find(' ');
    const CLI::Option* const option = command.get_option(text.substr(0, blank));
    return option->count() > 0 && (blank == text.npos || option->results().back() == text.substr(blank + 1));
  };
  for (const Dependents& some : all) {
    if (std::ranges::any_of(some.partners, is_given)) continue;
    const auto name = std::ranges::find_if(some.names, is_given);
    FW_CHECK(name == some.names.end(), Usage,
             *name << " has no effect without " << list_names(some.partners) << "; give "
                   << (some.partners.size() > 1 ? "one of them" : "that") << ", too, or leave " << *name << " out");
  }
}

void add_predict_options(CLI::App& command, predict::PredictOptions& options) {
  add_table(command, options);
  add_table(command, options.smoothing);
}

void add_labelling_options(CLI::App& command, predict::PredictOptions& options) {
  add_table(command, options, {"device", "threads", "layout"});
  add_table(command, options.smoothing);
}

}  // namespace fernwood::apps
