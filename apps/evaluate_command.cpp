// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/frame_poses.h"
#include "fernwood/evaluate/evaluate.h"
#include "fernwood/evaluate/sequence.h"
#include "fernwood/forest/forest.h"
#include "fernwood/formats/open_source.h"
#include "fernwood/map/voxel_recording.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/recordings/frame_source.h"
#include "fernwood/report/evaluation.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"
#include "shell/ranks.h"

namespace fernwood::apps {

namespace {

namespace fs = std::filesystem;

struct EvaluateArguments {
  DatasetArguments dataset;
  encoder::EncoderOptions encoder;
  predict::PredictOptions predict;
  evaluate::EvaluateOptions evaluate;
  std::filesystem::path model, html;
  evaluate::SequenceOptions sequence;
  bool has_sequence = false, json = false;

  void add_to(CLI::App& command) {
    add_model_option(command, model);
    dataset.add_to(command);
    add_table(command, encoder);
    CLI::Option* page =
        command.add_option("--html", html, "Also write a page: accuracy and images")->option_text("FILE");
    add_table(command, evaluate);
    add_table(command, evaluate.objects);
    command
        .add_flag("--sequence", has_sequence,
                  "Label recordings with poses.txt: how much labels flicker, and how soon they follow changes")
        ->excludes(page)
        ->excludes(command.get_option("--objects"));
    add_table(command, sequence);
    add_json_flag(command, json);
    add_predict_options(command, predict);
  }
  CommandFiles files() const {
    return {.reads = {{"--model", model}, {"--data", dataset.data}}, .writes = {{"--html", html}}};
  }
};

evaluate::EvaluationReport evaluate_model(const EvaluateArguments& arguments, const forest::Forest& forest,
                                          Communicator& ranks) {
  const bool leads = ranks.rank() == 0;
  const dataset::Dataset dataset = find_one_after_another(ranks, [&] {
    return encoded_for(forest, arguments.model, arguments.encoder, arguments.dataset.open(true, "test", leads));
  });
  check_same_work(ranks, arguments.model, dataset, arguments.predict, "");
  if (leads) {
    warn_assumed_camera(forest.preparation, dataset.camera().has_value(), dataset.folder().string());
    if (arguments.predict.steady) warn_each(dataset::pose_warnings(dataset));
  }
  const std::unique_ptr<predict::Predictor> predictor = predict::make_predictor(forest, arguments.predict);
  ThreadPool pool(arguments.predict.threads);
  JointCounter counter("evaluating", dataset.size(), ranks);
  evaluate::EvaluateOptions options = arguments.evaluate;
  options.uses_poses = arguments.predict.steady;
  evaluate::EvaluationReport report = evaluate::evaluate(*predictor, forest, dataset, options, pool, counter.callback(),
                                                         ranks.size() > 1 ? &ranks : nullptr);
  report.model = arguments.model.string();
  report.dataset = dataset.folder().string();
  report.device = to_string(choose_device(arguments.predict.device).device) + ", " + predictor->layout();
  counter.clear();
  return report;
}

/// A method of labelling recordings; each recording gets its own labeller, without history.
struct LabellerKind {
  const char* name;
  bool is_steady, tells_poses;
};

/// The methods compared, a row of the table each.
constexpr std::array kLabellers = {
    LabellerKind{"single", false, false},
    LabellerKind{"steady", true, false},  // as for a camera: motions are estimated from depth
    LabellerKind{"steady, poses", true, true},
};

/// A further method: labels rendered from the map of the whole recording, built with the defaults of fernwood map. The
/// map is fused when the first frame is to be labelled, so that its time counts.
class MapLabeller {
 public:
  MapLabeller(std::shared_ptr<recordings::FrameSource> source, const forest::Forest& forest,
              const predict::PredictOptions& predict, const evaluate::SequenceOptions& options,
              map::FrameProgress progress)
      : source_(std::move(source)),
        predictor_(predict::make_predictor(forest, predict)),
        options_{.every = options.every},
        progress_(std::move(progress)),
        pool_(predict.threads),
        map_(map::empty_map(forest, predict)) {}

  evaluate::SequenceLabeller labeller() {
    return {"map", [this](const recordings::CapturedFrame& frame) {
              if (!renderer_) {
                fused_ = map::map_recording(*source_, *predictor_, map_, pool_, options_, progress_);
                renderer_.emplace(*predictor_, map_, pool_, fused_.poses);
              }
              return renderer_->label(frame);
            }};
  }
  std::vector<OptionSentence> warnings() const { return map::recording_warnings(fused_, map_, source_->name()); }

 private:
  std::shared_ptr<recordings::FrameSource> source_;
  std::unique_ptr<predict::Predictor> predictor_;
  map::RecordingOptions options_;
  map::FrameProgress progress_;
  ThreadPool pool_;
  map::VoxelMap map_;
  map::RecordingReport fused_;
  std::optional<map::RecordingRenderer> renderer_;
};

/// The folders of a data set's frames, each a recording.
std::vector<fs::path> recordings_of(const dataset::Dataset& data) {
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const dataset::FrameFiles& files = data.files(i);
    const fs::path folder = (files.color.empty() ? files.depth : files.color).parent_path();
    if (folders.empty() || folders.back() != folder) folders.push_back(folder.empty() ? fs::path(".") : folder);
  }
  return folders;
}

/// Receives progress for the frames of a recording that are fused into a map, and for those that are evaluated.
struct RecordingProgress {
  map::FrameProgress mapped;
  ProgressCallback evaluated;
};

/// @param encoder  Of the frames' maps; may be null.
evaluate::SequenceReport evaluate_recording(const fs::path& folder, const forest::Forest& forest,
                                            const std::shared_ptr<const encoder::Encoder>& encoder,
                                            const dataset::DatasetOptions& data_options,
                                            const predict::PredictOptions& predict,
                                            const evaluate::SequenceOptions& options,
                                            const RecordingProgress& progress) {
  const std::string url = "frames:" + folder.string();
  const auto open = [&] { return encoded(formats::open_source(url), encoder, forest); };
  const std::shared_ptr<recordings::FrameSource> source = open();
  warn_each(source->warnings());
  predict::check_images(forest, source->content(), source->name());
  warn_assumed_camera(forest.preparation, source->has_camera(), source->name());
  const dataset::Dataset data = open_with_known_truth(folder, data_options, "", false);
  std::vector<std::unique_ptr<predict::Predictor>> predictors;
  std::vector<evaluate::SequenceLabeller> labellers;
  for (const LabellerKind& kind : kLabellers) {
    predict::PredictOptions of_kind = predict;
    of_kind.steady = kind.is_steady;
    predictors.push_back(predict::make_predictor(forest, of_kind));
    labellers.push_back(evaluate::labeller_by(kind.name, *predictors.back(), kind.tells_poses));
  }
  predict::PredictOptions of_map = map::labelling_for_map(predict);
  of_map.steady = false;  // the map does the fusion
  MapLabeller map(open(), forest, of_map, options, progress.mapped);
  labellers.push_back(map.labeller());
  evaluate::SequenceReport report = evaluate::evaluate_sequence(
      *source, forest.classes, evaluate::truth_by_name(data, forest.classes), labellers, options, progress.evaluated);
  ThreadPool pool(predict.threads);
  std::ranges::copy(data.class_warnings(pool, forest.classes), std::back_inserter(report.warnings));
  for (const OptionSentence& warning : map.warnings()) report.warnings.push_back(warning.on_command_line());
  report.device = to_string(choose_device(predict.device).device) + ", " + predictors.front()->layout();
  return report;
}

/// Evaluates the recordings of a data set with all methods of labelling: the folder of frames itself, or all recordings
/// in it. Ground truth is optional.
evaluate::SequenceReport evaluate_recordings(const forest::Forest& forest, const EvaluateArguments& arguments) {
  const DatasetArguments& data = arguments.dataset;
  const predict::PredictOptions& predict = arguments.predict;
  const evaluate::SequenceOptions& options = arguments.sequence;
  const dataset::Dataset all = data.open(/*needs_truth=*/false, "test", false);  // sources tell
  const auto encoder = open_encoder(arguments.encoder, forest, arguments.model, all.has_maps());
  ProgressBar bar;
  const ProgressCallback count_mapped = bar.counter("mapping"), count = bar.counter("evaluating");
  std::optional<evaluate::SequenceReport> report;
  std::size_t num_before = 0;
  for (const fs::path& folder : recordings_of(all)) {
    std::size_t num_read = 0;
    const RecordingProgress progress = {
        [&](std::size_t done) {
          count_mapped(num_before + (done - 1) * static_cast<std::size_t>(options.every) + 1, all.size());
        },
        [&](std::size_t done, std::size_t) {
          num_read = done;
          count(num_before + done, all.size());
        }};
    evaluate::SequenceReport found =
        evaluate_recording(folder, forest, encoder, data.options(false), predict, options, progress);
    num_before += num_read;
    if (report)
      evaluate::append(*report, std::move(found));
    else
      report = std::move(found);
  }
  bar.clear();
  report->recording = all.folder().string();
  return std::move(*report);
}

/// Labels recordings, and reports the temporal consistency of the labels.
void run_sequence(const EvaluateArguments& arguments) {
  FW_CHECK(arguments.dataset.given.max_frames == 0, Usage,
           "--max-frames takes frames that do not follow each other; --sequence needs neighbours: use --every N");
  const forest::Forest forest = forest::load_forest(arguments.model);
  evaluate::SequenceReport report = evaluate_recordings(forest, arguments);
  report.model = arguments.model.string();
  warn_each(report.warnings);
  std::cout << (arguments.json ? report::sequence_json(report) : report::sequence_table(report, use_color(stdout)));
}

void run(const EvaluateArguments& given, Communicator& ranks) {
  EvaluateArguments arguments = given;
  if (arguments.has_sequence) {
    FW_CHECK(ranks.size() == 1, Usage,
             "--sequence labels frames one after another and cannot divide them among processes or GPUs; use one");
    run_sequence(arguments);
    return;
  }
  const bool leads = ranks.rank() == 0;
  arguments.evaluate.pictures = !arguments.html.empty();
  const forest::Forest forest = find_one_after_another(ranks, [&] { return forest::load_forest(arguments.model); });
  take_share(ranks, arguments.predict);
  const evaluate::EvaluationReport report = evaluate_model(arguments, forest, ranks);
  if (!leads) return;
  warn_each(report.warnings);
  if (!arguments.html.empty()) write_file_atomically(arguments.html, NamedBy::kUser, report::evaluation_page(report));
  // mpirun gives processes a terminal, whatever its own output is.
  const bool color = ranks.size() == 1 && use_color(stdout);
  std::cout << (arguments.json ? report::evaluation_json(report) : report::evaluation_table(report, color));
  if (!arguments.json && !arguments.html.empty()) print() << "\npage    " << arguments.html << "\n";
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  add_command<EvaluateArguments>(
      app, {.name = "evaluate",
            .summary = "Label frames and compare with their ground truth",
            .example = "fernwood evaluate --model rooms.fernwood --data rooms/test --html report.html\n"
                       "  fernwood evaluate --model rooms.fernwood --data recording --sequence\n"
                       "  mpirun -n 4 --bind-to none fernwood evaluate --model rooms.fernwood --data rooms/test",
            .dependents = {{{"--every"}, {"--sequence"}}, {{"--pictures"}, {"--html"}}, kEncoderDependents},
            .files = &EvaluateArguments::files,
            .run_rank = run,
            .device = [](const EvaluateArguments& arguments) { return arguments.predict.device; }});
}

}  // namespace fernwood::apps
