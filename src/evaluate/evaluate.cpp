// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/evaluate/evaluate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "core/messages.h"
#include "dataset/files/image_file.h"
#include "evaluate/altered_frames.h"
#include "evaluate/panoptic.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/statistics.h"
#include "fernwood/dataset/frame_poses.h"

namespace fernwood::evaluate {
namespace {

/// The classes of the model; if they have no background, with that of the data set.
image::ClassMap classes_with_background(const image::ClassMap& model_classes, const dataset::Dataset& dataset) {
  image::ClassMap classes = model_classes;
  const std::string& name = dataset.config().background;
  if (classes.background || name.empty()) return classes;
  const std::vector<std::string> names = classes.names();
  const auto found = std::ranges::find(names, name);
  FW_CHECK(found != names.end(), Data,
           (dataset.folder() / "dataset.toml").string()
               << ": background is \"" << name << "\", but the model's classes are " << join(names)
               << "; name one of them or leave background out");
  classes.background = static_cast<std::uint16_t>(found - names.begin());
  return classes;
}

/// Labels one frame, and adds the comparison with its ground truth to the report.
predict::Prediction score(predict::Predictor& predictor, const LabelledFrame& labelled,
                          const dataset::VideoFrame& video, const std::string& name,
                          const predict::PredictRequest& request, EvaluationReport& report) {
  image::FrameImages images(labelled.frame);
  images.pose = video.pose;
  images.begins_video = video.begins_video;
  const double start = seconds_now();
  predict::Prediction predicted = predictor.predict(images, request);
  const double seconds = seconds_now() - start;
  Confusion confusion(report.classes.size());
  confusion.add(labelled.labels, predicted.labels);
  const Metrics metrics = compute_metrics(confusion, {});
  report.confusion.add(confusion);
  report.frames.push_back({name, metrics.without_void.pixel, metrics.void_share(), seconds});
  report.seconds += seconds;
  return predicted;
}

/// Indices of frames in a report: `worst` begins with the worst, `best` with the best. No frame is in both; frames
/// without a labelled pixel are in neither.
struct FrameChoice {
  std::vector<std::size_t> worst, best;

  std::vector<std::size_t> frames() const {
    std::vector<std::size_t> all = worst;
    all.insert(all.end(), best.begin(), best.end());
    std::ranges::sort(all);
    return all;
  }
};

/// @param frames  Those to choose from, in ascending order.
FrameChoice choose_frames(const std::vector<FrameScore>& scores, const std::vector<std::size_t>& frames,
                          std::size_t num_frames) {
  std::vector<std::size_t> order;
  for (const std::size_t i : frames)
    if (!std::isnan(scores[i].pixel_accuracy)) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a].pixel_accuracy < scores[b].pixel_accuracy; });
  const std::size_t num_shown = std::min(num_frames, order.size()), num_worst = (num_shown + 1) / 2;
  FrameChoice choice;
  choice.worst.assign(order.begin(), order.begin() + num_worst);
  choice.best.assign(order.rbegin(), order.rbegin() + (num_shown - num_worst));
  return choice;
}

/// [frame] The labels that were scored, of frames that may be shown: labels of a video cannot be made again.
using KeptLabels = std::map<std::size_t, image::LabelImage>;

/// Adds the labels of the frame scored last, and drops those of frames that are no longer among the best and the worst,
/// so that memory does not grow with the data set.
void keep(image::LabelImage labels, const std::vector<FrameScore>& scores, std::size_t num_frames, KeptLabels& kept) {
  kept.emplace(scores.size() - 1, std::move(labels));
  std::vector<std::size_t> frames;
  for (const auto& [frame, image] : kept) frames.push_back(frame);
  const std::vector<std::size_t> chosen = choose_frames(scores, frames, num_frames).frames();
  std::erase_if(kept, [&](const auto& item) { return !std::ranges::binary_search(chosen, item.first); });
}

/// The columns of a small picture, at most, and the number of them.
constexpr std::size_t kSmallCols = 160, kMaxSmall = 500;

SmallFrame small_frame(std::size_t index, const LabelledFrame& labelled, const image::LabelImage& predicted) {
  const image::Frame& frame = labelled.frame;
  const Array2<image::Rgb> picture = frame.color.empty() ? dataset::colorize_depth(frame.depth_mm) : frame.color;
  const std::size_t every = (predicted.cols() + kSmallCols - 1) / kSmallCols;
  const std::size_t rows = (predicted.rows() + every - 1) / every, cols = (predicted.cols() + every - 1) / every;
  SmallFrame small{index, Array2<image::Rgb>(rows, cols), image::LabelImage(rows, cols), image::LabelImage(rows, cols)};
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t col = 0; col < cols; ++col) {
      const std::size_t from_row = every * row, from_col = every * col;
      small.picture(row, col) = picture(from_row, from_col);
      small.truth(row, col) = labelled.labels(from_row, from_col);
      small.predicted(row, col) = predicted(from_row, from_col);
    }
  return small;
}

/// The small frames of all ranks.
std::vector<SmallFrame> gather_small(const std::vector<SmallFrame>& mine, Communicator& ranks) {
  std::vector<std::array<std::uint64_t, 3>> shapes;
  std::vector<image::Rgb> pixels;
  std::vector<std::uint16_t> labels;
  for (const SmallFrame& small : mine) {
    shapes.push_back({small.frame, small.truth.rows(), small.truth.cols()});
    pixels.insert(pixels.end(), small.picture.begin(), small.picture.end());
    labels.insert(labels.end(), small.truth.begin(), small.truth.end());
    labels.insert(labels.end(), small.predicted.begin(), small.predicted.end());
  }
  shapes = join_shares(std::move(shapes), &ranks);
  pixels = join_shares(std::move(pixels), &ranks);
  labels = join_shares(std::move(labels), &ranks);
  check_shares(labels.size() == 2 * pixels.size());
  std::vector<SmallFrame> all;
  std::size_t at = 0;
  for (const auto& [frame, rows, cols] : shapes) {
    SmallFrame& small = all.emplace_back();
    small = {frame, Array2<image::Rgb>(rows, cols), image::LabelImage(rows, cols), image::LabelImage(rows, cols)};
    const std::size_t size = small.picture.size();
    check_shares(size <= pixels.size() - at);
    const auto from = [&](const auto& values, std::size_t first) {
      return values.begin() + static_cast<std::ptrdiff_t>(first);
    };
    std::copy_n(from(pixels, at), size, small.picture.begin());
    std::copy_n(from(labels, 2 * at), size, small.truth.begin());
    std::copy_n(from(labels, 2 * at + size), size, small.predicted.begin());
    at += size;
  }
  return all;
}

/// The labels of frames from the ranks that scored them. @param frames  In ascending order. @param kept  Of this rank,
/// by the number of a frame in its share.
KeptLabels gather_labels(const std::vector<std::size_t>& frames, const Share& share, const KeptLabels& kept,
                         Communicator& ranks) {
  std::vector<dataset::FrameSize> sizes;
  std::vector<std::uint16_t> pixels;
  for (const std::size_t frame : frames) {
    if (frame < share.begin || frame >= share.end) continue;
    const image::LabelImage& labels = kept.at(frame - share.begin);
    sizes.push_back({labels.rows(), labels.cols()});
    pixels.insert(pixels.end(), labels.begin(), labels.end());
  }
  sizes = join_shares(std::move(sizes), &ranks);
  pixels = join_shares(std::move(pixels), &ranks);
  check_shares(sizes.size() == frames.size());
  KeptLabels all;
  std::size_t at = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    image::LabelImage& labels = all[frames[i]] = image::LabelImage(sizes[i].rows, sizes[i].cols);
    check_shares(labels.size() <= pixels.size() - at);
    std::copy_n(pixels.begin() + static_cast<std::ptrdiff_t>(at), labels.size(), labels.begin());
    at += labels.size();
  }
  return all;
}

/// Reads frames once more, for the pictures of the report.
std::vector<ShownFrame> shown_frames(const dataset::Dataset& dataset, const std::vector<std::size_t>& indices,
                                     const KeptLabels& labels, const EvaluationReport& report) {
  std::vector<ShownFrame> shown;
  for (const std::size_t i : indices) {
    shown.push_back({report.frames[i].name, report.frames[i].pixel_accuracy, dataset.read_frame(i),
                     dataset.read_labels(i, report.classes), labels.at(i)});
    const image::Frame& frame = shown.back().frame;
    const image::LabelImage& predicted = shown.back().predicted;
    FW_CHECK(frame.rows() == predicted.rows() && frame.cols() == predicted.cols(), Data,
             report.frames[i].name << " was " << dataset::size_text(predicted.cols(), predicted.rows())
                                   << " pixels when it was labelled, and is "
                                   << dataset::size_text(frame.cols(), frame.rows())
                                   << " now; run again while no other program writes to the data set");
  }
  return shown;
}

/// Adds the pictures to a report of all frames. All ranks have to call this; only the first gets pictures.
void add_pictures(const dataset::Dataset& dataset, std::size_t num_frames, const Share& share, const KeptLabels& kept,
                  Communicator* ranks, EvaluationReport& report) {
  std::vector<std::size_t> frames(report.frames.size());
  std::iota(frames.begin(), frames.end(), std::size_t{0});
  const FrameChoice choice = choose_frames(report.frames, frames, num_frames);
  if (ranks) report.small = gather_small(report.small, *ranks);
  const KeptLabels labels = ranks ? gather_labels(choice.frames(), share, kept, *ranks) : kept;
  if (ranks && ranks->rank() > 0) return;
  report.worst = shown_frames(dataset, choice.worst, labels, report);
  report.best = shown_frames(dataset, choice.best, labels, report);
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
  return mean_of_known(accuracies);
}

std::string EvaluationReport::background_name() const {
  return classes.background ? classes.classes[*classes.background].name : "void";
}

OptionTable<EvaluateOptions> EvaluateOptions::table() {
  static constexpr std::array kRows = {
      option<&EvaluateOptions::num_pictures>("pictures", "Frames shown on the page: half the best, half the worst")
          .in(at_least(0)),
      option<&EvaluateOptions::finds_objects>("objects", "Compare objects with the instances of the data set")
          .default_means("where frames have instances and depth"),
  };
  return kRows;
}

void EvaluateOptions::check() const {
  check_options(table(), *this);
  objects.check();
  FW_CHECK(!pictures || turned_degrees == 0, Usage,
           "images show frames as they are, but these are turned by " << turned_degrees
                                                                      << " degrees; ask for one of the two");
}

EvaluationReport evaluate(predict::Predictor& predictor, const forest::Forest& forest, const dataset::Dataset& dataset,
                          const EvaluateOptions& options, ThreadPool& pool, const ProgressCallback& progress,
                          Communicator* ranks) {
  const DefaultFloats floats;
  options.check();
  const bool has_objects = dataset.has_instances() && dataset.has_depth();
  const bool finds_objects = options.finds_objects.value_or(has_objects);
  require_option(
      has_objects || !finds_objects, "objects", "true",
      "no frame of " + dataset.folder().string() + " has instances (NAME_instances.png) and depth; add them");
  if (ranks) {
    TextOutput settings;
    settings << "frames turned by " << options.turned_degrees << " degrees, "
             << (options.pictures ? options.num_pictures : 0) << " pictures, ";
    if (finds_objects)
      settings << "objects of things " << join(options.objects.things) << ", gap " << options.objects.gap_m
               << " m, area " << options.objects.min_area_cm2 << " cm2, confidence "
               << options.objects.least_confidence(forest.classes.size());
    else
      settings << "no objects";
    check_alike(settings.str(), *ranks);
  }
  predict::check_images(forest, dataset.content(), dataset.folder().string());
  EvaluationReport report;
  report.dataset = dataset.folder().string();
  report.classes = classes_with_background(forest.classes, dataset);
  report.warnings = dataset.class_warnings(pool, report.classes, ranks);
  report.confusion = Confusion(report.classes.size());

  std::vector<dataset::VideoFrame> videos(dataset.size());
  if (options.uses_poses) videos = dataset::as_videos(dataset);
  const std::size_t num_pictures = options.pictures ? static_cast<std::size_t>(options.num_pictures) : 0;
  const std::size_t small_every = (dataset.size() + kMaxSmall - 1) / kMaxSmall;
  std::optional<PanopticEvaluation> panoptic;
  if (finds_objects) panoptic.emplace(report.classes, options.objects, pool);
  KeptLabels kept;
  std::vector<LabelledFrame> batch;
  std::vector<predict::Prediction> found;  // [frame of the batch] With objects, if the frame has instances.
  const Share share = block_share(dataset.size(), ranks);
  for (std::size_t begin = share.begin; begin < share.end; begin += batch.size()) {
    batch.assign(std::min<std::size_t>(share.end - begin, pool.num_threads()), {});
    found.assign(batch.size(), {});
    pool.for_each(batch.size(), [&](std::size_t i, int) {
      batch[i] = {dataset.read_frame(begin + i), dataset.read_labels(begin + i, report.classes)};
      if (panoptic && dataset.has_instances(begin + i)) batch[i].instances = dataset.read_instances(begin + i);
      if (options.turned_degrees != 0) batch[i] = rotated(batch[i].frame, batch[i].labels, options.turned_degrees);
    });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const predict::PredictRequest request = {.objects = batch[i].instances.empty() ? nullptr : &panoptic->finder()};
      found[i] = score(predictor, batch[i], videos[begin + i], dataset.files(begin + i).name, request, report);
      if (num_pictures > 0) {
        if ((begin + i) % small_every == 0) report.small.push_back(small_frame(begin + i, batch[i], found[i].labels));
        keep(found[i].labels, report.frames, num_pictures, kept);
      }
      if (progress) progress(begin + i + 1 - share.begin, share.size());
    }
    pool.for_each(batch.size(), [&](std::size_t i, int worker) {
      if (!batch[i].instances.empty()) panoptic->count(batch[i], found[i], worker);
    });
  }
  if (ranks) gather(dataset, *ranks, report);
  if (panoptic) report.panoptic = panoptic->report(ranks);
  report.metrics = compute_metrics(report.confusion, report.classes.background);
  if (num_pictures > 0) add_pictures(dataset, num_pictures, share, kept, ranks, report);
  return report;
}

}  // namespace fernwood::evaluate
