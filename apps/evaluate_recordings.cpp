// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/evaluate_recordings.h"
#include "apps/shell/frame_options.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/formats/open_source.h"
#include "fernwood/map/voxel_recording.h"
#include "fernwood/recordings/frame_source.h"
#include "shell/console.h"

namespace fernwood::apps {

namespace {

namespace fs = std::filesystem;

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
  MapLabeller(std::unique_ptr<recordings::FrameSource> source, const forest::Forest& forest,
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
  std::unique_ptr<recordings::FrameSource> source_;
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

evaluate::SequenceReport evaluate_recording(const fs::path& folder, const forest::Forest& forest,
                                            const dataset::DatasetOptions& data_options,
                                            const predict::PredictOptions& predict,
                                            const evaluate::SequenceOptions& options,
                                            const RecordingProgress& progress) {
  const std::string url = "frames:" + folder.string();
  const std::unique_ptr<recordings::FrameSource> source = formats::open_source(url);
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
  MapLabeller map(formats::open_source(url), forest, of_map, options, progress.mapped);
  labellers.push_back(map.labeller());
  evaluate::SequenceReport report = evaluate::evaluate_sequence(
      *source, forest.classes, evaluate::truth_by_name(data, forest.classes), labellers, options, progress.evaluated);
  ThreadPool pool(predict.threads);
  std::ranges::copy(data.class_warnings(pool, forest.classes), std::back_inserter(report.warnings));
  for (const OptionSentence& warning : map.warnings()) report.warnings.push_back(warning.on_command_line());
  report.device = to_string(choose_device(predict.device).device) + ", " + predictors.front()->layout();
  return report;
}

}  // namespace

evaluate::SequenceReport evaluate_recordings(const forest::Forest& forest, const DatasetArguments& data,
                                             const predict::PredictOptions& predict,
                                             const evaluate::SequenceOptions& options) {
  const dataset::Dataset all = data.open(/*needs_truth=*/false, "test", false);  // sources tell
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
        evaluate_recording(folder, forest, data.options(false), predict, options, progress);
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

}  // namespace fernwood::apps
