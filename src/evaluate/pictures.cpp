// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/pictures.h"

#include <algorithm>
#include <cmath>

#include "fernwood/dataset/image_io.h"

namespace fernwood::evaluate {

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

FramePictures frame_pictures(predict::Predictor& predictor, const image::ClassMap& classes,
                             const dataset::Dataset& dataset, std::size_t index, const FrameScore& score) {
  const image::Frame frame = dataset.read_frame(index);
  const image::LabelImage truth = dataset.read_labels(index, classes);
  const image::LabelImage labels = predictor.predict(frame).labels;
  FramePictures shown{score.name, score.pixel_accuracy, {}};
  // Labels are few flat colours, which PNG keeps exactly and small.
  const auto add_photo = [&](const char* caption, const Array2<image::Rgb>& image) {
    shown.pictures.push_back({caption, "image/jpeg", dataset::encode_jpeg(image)});
  };
  const auto add_labels = [&](const char* caption, const image::LabelImage& image) {
    shown.pictures.push_back({caption, "image/png", dataset::encode_png(dataset::colorize_labels(image, classes))});
  };
  if (!frame.color.empty()) add_photo("colour", frame.color);
  if (!frame.depth_mm.empty()) add_photo("depth", dataset::colorize_depth(frame.depth_mm));
  add_labels("truth", truth);
  add_labels("prediction", labels);
  return shown;
}

}  // namespace fernwood::evaluate
