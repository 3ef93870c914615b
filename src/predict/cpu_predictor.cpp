// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cpu_predictor.h"

#include <algorithm>
#include <span>
#include <utility>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "forest/leaf.h"
#include "image/prepare_steps.h"
#include "predict/cell_refinement.h"

namespace fernwood::predict {

namespace {

/// Stores labels, and requested probabilities (thesis eq. 3.1), of some trees for the pixels from `first_pixel` on.
void store(RowTile& tile, forest::ForestKind kind, std::span<const TreeTables> trees, std::size_t first_tree,
           std::span<const forest::ClassPriorCorrection> correction, const LabelLoops& loops, std::size_t first_pixel,
           float min_confidence, Prediction& out) {
  const std::size_t num_classes = correction.size();
  const std::size_t stride = padded_classes(num_classes);
  tile.sum(trees, first_tree, num_classes, loops, [&](std::size_t first, std::size_t count, const float* sums) {
    std::uint16_t* const labels = out.labels.data() + first_pixel + first;
    loops.tile.choose(sums, correction.data(), num_classes, count, labels);
    if (out.probabilities.empty() && min_confidence == 0) return;
    for (std::size_t i = 0; i < count; ++i) {
      const float* of_pixel = sums + i * stride;
      const forest::SoftmaxNormalizer scale = forest::scale_of_row(kind, of_pixel, num_classes, trees.size());
      for (std::size_t c = 0; c < out.probabilities.size(); ++c)
        out.probabilities[c].data()[first_pixel + first + i] = scale.probability(of_pixel[c]);
      if (labels[i] != image::kVoid)
        labels[i] = forest::confident_label(labels[i], scale.probability(of_pixel[labels[i]]), min_confidence);
    }
  });
}

/// Offers a class to each pixel of a row, as forest::BestClass does for a single pixel.
/// @param weigh  Correction of a value of the row. @param highest  [cols], updated together with labels.
template <typename Weigh, typename Weighed>
void offer_row(std::size_t label, const std::vector<std::int16_t>& values, const Weigh& weigh,
               std::vector<Weighed>& highest, std::uint16_t* labels) {
  for (std::size_t x = 0; x < values.size(); ++x) {
    const Weighed weighed = weigh(values[x]);
    labels[x] = weighed > highest[x] ? static_cast<std::uint16_t>(label) : labels[x];
    highest[x] = weighed > highest[x] ? weighed : highest[x];
  }
}

}  // namespace

CpuPredictor::CpuPredictor(const forest::Forest& forest, int threads, const KernelVariant& choice,
                           const PredictOptions& options)
    : kind_(forest.kind),
      num_classes_(forest.classes.size()),
      preparation_(forest.preparation),
      context_(forest, choice),
      trees_(tables_of(forest, forest.labelling_trees())),
      correct_sums_(forest::correct_sums(forest)),
      correct_probabilities_(forest::correct_probabilities(forest, options.smoothing.extent() > 0)),
      weigh_equally_(forest.label_weights == forest::LabelWeights()),
      pool_(threads),
      isa_(choice.isa),
      loops_(choice),
      tiles_(static_cast<std::size_t>(pool_.num_threads())),
      smoother_(options.steady ? Smoothing() : options.smoothing),
      interpolate_(options.interpolates(forest.kind)),
      min_confidence_(options.min_confidence) {
  if (options.steady) steady_.emplace(options, keyframe_interval(preparation_), num_classes_);
}

void CpuPredictor::label_rows(const image::FrameView& frame, const GridRows& rows, const PredictRequest& request,
                              RowTile& tile, Prediction& out) const {
  tile.start(frame, rows.grid, rows.begin, rows.end);
  tile.find_leaves(frame, trees_, loops_);
  store(tile, kind_, trees_, 0, correct_sums_, loops_, rows.first(), min_confidence_, out);
  if (!request.per_tree) return;
  for (std::size_t k = 0; k < trees_.size(); ++k)
    store(tile, kind_, {&trees_[k], 1}, k, correct_sums_, loops_, rows.first(), 0, out.trees[k]);
}

image::ContextMaps CpuPredictor::find_cells(const image::FrameImages& frame) {
  image::ContextMaps maps;
  if (!steady_) {
    const image::PreparedFrame prepared = context_.prepare(frame, &pool_, tiles_);
    maps = context_.empty_maps(prepared.view());
    refine_cells(maps, num_classes_, [&](const std::vector<std::uint8_t>& wanted) {
      context_.find_context(prepared.view(), trees_, &pool_, tiles_, wanted.data(), maps);
    });
    return maps;
  }
  check_frame(frame, preparation_);
  const std::vector<std::uint8_t>& wanted = steady_->follow(frame, pool_);
  if (!wanted.empty()) {
    const image::PreparedFrame prepared = context_.prepare(frame, &pool_, tiles_);
    maps = context_.empty_maps(prepared.view());
    context_.find_context(prepared.view(), trees_, &pool_, tiles_, wanted.data(), maps);
  }
  steady_->fuse(frame, maps, pool_);
  return maps;
}

/// Interpolates probabilities of all pixels between cells, and chooses labels by them.
void CpuPredictor::interpolate(const image::ContextMaps& maps, Prediction& out) {
  const auto rows = static_cast<std::int32_t>(maps.rows), cols = static_cast<std::int32_t>(maps.cols);
  const auto map_of = [&](std::size_t c) {
    return image::ContextMap{maps.values.data() + c * maps.rows * maps.cols, rows, cols};
  };
  const std::size_t width = out.labels.cols();
  pool_.for_each(out.labels.rows(), [&](std::size_t y, int) {
    const image::ContextPlace down = image::context_place(static_cast<std::int32_t>(y), rows);
    std::vector<std::int16_t> values(width), highest(width, 0);
    std::vector<float> highest_weighed(width, 0.0f);
    std::uint16_t* const labels = out.labels.row(y);
    std::fill_n(labels, width, image::kVoid);
    for (std::size_t c = 0; c < num_classes_; ++c) {
      image::context_row(map_of(c), down, static_cast<std::int32_t>(width), values.data());
      if (weigh_equally_)
        offer_row(
            c, values, [](std::int16_t value) { return value; }, highest, labels);
      else
        offer_row(
            c, values,
            [of_class = correct_probabilities_[c]](std::int16_t value) {
              return of_class.of(image::context_share(value));
            },
            highest_weighed, labels);
      if (!out.probabilities.empty())
        std::ranges::transform(values, out.probabilities[c].row(y),
                               [](std::int16_t value) { return image::context_share(value); });
    }
    for (std::size_t x = 0; x < width && min_confidence_ > 0; ++x) {
      if (labels[x] == image::kVoid) continue;
      const image::ContextPlace across = image::context_place(static_cast<std::int32_t>(x), cols);
      const float probability = image::context_share(image::context_value(map_of(labels[x]), across, down));
      labels[x] = forest::confident_label(labels[x], probability, min_confidence_);
    }
  });
}

Prediction CpuPredictor::predict(const image::FrameImages& frame, const PredictRequest& request) {
  const DefaultFloats floats;
  check_request(request, interpolate_);
  if (request.objects != nullptr) {
    PredictRequest without = request;
    without.objects = nullptr;
    without.probabilities = true;
    Prediction out = predict(frame, without);
    out.objects = request.objects->find(frame, out.labels, out.probabilities, pool_);
    if (!request.probabilities) out.probabilities.clear();
    return out;
  }
  if (!frame.is_plain()) {
    const image::Frame copied = image::copy_of(frame, &pool_);
    image::FrameImages plain(copied);
    plain.pose = frame.pose;
    plain.begins_video = frame.begins_video;
    return predict(plain, request);
  }
  Prediction out = empty_prediction(frame.rows, frame.cols, num_classes_, trees_.size(), request);
  const bool by_cells = interpolate_ || smoother_.is_on();
  if (!by_cells || request.per_tree) {
    const image::PreparedFrame prepared = context_.prepare(frame, &pool_, tiles_);
    const image::FrameView view = prepared.view();
    for_each_row_tile(every_pixel(view), &pool_, tiles_,
                      [&](const GridRows& rows, RowTile& tile) { label_rows(view, rows, request, tile, out); });
  }
  if (by_cells) {
    const image::ContextMaps maps = find_cells(frame);
    if (smoother_.is_on())
      smoother_.smooth(frame, maps, correct_probabilities_, min_confidence_, pool_, out);
    else
      interpolate(maps, out);
  }
  return out;
}

CpuLabelStream::CpuLabelStream(const forest::Forest& forest, int threads, const KernelVariant& choice,
                               const PredictOptions& options, int capacity)
    : predictor_(forest, threads, choice, options), capacity_(capacity) {}

void CpuLabelStream::push(const image::FrameImages& frame) {
  check_push(*this);
  labels_.push_back(predictor_.predict(frame, {}).labels);
}

image::LabelImage CpuLabelStream::pop() {
  check_pop(*this);
  image::LabelImage labels = std::move(labels_.front());
  labels_.pop_front();
  return labels;
}

void check_request(const PredictRequest& request, bool interpolate) {
  require_together(!request.per_tree || !interpolate,
                   "predictions of single trees need every pixel, and {} evaluates cells; use {}",
                   {{"interpolate"}, {"interpolate", "false"}});
}

void check_target(const image::FrameImages& frame, const PredictionTarget& target) {
  const std::size_t row_bytes = frame.cols * sizeof(std::uint16_t), pitch = target.labels_pitch_bytes;
  FW_CHECK(target.labels != nullptr, Data, "labels: the output buffer is null");
  FW_CHECK(pitch == 0 || pitch >= row_bytes, Data,
           "labels: a row of " << row_bytes << " bytes begins " << pitch
                               << " bytes after the one before; use a pitch of at least that, or 0");
  FW_CHECK(pitch <= PTRDIFF_MAX / frame.rows, Data,
           "labels: " << frame.rows << " rows that begin " << pitch
                      << " bytes after one another are more than memory has; use the pitch in bytes, or 0");
}

void check_push(const LabelStream& stream) {
  FW_CHECK(!stream.is_full(), Usage,
           "the label stream is full with " << stream.capacity() << " frames; pop labels before the next push");
}

void check_pop(const LabelStream& stream) {
  FW_CHECK(stream.num_in_flight() > 0, Usage, "the label stream is empty; push a frame before the next pop");
}

}  // namespace fernwood::predict
