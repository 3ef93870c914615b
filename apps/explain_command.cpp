// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Why a pixel gets its class, and which channels matter: explain and importance.

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <utility>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/evaluate/explain.h"
#include "fernwood/forest/forest.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/report/evaluation.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace fs = std::filesystem;

namespace {

struct ExplainArguments {
  fs::path model, data, html;
  SingleFrame single;
  encoder::EncoderOptions encoder;
  std::string frame, at;
  bool json = false;

  void add_to(CLI::App& command) {
    add_model_option(command, model);
    command.add_option("--data", data, "Folder of frames; ground truth is not needed")->option_text("DIR");
    command.add_option("--frame", frame, "Name of a frame there: the part before _colors")->option_text("NAME");
    single.add_options(command);
    add_table(command, encoder);
    command.add_option("--at", at, "Column and row of the pixel, counted from 0")->required()->option_text("X,Y");
    command.add_option("--html", html, "Also write a page that shows every split on the frame")->option_text("FILE");
    add_json_flag(command, json);
  }
  CommandFiles files() const { return {.reads = {{"--model", model}, {"--data", data}}, .writes = {{"--html", html}}}; }
};

/// Column and row of --at "320,240". @throws Error(kUsage).
std::pair<int, int> parse_pixel(const std::string& text) {
  int x = 0, y = 0;
  char rest = 0;
  require_option(std::sscanf(text.c_str(), "%d,%d%c", &x, &y, &rest) == 2, "at", in_quotes(text),
                 "write column,row of a pixel, counted from 0, for example 320,240");
  return {x, y};
}

struct NamedFrame {
  std::string name;
  image::Frame frame;
};

std::size_t find_frame(const dataset::Dataset& dataset, const std::string& name) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < dataset.size(); ++i) names.push_back(dataset.files(i).name);
  const auto found = std::find(names.begin(), names.end(), name);
  FW_CHECK(found != names.end(), Usage,
           dataset.folder().string() << " has no frame \"" << name << "\"" << did_you_mean(name, names) << "; its "
                                     << names.size() << " frames go from " << names.front() << " to " << names.back());
  return static_cast<std::size_t>(found - names.begin());
}

NamedFrame read_from_folder(const ExplainArguments& arguments, const forest::Forest& forest) {
  dataset::DatasetOptions options;
  options.needs_truth = false;
  const dataset::Dataset dataset =
      encoded_for(forest, arguments.model, arguments.encoder, open_frames(arguments.data, options, "test"));
  predict::check_images(forest, dataset.content(), dataset.folder().string());
  return {arguments.frame, dataset.read_frame(find_frame(dataset, arguments.frame))};
}

NamedFrame read_from_files(const ExplainArguments& arguments, const forest::Forest& forest) {
  NamedFrame named;
  warn_about_input(arguments.single.depth);
  named.name = arguments.single.name_giver().filename().string();
  named.frame = arguments.single.read(forest, arguments.model, arguments.encoder);
  return named;
}

void run(const ExplainArguments& arguments) {
  const bool single = arguments.single.is_given();
  FW_CHECK(single != !arguments.data.empty() && single == arguments.frame.empty(), Usage,
           "use either --data with a folder of frames and --frame with a name, or one frame by --color and --depth");
  const auto [x, y] = parse_pixel(arguments.at);
  const forest::Forest forest = forest::load_forest(arguments.model);
  const NamedFrame named = single ? read_from_files(arguments, forest) : read_from_folder(arguments, forest);
  const evaluate::PixelExplanation pixel =
      evaluate::explain_known(forest, named.frame, x, y, arguments.model.string(), named.name);
  if (!arguments.html.empty())
    write_file_atomically(arguments.html, NamedBy::kUser, report::explanation_page(pixel, named.frame));
  std::cout << (arguments.json ? report::explanation_json(pixel) : report::explanation_table(pixel, use_color(stdout)));
}

struct ImportanceArguments {
  DatasetArguments dataset;
  encoder::EncoderOptions encoder;
  std::filesystem::path model;
  std::uint64_t seed = evaluate::kExchangeSeed;
  int threads = 0;
  bool json = false;

  void add_to(CLI::App& command) {
    add_model_option(command, model);
    dataset.add_to(command);
    add_table(command, encoder);
    add_number(command, "--seed", seed, "Which frames exchange channels");
    add_threads_option(command, threads);
    add_json_flag(command, json);
  }
};

void run(const ImportanceArguments& arguments) {
  const forest::Forest forest = forest::load_forest(arguments.model);
  const dataset::Dataset dataset =
      encoded_for(forest, arguments.model, arguments.encoder, arguments.dataset.open(true, "test"));
  ThreadPool pool(arguments.threads);
  warn_each(dataset.class_warnings(pool, forest.classes));
  ProgressBar bar;
  evaluate::ImportanceReport report;
  report.model = arguments.model.string();
  report.dataset = dataset.folder().string();
  report.permutation =
      evaluate::permutation_importance(forest, dataset, arguments.seed, pool, bar.counter("labelling"));
  bar.clear();
  std::cout << (arguments.json ? report::importance_json(report) : report::importance_table(report, use_color(stdout)));
}

}  // namespace

void add_explain_command(CLI::App& app) {
  add_command<ExplainArguments>(
      app, {.name = "explain",
            .summary = "Explain the class of a pixel",
            .example = "fernwood explain --model rooms.fernwood --data rooms/test --frame scene0160 --at 320,240 "
                       "--html why.html",
            .dependents = {kEncoderDependents},
            .files = &ExplainArguments::files,
            .run = run});
}

void add_importance_command(CLI::App& app) {
  add_command<ImportanceArguments>(
      app, {.name = "importance",
            .summary = "Measure which channels a forest needs",
            .example = "fernwood importance --model rooms.fernwood --data rooms/test --max-frames 50",
            .dependents = {kEncoderDependents},
            .run = run});
}

}  // namespace fernwood::apps
