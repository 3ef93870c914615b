// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/evaluate/evaluate.h"

#include <algorithm>
#include <chrono>

#include "evaluate/format.h"
#include "evaluate/pictures.h"
#include "fernwood/core/error.h"
#include "fernwood/evaluate/rotated_frame.h"

namespace fernwood::evaluate {
namespace {

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

/// The model's classes, with the background that the data set names when the model has none.
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

/// Seconds that `action` takes.
template <typename Action>
double time(const Action& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Labels one frame and adds what came out to the report.
void score(predict::Predictor& predictor, const LabelledFrame& labelled, const std::string& name,
           EvaluationReport& report) {
  image::LabelImage predicted;
  const double seconds = time([&] { predicted = predictor.predict(labelled.frame).labels; });
  Confusion confusion(report.classes.size());
  confusion.add(labelled.labels, predicted);
  const Metrics metrics = compute_metrics(confusion, {});
  report.confusion.add(confusion);
  report.frames.push_back({name, metrics.without_void.pixel, void_share(metrics), seconds});
  report.seconds += seconds;
}

void add_pictures(predict::Predictor& predictor, const dataset::Dataset& dataset, std::size_t num_frames,
                  EvaluationReport& report) {
  const FrameChoice choice = choose_frames(report.frames, num_frames);
  const auto show = [&](const std::vector<std::size_t>& indices) {
    std::vector<FramePictures> shown;
    for (const std::size_t i : indices)
      shown.push_back(frame_pictures(predictor, report.classes, dataset, i, report.frames[i]));
    return shown;
  };
  report.worst = show(choice.worst);
  report.best = show(choice.best);
}

}  // namespace

void EvaluateOptions::check() const {
  FW_CHECK(num_pictures >= 0, Usage, "--pictures is " << num_pictures << "; give 0 or more");
  FW_CHECK(!pictures || turned_degrees == 0, Usage,
           "pictures show frames as they are, but these are turned by " << turned_degrees
                                                                        << " degrees; ask for one of the two");
}

EvaluationReport evaluate(predict::Predictor& predictor, const forest::Forest& forest, const dataset::Dataset& dataset,
                          const EvaluateOptions& options, ThreadPool& pool, const ProgressCallback& progress) {
  options.check();
  predict::check_images(forest, dataset.has_color(), dataset.has_depth(), dataset.folder().string());
  EvaluationReport report;
  report.dataset = dataset.folder().string();
  report.classes = classes_with_background(forest.classes, dataset);
  report.confusion = Confusion(report.classes.size());
  report.forest = forest::summarize(forest);

  std::vector<LabelledFrame> batch;
  for (std::size_t begin = 0; begin < dataset.size(); begin += batch.size()) {
    batch.assign(std::min<std::size_t>(dataset.size() - begin, pool.num_threads()), {});
    pool.for_each(batch.size(), [&](std::size_t i, int) {
      batch[i] = {dataset.read_frame(begin + i), dataset.read_labels(begin + i, report.classes)};
      if (options.turned_degrees != 0) batch[i] = rotated(batch[i].frame, batch[i].labels, options.turned_degrees);
    });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      score(predictor, batch[i], dataset.files(begin + i).name, report);
      if (progress) progress(begin + i + 1, dataset.size());
    }
  }
  report.metrics = compute_metrics(report.confusion, report.classes.background);
  if (options.pictures) add_pictures(predictor, dataset, options.num_pictures, report);
  return report;
}

}  // namespace fernwood::evaluate
