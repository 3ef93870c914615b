// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/options.h"

#include <cstdio>

#include "apps/shell/table_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "fernwood/teach/project.h"

namespace fernwood::apps {

namespace {

/// Whether two names are of one file, there or not.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(a, ignored) == std::filesystem::weakly_canonical(b, ignored);
}

}  // namespace

void check_output_files(const std::vector<OutputFile>& outputs, const std::filesystem::path& model) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [option, path] = outputs[i];
    if (path.empty()) continue;
    FW_CHECK(!is_same_file(path, model), Usage, option << " " << path.string() << " is the model; give another name");
    for (std::size_t j = 0; j < i; ++j)
      FW_CHECK(
          outputs[j].second.empty() || !is_same_file(path, outputs[j].second), Usage,
          outputs[j].first << " and " << option << " name the same file, " << path.string() << "; give each its own");
    check_writable(path, NamedBy::kUser);
  }
}

image::Rgb parse_color(const std::string& text) {
  int r = -1, g = -1, b = -1;
  char rest = 0;
  const bool read = std::sscanf(text.c_str(), "#%2x%2x%2x%c", reinterpret_cast<unsigned*>(&r),
                                reinterpret_cast<unsigned*>(&g), reinterpret_cast<unsigned*>(&b), &rest) == 3 ||
                    std::sscanf(text.c_str(), "%d,%d,%d%c", &r, &g, &b, &rest) == 3;
  const auto in_range = [](int value) { return value >= 0 && value <= 255; };
  FW_CHECK(read && in_range(r) && in_range(g) && in_range(b), Usage,
           "\"" << text << "\" is not a colour; write red,green,blue from 0 to 255 or #rrggbb");
  return {static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g), static_cast<std::uint8_t>(b)};
}

std::pair<int, int> parse_size(const std::string& text) {
  int width = 0, height = 0;
  char rest = 0;
  FW_CHECK(std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) == 2, Usage,
           "\"" << text << "\" is not a size; write width x height, for example 640x480");
  return {width, height};
}

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
  command
      .add_option("--ignore-color", ignored_colors,
                  "Additional ground-truth colour for void, besides black; may be repeated")
      ->option_text("R,G,B");
  add_number(command, "--max-frames", max_frames, "Use at most N frames, evenly spread; 0: all");
}

dataset::DatasetOptions DatasetArguments::options(bool needs_truth) const {
  dataset::DatasetOptions options;
  for (const std::string& color : ignored_colors) options.ignored_colors.push_back(parse_color(color));
  options.needs_truth = needs_truth;
  options.max_frames = max_frames;
  return options;
}

dataset::Dataset DatasetArguments::open(bool needs_truth, const std::string& split_hint) const {
  if (needs_truth) teach::bring_truth_up_to_date(data);
  return dataset::Dataset::open(data, options(needs_truth), split_hint);
}

dataset::Dataset open_with_known_truth(const std::filesystem::path& folder, const dataset::DatasetOptions& options,
                                       const std::string& split_hint) {
  teach::bring_truth_up_to_date(folder);
  dataset::Dataset data = dataset::Dataset::open(folder, options, split_hint);
  data.check_truth_is_current();
  return data;
}

void TrainArguments::add_to(CLI::App& command) {
  const TakeOption take = append_to(given_);
  add_table(command, train::PresetChoice(), take);
  add_table(command, options, take);
  add_table(command, resources, take);
}

void TrainArguments::finish() {
  train::set_options(given_, options, resources);
  options.check();
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

void add_json_flag(CLI::App& command, bool& json) { command.add_flag("--json", json, "Print JSON"); }

std::string check_not_negative(const std::string& text) {
  return text.starts_with("-") ? text + " is negative; give 0 or more" : "";
}

void add_predict_options(CLI::App& command, predict::PredictOptions& options) {
  add_table(command, options);
  add_table(command, options.smoothing);
}

void add_labelling_options(CLI::App& command, predict::PredictOptions& options) {
  add_table(command, options, {"device", "threads", "layout", "gather"});
  add_table(command, options.smoothing);
}

}  // namespace fernwood::apps
