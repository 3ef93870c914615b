// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "c_api/handles.h"
#include "fernwood/forest/forest.h"
#include "fernwood/predict/predictor.h"

struct fernwood_predictor {
  std::shared_ptr<const fernwood::forest::Forest> forest;
  std::unique_ptr<fernwood::predict::Predictor> predictor;
};

using namespace fernwood;
using c_api::guarded;
using c_api::required;

extern "C" {

fernwood_status fernwood_forest_load(const char* path, fernwood_forest** forest) {
  return guarded([&] {
    fernwood_forest*& out = required(forest, "forest");
    out = nullptr;
    out = new fernwood_forest(forest::load_forest(&required(path, "path")));
  });
}

fernwood_status fernwood_forest_save(const fernwood_forest* forest, const char* path) {
  return guarded([&] { forest::save_forest(*required(forest, "forest").forest, &required(path, "path")); });
}

void fernwood_forest_free(fernwood_forest* forest) { delete forest; }

size_t fernwood_forest_num_classes(const fernwood_forest* forest) {
  return forest == nullptr ? 0 : forest->forest->classes.size();
}

const char* fernwood_forest_class_name(const fernwood_forest* forest, size_t index) {
  if (index >= fernwood_forest_num_classes(forest)) return nullptr;
  return forest->forest->classes.classes[index].name.c_str();
}

fernwood_status fernwood_forest_class_color(const fernwood_forest* forest, size_t index, uint8_t* rgb) {
  return guarded([&] {
    const std::vector<image::ClassInfo>& classes = required(forest, "forest").forest->classes.classes;
    FW_CHECK(index < classes.size(), Usage, "there is no class " << index << "; they are 0 to " << classes.size() - 1);
    required(rgb, "rgb");
    const image::Rgb color = classes[index].color;
    for (const std::uint8_t value : {color.r, color.g, color.b}) *rgb++ = value;
  });
}

fernwood_status fernwood_predictor_new(const fernwood_forest* forest, const char* const* options, size_t num_options,
                                       fernwood_predictor** predictor) {
  return guarded([&] {
    fernwood_predictor*& out = required(predictor, "predictor");
    out = nullptr;
    predict::PredictOptions chosen;
    predict::set_options(c_api::option_texts(options, num_options), chosen);
    const auto& shared = required(forest, "forest").forest;
    out = new fernwood_predictor{shared, predict::make_predictor(*shared, chosen)};
  });
}

void fernwood_predictor_free(fernwood_predictor* predictor) { delete predictor; }

fernwood_status fernwood_predict(fernwood_predictor* predictor, const fernwood_frame* frame, uint16_t* labels,
                                 float* probabilities) {
  return guarded([&] {
    required(labels, "labels");
    const image::FrameImages given = c_api::borrow(required(frame, "frame"), "the frame");
    const predict::Prediction found =
        required(predictor, "predictor").predictor->predict(given, {.probabilities = probabilities != nullptr});
    std::ranges::copy(found.labels, labels);
    if (probabilities != nullptr)
      for (const Array2<float>& plane : found.probabilities)
        probabilities = std::ranges::copy(plane, probabilities).out;
  });
}

int fernwood_predictor_gpu(const fernwood_predictor* predictor) {
  return predictor == nullptr ? -1 : predictor->predictor->device().gpu;
}

fernwood_status fernwood_predict_on_device(fernwood_predictor* predictor, const fernwood_frame* frame, uint16_t* labels,
                                           size_t labels_stride, float* probabilities, void* stream) {
  return guarded([&] {
    const image::FrameImages given = c_api::borrow(required(frame, "frame"), "the frame");
    c_api::check_extent("labels, rows", given.rows, labels_stride);
    const predict::PredictionTarget target{&required(labels, "labels"), labels_stride, probabilities};
    required(predictor, "predictor").predictor->predict_on_device(given, target, stream);
  });
}
}
