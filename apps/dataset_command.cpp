// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/check.h"
#include "fernwood/forest/forest.h"
#include "fernwood/formats/export_labels.h"
#include "fernwood/generate/generate.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/report/description.h"
#include "fernwood/teach/project.h"
#include "shell/console.h"
#include "shell/options.h"
#include "shell/output_files.h"

namespace fernwood::apps {

namespace {

namespace fs = std::filesystem;

struct GenerateArguments {
  generate::GenerateOptions options;
  fs::path out;
  dataset::FrameSize size = {.rows = 480, .cols = 640};
  int threads = 0;
};

void run_generate(GenerateArguments arguments) {
  arguments.options.width = static_cast<int>(arguments.size.cols);
  arguments.options.height = static_cast<int>(arguments.size.rows);
  ThreadPool pool(arguments.threads);
  ProgressBar bar;
  generate::generate_dataset(arguments.out, arguments.options, pool, bar.counter("generating"));
  bar.clear();
  const auto of_each = std::max<std::size_t>(1, static_cast<std::size_t>(arguments.options.sequence));  // per room
  const std::size_t to_train = of_each * static_cast<std::size_t>(arguments.options.frames);
  const std::size_t to_test = of_each * static_cast<std::size_t>(arguments.options.test_frames);
  print() << to_train << (to_train == 1 ? " frame" : " frames") << " to train on: " << arguments.out / "train";
  if (to_test > 0) print() << ", " << to_test << " to test on: " << arguments.out / "test";
  print() << "\nnext    fernwood train --data " << shell_word(arguments.out / "train") << " --out FILE\n";
}

void add_generate(CLI::App& parent) {
  auto arguments = std::make_shared<GenerateArguments>();
  CLI::App* command = parent.add_subcommand("generate", "Render synthetic indoor scenes")->fallthrough();
  command->add_option("--out", arguments->out, "Folder for train/ and test/")->required()->option_text("DIR");
  add_size_option(*command, "size", arguments->size, "Width x height in pixels");
  add_table(*command, arguments->options);
  add_threads_option(*command, arguments->threads);
  command->footer("\nExample:\n  fernwood dataset generate --out rooms --frames 40 --test-frames 10 --seed 1");
  command->callback([arguments, command] {
    check_dependents(*command, {{{"--fps"}, {"--sequence"}}});
    run_generate(*arguments);
  });
}

struct CheckArguments {
  DatasetArguments dataset;
  fs::path html;
  bool json = false;
  int threads = 0;
};

void run_check(const CheckArguments& arguments) {
  check_output_files({{"--html", arguments.html}}, {{"--data", arguments.dataset.data}});
  ThreadPool pool(arguments.threads);
  ProgressBar bar;
  teach::bring_truth_up_to_date(arguments.dataset.data, bar.counter("carrying labels"));
  const dataset::DatasetReport report = dataset::check_dataset(arguments.dataset.data, arguments.dataset.options(true),
                                                               pool, bar.counter("checking"), "train");
  bar.clear();
  if (!arguments.html.empty())
    write_file_atomically(arguments.html, NamedBy::kUser,
                          [&](std::ostream& out) { out << report::dataset_page(report, pool); });
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

struct ExportArguments {
  DatasetArguments dataset;
  std::string format;
  fs::path out, model;
  predict::PredictOptions predict;
};

/// Labels predicted by a model, one frame at a time on all threads.
formats::LabelSource labels_by(const forest::Forest& forest, const dataset::Dataset& data,
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
  refuse_replaced_files({{"--out", arguments.out}}, {{"--model", arguments.model}, {"--data", arguments.dataset.data}});
  const bool is_truth = arguments.model.empty();
  const dataset::Dataset data = arguments.dataset.open(/*needs_truth=*/is_truth, "train");
  warn_of_other_splits(arguments.dataset.data, data);
  warn_each(formats::linked_pictures(data));
  ThreadPool pool(arguments.predict.threads);
  std::optional<forest::Forest> forest;
  if (!is_truth) forest = forest::load_forest(arguments.model);
  const formats::LabelSource source =
      is_truth ? formats::truth_of(data, pool) : labels_by(*forest, data, arguments.predict);
  ProgressBar bar;
  formats::export_labels(data, source, arguments.format, arguments.out, pool, bar.counter("exporting"));
  bar.clear();
  print() << (is_truth ? "The truth of " : "The model's labels of ") << data.size()
          << (data.size() == 1 ? " frame" : " frames") << " is in " << arguments.out << "\n";
}

void add_export(CLI::App& parent) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command =
      parent.add_subcommand("export", "Export ground truth or predicted labels in formats of other tools")
          ->fallthrough();
  arguments->dataset.add_to(*command);
  command->add_option("--format", arguments->format, formats::label_formats_text())->required()->option_text("NAME");
  command->add_option("--out", arguments->out, "The file of coco, cvat and label-studio, else a folder")->required();
  command->add_option("--model", arguments->model, "Export labels of this model instead of the ground truth")
      ->option_text("FILE");
  // Frames are labelled in parallel, in no fixed order, so temporal fusion would not be reproducible.
  add_table(*command, arguments->predict, {"steady"});
  add_table(*command, arguments->predict.smoothing);
  command->footer("\nExample:\n  fernwood dataset export --data taught --format coco --out taught.json");
  command->callback([arguments, command] {
    check_dependents(*command, {{{"--device", "--layout", "--interpolate", "--smooth"}, {"--model"}}});
    run_export(*arguments);
  });
}

}  // namespace

void add_dataset_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("dataset", "Generate, check, import and export data sets")->fallthrough();
  command->require_subcommand(1);
  command->footer("\nExample:\n  fernwood dataset generate --out rooms --frames 40");
  add_generate(*command);
  add_check(*command);
  add_dataset_import(*command);
  add_dataset_arrange(*command);
  add_export(*command);
}

}  // namespace fernwood::apps
