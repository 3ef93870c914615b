// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "apps/commands.h"
#include "apps/shell/console.h"
#include "apps/shell/options.h"
#include "apps/shell/table_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/scratch_folder.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/check.h"
#include "fernwood/dataset/export_labels.h"
#include "fernwood/dataset/import.h"
#include "fernwood/dataset/import_nyu.h"
#include "fernwood/forest/model_file.h"
#include "fernwood/generate/generate.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/report/description.h"
#include "fernwood/teach/project.h"

namespace fernwood::apps {

namespace {

namespace fs = std::filesystem;

struct GenerateArguments {
  generate::GenerateOptions options;
  fs::path out;
  std::string size = "640x480";
  int threads = 0;
};

void run_generate(GenerateArguments arguments) {
  std::tie(arguments.options.width, arguments.options.height) = parse_size(arguments.size);
  ThreadPool pool(arguments.threads);
  ProgressBar bar;
  generate::generate_dataset(arguments.out, arguments.options, pool, bar.counter("generating"));
  bar.clear();
  std::cout << arguments.options.frames << (arguments.options.frames == 1 ? " frame" : " frames")
            << " to train on: " << shown(arguments.out / "train");
  if (arguments.options.test_frames > 0)
    std::cout << ", " << arguments.options.test_frames << " to test on: " << shown(arguments.out / "test");
  std::cout << "\nnext    fernwood train --data " << shell_word(arguments.out / "train") << " --out FILE\n";
}

void add_generate(CLI::App& parent) {
  auto arguments = std::make_shared<GenerateArguments>();
  CLI::App* command = parent.add_subcommand("generate", "Render synthetic indoor scenes")->fallthrough();
  command->add_option("--out", arguments->out, "Folder for train/ and test/")->required()->option_text("DIR");
  command->add_option("--size", arguments->size, "Width x height in pixels")->option_text("WxH (640x480)");
  add_table(*command, arguments->options);
  add_threads_option(*command, arguments->threads);
  command->footer("\nExample:\n  fernwood dataset generate --out rooms --frames 40 --test-frames 10 --seed 1");
  command->callback([arguments] { run_generate(*arguments); });
}

struct CheckArguments {
  DatasetArguments dataset;
  fs::path html;
  bool json = false;
  int threads = 0;
};

void run_check(const CheckArguments& arguments) {
  if (!arguments.html.empty()) check_writable(arguments.html);
  ThreadPool pool(arguments.threads);
  ProgressBar bar;
  teach::bring_truth_up_to_date(arguments.dataset.data);
  const dataset::DatasetReport report = dataset::check_dataset(arguments.dataset.data, arguments.dataset.options(true),
                                                               pool, bar.counter("checking"), "train");
  bar.clear();
  if (!arguments.html.empty())
    write_file_atomically(arguments.html, [&](std::ostream& out) { out << report::dataset_page(report, pool); });
  std::cout << (arguments.json ? report::dataset_json(report) : report::dataset_table(report)) << std::flush;
  FW_CHECK(report.num_errors() == 0, Data,
           arguments.dataset.data.string()
               << ": " << report.num_errors() << (report.num_errors() == 1 ? " error was" : " errors were")
               << " found; fix the problems listed above");
}

void add_check(CLI::App& parent) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = parent.add_subcommand("check", "Check a data set for errors")->fallthrough();
  arguments->dataset.add_to(*command);
  command->add_option("--html", arguments->html, "Also write a page with thumbnails")->option_text("FILE");
  add_json_flag(*command, arguments->json);
  add_threads_option(*command, arguments->threads);
  command->footer("\nExample:\n  fernwood dataset check --data rooms/train --html rooms.html");
  command->callback([arguments] { run_check(*arguments); });
}

struct ImportNyuArguments {
  dataset::ImportNyuOptions options;
  int threads = 0;
};

void run_import_nyu(const ImportNyuArguments& arguments) {
  ThreadPool pool(arguments.threads);
  ProgressBar bar;
  dataset::import_nyu(arguments.options, pool, bar.counter("importing"));
  bar.clear();
  std::cout << "NYU Depth v2 is in " << shown(arguments.options.out) << "\nnext    fernwood dataset check --data "
            << shell_word(arguments.options.out / "train") << "\n";
}

struct ImportArguments {
  dataset::ImportOptions options;
  std::string format;
  fs::path out, html;
  double depth_scale = 0;
  bool dry_run = false;
  int threads = 0;
};

/// What was found, for people.
void tell_plan(const dataset::ImportPlan& plan) {
  std::map<std::string, std::size_t> splits;
  std::size_t num_labelled = 0, num_depth = 0;
  for (const dataset::ImportedFrame& frame : plan.frames) {
    ++splits[frame.split];
    num_labelled += frame.labels ? 1 : 0;
    num_depth += !frame.depth.empty() || frame.read_depth_mm ? 1 : 0;
  }
  std::cout << plan.frames.size() << (plan.frames.size() == 1 ? " frame" : " frames");
  if (splits.size() > 1 || !splits.contains(""))
    std::cout << " (" << join(splits, ", ", [](const auto& split) {
      return (split.first.empty() ? "no split" : split.first) + " " + std::to_string(split.second);
    }) << ")";
  std::cout << ", " << num_labelled << " with labels, " << num_depth << " with depth\n";
  if (!plan.config.classes.empty())
    std::cout << plan.config.classes.size() << " classes: "
              << join(std::span(plan.config.classes).first(std::min<std::size_t>(plan.config.classes.size(), 40)), ", ",
                      [](const image::ClassInfo& info) { return info.name; })
              << (plan.config.classes.size() > 40 ? " ..." : "") << "\n";
  for (const std::string& note : plan.notes) std::cout << "note: " << note << "\n";
}

/// A page of some frames as they will be, written by importing these alone into a folder that is gone afterwards.
void write_preview(const dataset::ImportPlan& plan, const fs::path& html, ThreadPool& pool) {
  constexpr std::size_t kMostFrames = 24;
  dataset::ImportPlan some = plan;
  some.frames.clear();
  const std::size_t count = std::min(plan.frames.size(), kMostFrames);
  for (std::size_t i = 0; i < count; ++i) {
    some.frames.push_back(plan.frames[i * plan.frames.size() / count]);
    some.frames.back().split.clear();
  }
  const ScratchFolder scratch;
  const fs::path folder = scratch.path() / "preview";
  dataset::write_import(some, folder, pool);
  dataset::DatasetOptions options;
  options.needs_truth = false;
  const dataset::DatasetReport report = dataset::check_dataset(folder, options, pool, {}, "train");
  write_file_atomically(html, [&](std::ostream& out) { out << report::dataset_page(report, pool); });
}

void run_import(const ImportArguments& arguments) {
  dataset::ImportOptions options = arguments.options;
  if (arguments.depth_scale != 0) {
    FW_CHECK(arguments.depth_scale > 0, Usage,
             "--depth-scale is " << arguments.depth_scale << "; give the millimetres per step, such as 0.2");
    options.depth_scale_to_mm = arguments.depth_scale;
  }
  FW_CHECK(arguments.dry_run || !arguments.out.empty(), Usage,
           "--out is missing; name the folder to write, or give --dry-run to see what would be written");
  if (!arguments.html.empty()) check_writable(arguments.html);
  const dataset::ImportPlan plan = dataset::plan_import(arguments.format, options);
  ThreadPool pool(arguments.threads);
  tell_plan(plan);
  if (!arguments.html.empty()) write_preview(plan, arguments.html, pool);
  if (arguments.dry_run) return;
  ProgressBar bar;
  dataset::write_import(plan, arguments.out, pool, bar.counter("importing"));
  bar.clear();
  const bool has_train = std::ranges::any_of(plan.frames, [](const auto& frame) { return frame.split == "train"; });
  std::cout << "written to " << shown(arguments.out) << "\nnext    fernwood dataset check --data "
            << shell_word(has_train ? arguments.out / "train" : arguments.out) << "\n";
}

/// A command of each row of the table.
void add_formats(CLI::App& import) {
  for (const dataset::ImportFormat& format : dataset::import_formats()) {
    auto arguments = std::make_shared<ImportArguments>();
    arguments->format = format.name;
    const std::string name(format.name);
    CLI::App* command = import.add_subcommand(name, std::string(format.summary))->fallthrough();
    command->add_option("in", arguments->options.in, std::string(format.reads))->required()->option_text("PATH");
    command->add_option("--out", arguments->out, "New folder for the data set")->option_text("DIR");
    const bool is_folders = name == "folders";
    if (is_folders) {
      command
          ->add_option("--colors", arguments->options.colors,
                       "Where colour pictures are, {} for a frame's name: 'rgb/{}.jpg'")
          ->option_text("PATTERN");
      command->add_option("--labels", arguments->options.labels, "Where label images or arrays are: 'label/{}.png'")
          ->option_text("PATTERN");
    } else if (name != "voc" && name != "supervisely") {
      command
          ->add_option("--images", arguments->options.images,
                       "Folder of the pictures, if they are not beside the annotations")
          ->option_text("DIR");
    }
    command
        ->add_option("--depth", arguments->options.depth,
                     is_folders ? "Where depth images or arrays are: 'depth/{}.png'"
                                : "Where depth is, {} for a picture's name: 'depth/{}.png'")
        ->option_text("PATTERN");
    if (is_folders || name == "voc")
      command
          ->add_option("--classes", arguments->options.classes,
                       "List of the classes: CSV of number and name, JSON, or a name a line")
          ->option_text("FILE");
    if (!is_folders && name != "voc")
      command
          ->add_option("--background", arguments->options.background,
                       "Class of pixels without annotation, which are void otherwise")
          ->option_text("NAME");
    command->add_option("--depth-scale", arguments->depth_scale, "Millimetres per step of depth (1)")->option_text("X");
    command->add_flag("--dry-run", arguments->dry_run, "Say what is found, and write nothing");
    command->add_option("--html", arguments->html, "Also write a page with some of the frames")->option_text("FILE");
    add_threads_option(*command, arguments->threads);
    const std::string example = is_folders ? "data --colors 'rgb/{}.jpg' --depth 'depth/{}.png' --labels 'label/{}.png'"
                                : name == "voc" || name == "supervisely" ? "project"
                                                                         : std::string(format.reads);
    command->footer("\nExample:\n  fernwood dataset import " + name + " " +
                    (name == "labelme" ? "annotated" : example) + " --out rooms");
    command->callback([arguments] { run_import(*arguments); });
  }
}

void add_import(CLI::App& parent) {
  auto arguments = std::make_shared<ImportNyuArguments>();
  CLI::App* import = parent.add_subcommand("import", "Import labels and data sets of other programs")->fallthrough();
  import->require_subcommand(1);
  add_formats(*import);
  CLI::App* command = import->add_subcommand("nyu", "NYU Depth v2, the labelled part")->fallthrough();
  command->add_option("--labeled", arguments->options.labeled_mat, "nyu_depth_v2_labeled.mat")
      ->required()
      ->option_text("FILE");
  command->add_option("--splits", arguments->options.splits_mat, "splits.mat")->required()->option_text("FILE");
  command->add_option("--out", arguments->options.out, "Folder for train/ and test/")->required()->option_text("DIR");
  add_number(*command, "--classes", arguments->options.classes, "4 structural classes, 13 or 40");
  command->add_flag("--raw-depth", arguments->options.raw_depth, "Depth as measured, with holes, instead of filled in");
  add_threads_option(*command, arguments->threads);
  command->footer(
      "\nExample:\n  fernwood dataset import nyu --labeled nyu_depth_v2_labeled.mat --splits splits.mat --out nyu");
  command->callback([arguments] { run_import_nyu(*arguments); });
}

struct ExportArguments {
  DatasetArguments dataset;
  std::string format;
  fs::path out, model;
  predict::PredictOptions predict;
};

/// Labels of a model, a frame at a time on all threads.
dataset::LabelSource labels_by(const forest::Forest& forest, const dataset::Dataset& data,
                               const predict::PredictOptions& options) {
  struct Labelling {
    std::mutex mutex;
    std::unique_ptr<predict::Predictor> predictor;
  };
  predict::check_images(forest, data.content(), data.folder().string());
  const auto labelling = std::make_shared<Labelling>();
  labelling->predictor = predict::make_predictor(forest, options);
  return {forest.classes, [&data, labelling](std::size_t frame) {
            const image::Frame read = data.read_frame(frame);
            const std::lock_guard lock(labelling->mutex);
            return labelling->predictor->predict(read).labels;
          }};
}

void run_export(const ExportArguments& arguments) {
  const bool is_truth = arguments.model.empty();
  const dataset::Dataset data = arguments.dataset.open(/*needs_truth=*/is_truth, "train");
  ThreadPool pool(arguments.predict.threads);
  std::optional<forest::Forest> forest;
  if (!is_truth) forest = forest::load_forest(arguments.model);
  const dataset::LabelSource source =
      is_truth ? dataset::truth_of(data, pool) : labels_by(*forest, data, arguments.predict);
  ProgressBar bar;
  dataset::export_labels(data, source, arguments.format, arguments.out, pool, bar.counter("exporting"));
  bar.clear();
  std::cout << (is_truth ? "The truth of " : "The model's labels of ") << data.size()
            << (data.size() == 1 ? " frame" : " frames") << " is in " << shown(arguments.out) << "\n";
}

void add_export(CLI::App& parent) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command =
      parent.add_subcommand("export", "Export ground truth or predicted labels in formats of other tools")
          ->fallthrough();
  arguments->dataset.add_to(*command);
  command
      ->add_option("--format", arguments->format,
                   "coco (run lengths in JSON), cvat (XML), label-studio (JSON); png (palette) or npy for each frame")
      ->required()
      ->option_text("NAME");
  command->add_option("--out", arguments->out, "The file, or the folder for png and npy")->required();
  CLI::Option* model =
      command->add_option("--model", arguments->model, "Export labels of this model instead of the ground truth")
          ->option_text("FILE");
  add_predict_options(*command, arguments->predict);
  for (const char* name :
       {"--device", "--layout", "--stride", "--interpolate", "--smooth", "--smooth-color", "--smooth-depth"})
    command->get_option(name)->needs(model);
  command->footer("\nExample:\n  fernwood dataset export --data taught --format coco --out taught.json");
  command->callback([arguments] { run_export(*arguments); });
}

}  // namespace

void add_dataset_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("dataset", "Generate, check, import and export data sets")->fallthrough();
  command->require_subcommand(1);
  command->footer("\nExample:\n  fernwood dataset generate --out rooms --frames 40");
  add_generate(*command);
  add_check(*command);
  add_import(*command);
  add_export(*command);
}

}  // namespace fernwood::apps
