// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "c_api/handles.h"
#include "fernwood/core/option_table.h"
#include "fernwood/forest/forest.h"
#include "fernwood/objects/objects.h"
#include "fernwood/predict/predictor.h"

struct fernwood_predictor {
  std::shared_ptr<const fernwood::forest::Forest> forest;
  std::unique_ptr<fernwood::predict::Predictor> predictor;
  std::unique_ptr<fernwood::objects::ObjectFinder> finder;
};

using namespace fernwood;
using c_api::guarded;
using c_api::required;

namespace {

template <std::size_t kCount>
void copy(const image::Vector3 (&vectors)[kCount], float* out) {
  for (const image::Vector3& vector : vectors)
    for (const float value : {vector.x, vector.y, vector.z}) *out++ = value;
}

fernwood_object object_in_c(const objects::Object& found, const std::optional<image::RigidMotion>& pose) {
  const objects::Object object = pose ? moved(found, *pose) : found;
  fernwood_object out = {};
  out.number = object.number;
  out.label = object.label;
  out.confidence = object.confidence;
  out.num_pixels = object.num_pixels;
  out.left = object.left;
  out.top = object.top;
  out.right = object.right;
  out.bottom = object.bottom;
  out.touches_border = object.touches_border;
  out.area_m2 = object.area_m2;
  out.distance_m = object.distance_m;
  copy({object.place}, out.place);
  copy({object.box.center}, out.box_center);
  copy({object.box.axes[0], object.box.axes[1], object.box.axes[2]}, out.box_axes);
  copy({object.box.size}, out.box_size);
  return out;
}

}  // namespace

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
    objects::ObjectOptions of_objects;
    for (const auto& [name, text] : c_api::option_texts(options, num_options))
      if (!set_known_option(name, text, of_objects)) predict::set_options({{name, text}}, chosen);
    const auto& shared = required(forest, "forest").forest;
    out = new fernwood_predictor{shared, predict::make_predictor(*shared, chosen),
                                 std::make_unique<objects::ObjectFinder>(shared->classes, of_objects)};
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

fernwood_status fernwood_predict_objects(fernwood_predictor* predictor, const fernwood_frame* frame, uint16_t* labels,
                                         uint16_t* numbers, size_t object_size, fernwood_object* objects,
                                         size_t max_objects, size_t* num_objects) {
  return guarded([&] {
    std::size_t& count = required(num_objects, "num_objects");
    count = 0;
    FW_CHECK(object_size == sizeof(fernwood_object), Usage,
             "object_size is " << object_size << ", and this library's objects have " << sizeof(fernwood_object)
                               << " bytes; pass sizeof(fernwood_object), and build with the header of this library");
    if (max_objects > 0) required(objects, "objects");
    const image::FrameImages given = c_api::borrow(required(frame, "frame"), "the frame");
    fernwood_predictor& with = required(predictor, "predictor");
    const predict::Prediction found = with.predictor->predict(given, {.objects = with.finder.get()});
    const objects::FrameObjects& all = found.objects;
    if (labels != nullptr) std::ranges::copy(found.labels, labels);
    if (numbers != nullptr) std::ranges::copy(all.numbers, numbers);
    count = all.objects.size();
    for (std::size_t i = 0; i < std::min(count, max_objects); ++i) objects[i] = object_in_c(all.objects[i], given.pose);
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
