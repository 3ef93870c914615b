// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/predict/predictor.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "forest/loops.h"
#include "predict/cpu_predictor.h"
#include "predict/cuda/gpu_predictor.h"

namespace fernwood::predict {

namespace {

/// @throws Error(kUsage) that lists the available layouts.
void check_layout(const std::string& layout, Device device) {
  std::vector<std::string> layouts = predict_layouts(device);
  layouts.insert(layouts.begin(), "auto");
  FW_CHECK(std::ranges::count(layouts, layout) > 0, Usage,
           to_string(device) << " has no layout \"" << layout << "\"; use one of " << join(layouts));
}

/// Kernel variant of a CPU's layout; that of the newest available instruction set for "auto".
KernelVariant variant_of(const PredictOptions& options) {
  const std::vector<Isa>& isas = available_isas();
  const auto found = std::ranges::find_if(isas, [&](Isa isa) { return to_string(isa) == options.layout; });
  return forest::fastest_variant(found != isas.end() ? *found : isas.back());
}

}  // namespace

std::vector<image::LabelImage> Predictor::label(std::span<const image::Frame> frames) {
  std::vector<image::LabelImage> labels;
  for (const image::Frame& frame : frames) labels.push_back(predict(frame).labels);
  return labels;
}

void Predictor::predict_on_device(const image::FrameImages& frame, const PredictionTarget& target, void*) {
  image::check_frame_images(frame);
  check_target(frame, target);
  const Prediction found = predict(frame, {.probabilities = target.probabilities != nullptr});
  const std::size_t row_bytes = frame.cols * sizeof(std::uint16_t);
  const std::size_t pitch = target.labels_pitch_bytes > 0 ? target.labels_pitch_bytes : row_bytes;
  auto* out = reinterpret_cast<std::uint8_t*>(target.labels);
  for (std::size_t row = 0; row < frame.rows; ++row, out += pitch) std::memcpy(out, found.labels.row(row), row_bytes);
  float* plane = target.probabilities;
  for (const Array2<float>& probabilities : found.probabilities) {
    std::memcpy(plane, probabilities.data(), probabilities.size() * sizeof(float));
    plane += probabilities.size();
  }
}

std::vector<std::string> predict_layouts(Device device) {
  if (!device.is_cpu()) return {"l1", "texture"};
  std::vector<std::string> names;
  for (const Isa isa : available_isas()) names.push_back(to_string(isa));
  return names;
}

std::unique_ptr<Predictor> make_predictor(const forest::Forest& forest, const PredictOptions& given) {
  const DefaultFloats floats;
  given.check();
  const PredictOptions options = given.with_usual_smoothing();
  const Device device = choose_device(options.device).device;
  check_layout(options.layout, device);
  check_stages(forest);
  if (!device.is_cpu()) return make_gpu_predictor(forest, device.gpu, options);
  return std::make_unique<CpuPredictor>(forest, options.threads, variant_of(options), options);
}

std::unique_ptr<LabelStream> make_label_stream(const forest::Forest& forest, const PredictOptions& given,
                                               int frames_in_flight) {
  FW_CHECK(frames_in_flight >= 1, Usage,
           frames_in_flight << " frames in flight are asked for; use at least 1, 3 keep a GPU busy");
  given.check();
  const PredictOptions options = given.with_usual_smoothing();
  const Device device = choose_device(options.device).device;
  check_layout(options.layout, device);
  check_stages(forest);
  if (!device.is_cpu()) return make_gpu_label_stream(forest, device.gpu, options, frames_in_flight);
  return std::make_unique<CpuLabelStream>(forest, options.threads, variant_of(options), options, frames_in_flight);
}

void check_images(const forest::Forest& forest, const image::FrameContent& frames, const std::string& place) {
  const image::ChannelLayout& channels = forest.preparation.channels;
  const auto require = [&](bool needed, bool there, const char* what) {
    FW_CHECK(there || !needed, Model,
             place << ": the model reads " << join(channels.set_names()) << "; there are no " << what
                   << " images; add them, or train a model without these channels");
  };
  require(forest.preparation.needs_color(), frames.color, "colour");
  require(channels.needs_depth(), frames.depth, "depth");
  const std::size_t num_maps = forest.preparation.supplied_maps.size();
  const std::string there_are =
      frames.num_maps == 0 ? std::string("there are none") : "there are " + std::to_string(frames.num_maps);
  const bool is_enough = num_maps == 0 || frames.num_maps == num_maps;
  FW_CHECK(is_enough || !forest.encoder, Model,
           place << ": the model reads " << num_maps << " maps by the encoder " << forest.encoder->text() << ", and "
                 << there_are << "; use " << named_option("encoder"));
  FW_CHECK(is_enough, Model,
           place << ": the model reads " << num_maps << " feature maps that come with each frame, and " << there_are
                 << "; pass those of training, in a folder as NAME_maps.npy");
}

void check_encoder(const forest::Forest& forest, const encoder::EncoderInfo& given) {
  FW_CHECK(!forest.preparation.supplied_maps.empty(), Usage,
           "the model reads no maps of an encoder; leave out " << named_option("encoder"));
  FW_CHECK(!forest.encoder || forest.encoder->checksum.empty() || forest.encoder->checksum == given.checksum, Model,
           "the model was trained with the encoder "
               << forest.encoder->text() << ", opened with " << forest.encoder->options_json << ", and " << given.text()
               << " is given, opened with " << given.options_json << "; pass the one of the training");
}

#if !FERNWOOD_HAS_CUDA

// choose_device() never returns a GPU in a build without CUDA; explicit requests for one get an error message.

std::unique_ptr<Predictor> make_gpu_predictor(const forest::Forest&, int, const PredictOptions&) {
  throw Error(ErrorKind::kDevice, gpu_status().problem);
}

std::unique_ptr<LabelStream> make_gpu_label_stream(const forest::Forest&, int, const PredictOptions&, int) {
  throw Error(ErrorKind::kDevice, gpu_status().problem);
}

#endif

AdjustablePredictor::AdjustablePredictor(const forest::Forest& forest, const PredictOptions& options)
    : forest_(forest), options_(options) {
  choose();
}

void AdjustablePredictor::set(const std::string& name, const std::string& value) {
  const std::vector<std::string> names = label_options();
  const std::vector<std::string_view> views(names.begin(), names.end());
  FW_CHECK(std::ranges::find(names, name) != names.end(), Usage,
           "\"" << name << "\" cannot change while frames come" << did_you_mean(name, views)
                << "; these can: " << join(names));
  const std::scoped_lock lock(mutex_);
  PredictOptions changed = options_;
  set_options({{name, value}}, changed);
  changed.check();
  has_changed_ |= name != "steady";
  options_ = changed;
}

void AdjustablePredictor::choose_single(bool single) {
  const std::scoped_lock lock(mutex_);
  options_.steady = !single;
}

Prediction AdjustablePredictor::predict(const image::FrameImages& frame, const PredictRequest& request) {
  choose();
  return current_->predict(frame, request);
}

void AdjustablePredictor::choose() {
  std::unique_lock lock(mutex_);
  const PredictOptions options = options_;
  const bool begins_anew = std::exchange(has_changed_, false);
  lock.unlock();
  if (begins_anew) predictors_ = {};  // before others are created, so that a large forest is not in memory twice
  std::unique_ptr<Predictor>& chosen = predictors_[options.steady ? 1 : 0];
  if (!chosen) chosen = make_predictor(forest_, options);
  current_ = chosen.get();
}

}  // namespace fernwood::predict
