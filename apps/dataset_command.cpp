// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/check.h"
#include "fernwood/forest/forest.h"
#include "fernwood/formats/export_labels.h"
#include "fernwood/generate/generate.h"
#include "fernwood/objects/objects.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/report/description.h"
#include "fernwood/teach/project.h"
#include "shell/command.h"
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

  void add_to(CLI::App& command) {
    command.add_option("--out", out, "Folder for train/ and test/")->required()->option_text("DIR");
    add_size_option(command, "size", size, "Width x height in pixels");
    add_table(command, options);
    add_threads_option(command, threads);
  }
  void finish() {
    options.width = static_cast<int>(size.cols);
    options.height = static_cast<int>(size.rows);
  }
};

void run(const GenerateArguments& arguments) {
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

struct CheckArguments {
  DatasetArguments dataset;
  fs::path html;
  bool json = false;
  int threads = 0;

  void add_to(CLI::App& command) {
    dataset.add_to(command);
    command.add_option("--html", html, "Also write a page with thumbnails")->option_text("FILE");
    add_json_flag(command, json);
    add_threads_option(command, threads);
  }
  CommandFiles files() const { return {.reads = {{"--data", dataset.data}}, .writes = {{"--html", html}}}; }
};

void run(const CheckArguments& arguments) {
  ThreadPool pool(arguments.threads);
  ProgressBar bar;
  teach::bring_truth_up_to_date(arguments.dataset.data, bar.counter("carrying labels"));
  const dataset::DatasetReport report = dataset::check_dataset(arguments.dataset.data, arguments.dataset.options(true),
                                                               pool, bar.counter("checking"), "train");
  bar.clear();
  if (!arguments.html.empty())
    write_file_atomically(arguments.html, NamedBy::kUser, report::dataset_page(report, pool));
  std::cout << (arguments.json ? report::dataset_json(report) : report::dataset_table(report)) << std::flush;
  FW_CHECK(report.num_errors() == 0, Data,
           arguments.dataset.data.string()
               << ": " << report.num_errors() << (report.num_errors() == 1 ? " error was" : " errors were")
               << " found; fix the problems listed above");
}

struct ExportArguments {
  DatasetArguments dataset;
  std::string format;
  fs::path out, model;
  bool objects = false;
  objects::ObjectOptions object_options;
  predict::PredictOptions predict;

  void add_to(CLI::App& command) {
    dataset.add_to(command);
    command.add_option("--format", format, formats::label_formats_text())->required()->option_text("NAME");
    command.add_option("--out", out, "The file of coco, cvat and label-studio, else a folder")->required();
    command.add_option("--model", model, "Export labels of this model instead of the ground truth")
        ->option_text("FILE");
    command.add_flag("--objects", objects, "Find objects in these labels: each is a region of its own");
    add_table(command, object_options);
    // Frames are labelled in parallel, in no fixed order, so temporal fusion would not be reproducible.
    add_table(command, predict, {"steady"});
    add_table(command, predict.smoothing);
  }
  void finish() {
    object_options.check();
    if (objects) predict = predict.for_objects();
  }
};

/// Labels predicted by a model, one frame at a time on all threads, and the objects in them.
class Labelling {
 public:
  /// @param classes  Those of the forest, with the things of the options.
  Labelling(const forest::Forest& forest, const image::ClassMap& classes, const dataset::Dataset& data,
            const ExportArguments& arguments)
      : data_(data), classes_(classes.classes), predictor_(predict::make_predictor(forest, arguments.predict)) {
    if (arguments.objects) finder_.emplace(classes, arguments.object_options);
  }

  image::LabelImage labels(std::size_t index) {
    const image::Frame frame = data_.read_frame(index);
    const std::lock_guard lock(mutex_);
    predict::Prediction prediction = predictor_->predict(frame, {.objects = finder_ ? &*finder_ : nullptr});
    image::LabelImage& labels = prediction.labels;
    if (!finder_) return std::move(labels);
    objects::FrameObjects& found = prediction.objects;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::uint16_t number = found.numbers.data()[i];
      std::uint16_t& label = labels.data()[i];
      if (number != image::kNoInstance)
        label = found.objects[number - 1u].label;
      else if (label != image::kVoid && classes_[label].is_thing())
        label = image::kVoid;  // of a piece that is too small to be an object
    }
    numbers_[index] = std::move(found.numbers);
    return std::move(labels);
  }
  /// Called after labels() of the frame.
  image::InstanceImage instances(std::size_t index) {
    const std::lock_guard lock(mutex_);
    return std::move(numbers_.extract(index).mapped());
  }

 private:
  const dataset::Dataset& data_;
  const std::vector<image::ClassInfo> classes_;
  std::mutex mutex_;  // protects the others
  std::unique_ptr<predict::Predictor> predictor_;
  std::optional<objects::ObjectFinder> finder_;
  std::map<std::size_t, image::InstanceImage> numbers_;  // [frame]
};

formats::LabelSource labels_by(const forest::Forest& forest, const dataset::Dataset& data,
                               const ExportArguments& arguments) {
  predict::check_images(forest, data.content(), data.folder().string());
  image::ClassMap classes = forest.classes;
  if (!arguments.object_options.things.empty()) image::state_things(arguments.object_options.things, classes.classes);
  const auto labelling = std::make_shared<Labelling>(forest, classes, data, arguments);
  formats::LabelSource source = {classes, [labelling](std::size_t frame) { return labelling->labels(frame); }};
  if (arguments.objects) source.instances = [labelling](std::size_t frame) { return labelling->instances(frame); };
  return source;
}

void run(const ExportArguments& arguments) {
  refuse_replaced_files({{"--out", arguments.out}}, {{"--model", arguments.model}, {"--data", arguments.dataset.data}});
  const bool is_truth = arguments.model.empty();
  const dataset::Dataset data = arguments.dataset.open(/*needs_truth=*/is_truth, "train");
  warn_of_other_splits(arguments.dataset.data, data);
  warn_each(formats::linked_pictures(data));
  ThreadPool pool(arguments.predict.threads);
  std::optional<forest::Forest> forest;
  if (!is_truth) forest = forest::load_forest(arguments.model);
  const formats::LabelSource source = is_truth ? formats::truth_of(data, pool) : labels_by(*forest, data, arguments);
  ProgressBar bar;
  formats::export_labels(data, source, arguments.format, arguments.out, pool, bar.counter("exporting"));
  bar.clear();
  print() << (is_truth ? "The truth of " : "The model's labels of ") << data.size()
          << (data.size() == 1 ? " frame" : " frames") << " is in " << arguments.out << "\n";
}

}  // namespace

void add_dataset_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("dataset", "Generate, check, import and export data sets")->fallthrough();
  command->require_subcommand(1);
  command->footer("\nExample:\n  fernwood dataset generate --out rooms --frames 40");
  add_command<GenerateArguments>(
      *command, {.name = "generate",
                 .summary = "Render synthetic indoor scenes",
                 .example = "fernwood dataset generate --out rooms --frames 40 --test-frames 10 --seed 1",
                 .dependents = {{{"--fps"}, {"--sequence"}}},
                 .finish = &GenerateArguments::finish,
                 .run = run});
  add_command<CheckArguments>(*command, {.name = "check",
                                         .summary = "Check a data set for errors",
                                         .example = "fernwood dataset check --data rooms/train --html rooms.html",
                                         .files = &CheckArguments::files,
                                         .run = run});
  add_dataset_import(*command);
  add_dataset_arrange(*command);
  add_command<ExportArguments>(
      *command,
      {.name = "export",
       .summary = "Export ground truth or predicted labels in formats of other tools",
       .example = "fernwood dataset export --data taught --format coco --out taught.json",
       .dependents = {{{"--objects", "--device", "--layout", "--interpolate", "--smooth"}, {"--model"}},
                      {{"--things", "--object-gap", "--min-object-area", "--min-object-confidence"}, {"--objects"}}},
       .finish = &ExportArguments::finish,
       .run = run});
}

}  // namespace fernwood::apps
