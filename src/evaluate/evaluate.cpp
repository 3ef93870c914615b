// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/evaluate/evaluate.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "core/messages.h"
#include "evaluate/rotated_frame.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/statistics.h"
#include "fernwood/dataset/frame_poses.h"

namespace fernwood::evaluate {
namespace {

/// The classes of the model; if they have no background, with that of the data set.
image::ClassMap classes_with_background(const image::ClassMap& model_classes, const dataset::Dataset& dataset) {
  image::ClassMap classes = model_classes;
  const std::string& name = dataset.config().background;
  if (classes.background || name.empty()) return classes;
  std::vector<std::string> names;
  for (const image::ClassInfo& info : classes.classes) names.push_back(info.name);
  const auto found = std::find(names.begin(), names.end(), name);
  FW_CHECK(found != names.end(), Data,
           (dataset.folder() / "dataset.toml").string()
               << ": background is \"" << name << "\", but the model's classes are " << join(names)
               << "; name one of them or leave background out");
  classes.background = static_cast<std::uint16_t>(found - names.begin());
  return classes;
}

/// Returns the run time of `action`, in seconds.
template <typename Action>
double time(const Action& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Labels one frame, and adds the comparison with its ground truth to the report.
void score(predict::Predictor& predictor, const LabelledFrame& labelled, const std::optional<dataset::FramePose>& pose,
           const std::string& name, EvaluationReport& report) {
  image::LabelImage predicted;
  image::FrameImages images(labelled.frame);
  if (pose) images.pose = pose->pose;
  const double seconds = time([&] { predicted = predictor.predict(images).labels; });
  Confusion confusion(report.classes.size());
  confusion.add(labelled.labels, predicted);
  const Metrics metrics = compute_metrics(confusion, {});
  report.confusion.add(confusion);
  report.frames.push_back({name, metrics.without_void.pixel, metrics.void_share(), seconds});
  report.seconds += seconds;
}

/// Indices of frames in a report: `worst` begins with the worst, `best` with the best. No frame is in both; frames
/// without a labelled pixel are in neither.
struct FrameChoice {
  std::vector<std::size_t> worst, best;
};

FrameChoice choose_frames(const std::vector<FrameScore>& scores, std::size_t num_frames) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (!std::isnan(scores[i].pixel_accuracy)) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a].pixel_accuracy < scores[b].pixel_accuracy; });
  const std::size_t num_shown = std::min(num_frames, order.size()), num_worst = (num_shown + 1) / 2;
  FrameChoice choice;
  choice.worst.assign(order.begin(), order.begin() + num_worst);
  choice.best.assign(order.rbegin(), order.rbegin() + (num_shown - num_worst));
  return choice;
}

/// Reads and labels the frames once more, for the pictures of the report.
std::vector<ShownFrame> shown_frames(predict::Predictor& predictor, const dataset::Dataset& dataset,
                                     const std::vector<std::size_t>& indices, const EvaluationReport& report) {
  std::vector<ShownFrame> shown;
  for (const std::size_t i : indices) {
    image::Frame frame = dataset.read_frame(i);
    image::LabelImage predicted = predictor.predict(frame).labels;
    shown.push_back({report.frames[i].name, report.frames[i].pixel_accuracy, std::move(frame),
                     dataset.read_labels(i, report.classes), std::move(predicted)});
  }
  return shown;
}

/// Combines the ranks' reports of their shares into one report of all frames.
void gather(const dataset::Dataset& dataset, Communicator& ranks, EvaluationReport& report) {
  struct Score {
    double pixel_accuracy, void_share, seconds;
  };
  std::vector<Score> scores;
  for (const FrameScore& frame : report.frames)
    scores.push_back({frame.pixel_accuracy, frame.void_share, frame.seconds});
  report.frames.clear();
  scores = join_shares(std::move(scores), &ranks);
  check_shares(scores.size() == dataset.size());
  for (const Score& score : scores) {
    const std::string& name = dataset.files(report.frames.size()).name;
    report.frames.push_back({name, score.pixel_accuracy, score.void_share, score.seconds});
  }
  std::vector<std::uint64_t> counts(report.confusion.counts().size(), 0);
  for (const std::vector<std::uint64_t>& of_rank : gather_equal(report.confusion.counts(), ranks))
    std::ranges::transform(counts, of_rank, counts.begin(), std::plus<>());
  report.confusion.set_counts(counts);
  for (const std::vector<double>& of_rank : gather_equal(std::vector{report.seconds}, ranks))
    report.seconds = std::max(report.seconds, of_rank[0]);
}

}  // namespace

double EvaluationReport::frames_per_second() const {
  return seconds > 0 ? static_cast<double>(frames.size()) / seconds : std::numeric_limits<double>::quiet_NaN();
}

double EvaluationReport::median_seconds() const {
  std::vector<double> seconds;
  for (const FrameScore& frame : frames) seconds.push_back(frame.seconds);
  return median_of(std::move(seconds));
}

double EvaluationReport::mean_frame_accuracy() const {
  std::vector<double> accuracies;
  for (const FrameScore& frame : frames) accuracies.push_back(frame.pixel_accuracy);
  return forest::mean_of_known(accuracies);
}

std::string EvaluationReport::background_name() const {
  return classes.background ? classes.classes[*classes.background].name : "void";
}

OptionTable<EvaluateOptions> EvaluateOptions::table() {
  static constexpr std::array kRows = {
      option<&EvaluateOptions::num_pictures>("pictures", "Frames shown on the page: half the best, half the worst")
          .in(at_least(0)),
  };
  return kRows;
}

void EvaluateOptions::check() const {
  check_options(table(), *this);
  FW_CHECK(!pictures || turned_degrees == 0, Usage,
           "pictures show frames as they are, but these are turned by " << turned_degrees
                                                                        << " degrees; ask for one of the two");
}

namespace {

/// Settings that must be the same on all ranks; pictures are not among them, since only the first rank makes them.
std::string describe_evaluation(const EvaluateOptions& options) {
  TextOutput text;
  text << "frames turned by " << options.turned_degrees << " degrees";
  return std::move(text).str();
}

}  // namespace

EvaluationReport evaluate(predict::Predictor& predictor, const forest::Forest& forest, const dataset::Dataset& dataset,
                          const EvaluateOptions& options, ThreadPool& pool, const ProgressCallback& progress,
                          Communicator* ranks) {
  const DefaultFloats floats;
  options.check();
  if (ranks) check_alike(describe_evaluation(options), *ranks);
  predict::check_images(forest, dataset.content(), dataset.folder().string());
  EvaluationReport report;
  report.dataset = dataset.folder().string();
  report.classes = classes_with_background(forest.classes, dataset);
  report.confusion = Confusion(report.classes.size());
  report.forest = forest::summarize(forest);

  std::vector<std::optional<dataset::FramePose>> poses(dataset.size());
  if (options.uses_poses) poses = dataset::find_poses(dataset, dataset::room_of(dataset.folder()));
  std::vector<LabelledFrame> batch;
  const Share share = block_share(dataset.size(), ranks);
  for (std::size_t begin = share.begin; begin < share.end; begin += batch.size()) {
    batch.assign(std::min<std::size_t>(share.end - begin, pool.num_threads()), {});
    pool.for_each(batch.size(), [&](std::size_t i, int) {
      batch[i] = {dataset.read_frame(begin + i), dataset.read_labels(begin + i, report.classes)};
      if (options.turned_degrees != 0) batch[i] = rotated(batch[i].frame, batch[i].labels, options.turned_degrees);
    });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      score(predictor, batch[i], poses[begin + i], dataset.files(begin + i).name, report);
      if (progress) progress(begin + i + 1 - share.begin, share.size());
    }
  }
  if (ranks) gather(dataset, *ranks, report);
  report.metrics = compute_metrics(report.confusion, report.classes.background);
  if (!options.pictures || (ranks && ranks->rank() > 0)) return report;
  const FrameChoice choice = choose_frames(report.frames, static_cast<std::size_t>(options.num_pictures));
  report.worst = shown_frames(predictor, dataset, choice.worst, report);
  report.best = shown_frames(predictor, dataset, choice.best, report);
  return report;
}

}  // namespace fernwood::evaluate
