// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <stop_token>

#include "c_api/handles.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/model_file.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/train/train.h"

struct fernwood_forest {
  std::shared_ptr<const fernwood::forest::Forest> forest;  // predictors share it
};

struct fernwood_predictor {
  std::shared_ptr<const fernwood::forest::Forest> forest;
  std::unique_ptr<fernwood::predict::Predictor> predictor;
};

namespace fernwood::c_api {

namespace {

const forest::Forest& forest_of(const fernwood_forest* handle) { return *required(handle, "forest").forest; }

fernwood_forest* new_handle(forest::Forest forest) {
  return new fernwood_forest{std::make_shared<const forest::Forest>(std::move(forest))};
}

std::string place_of(std::size_t frame) { return "the frames in memory: frame " + std::to_string(frame); }

std::vector<image::ClassInfo> classes_of(const fernwood_training& training) {
  FW_CHECK(training.num_classes > 0, Usage, "num_classes is 0; name the classes");
  required(training.class_names, "class_names");
  std::vector<std::string> names;
  for (std::size_t c = 0; c < training.num_classes; ++c)
    names.emplace_back(&required(training.class_names[c], "a name of class_names"));
  std::vector<image::ClassInfo> classes = dataset::name_classes(names);
  if (const std::uint8_t* rgb = training.class_colors)
    for (image::ClassInfo& info : classes) {
      info.color = {rgb[0], rgb[1], rgb[2]};
      rgb += 3;
    }
  return classes;
}

/// The frames where they lie; each is converted when training asks for it.
dataset::FrameSupply supply_of(const fernwood_training& training) {
  dataset::FrameSupply supply;
  supply.num_frames = training.num_frames;
  if (training.num_frames > 0) {
    required(training.frames, "frames");
    required(training.labels, "labels");
  }
  for (std::size_t i = 0; i < training.num_frames; ++i) {
    check_frame(training.frames[i], place_of(i));
    required(training.labels[i], "an array of labels");
  }
  supply.frame = [&training](std::size_t i) { return to_frame(training.frames[i], place_of(i)); };
  supply.labels = [&training](std::size_t i) {
    image::LabelImage labels(training.frames[i].rows, training.frames[i].cols);
    std::copy_n(training.labels[i], labels.size(), labels.data());
    return labels;
  };
  supply.size = [&training](std::size_t i) -> dataset::FrameSize {
    return {training.frames[i].rows, training.frames[i].cols};
  };
  if (training.groups != nullptr) supply.groups.assign(training.groups, training.groups + training.num_frames);
  supply.config.classes = classes_of(training);
  return supply;
}

const char* name_of(train::TrainProgress::Phase phase) {
  switch (phase) {
    case train::TrainProgress::Phase::kScanning:
      return "reading ground truth";
    case train::TrainProgress::Phase::kLoading:
      return "preparing frames";
    case train::TrainProgress::Phase::kGrowing:
      return "growing";
    case train::TrainProgress::Phase::kGrowingAgain:
    case train::TrainProgress::Phase::kChoosing:
      return "choosing weights";  // of search::train_optimized(), which C has no function for yet
  }
  return "";
}

forest::Forest train(const fernwood_training& training) {
  FW_CHECK(training.struct_size == sizeof(fernwood_training), Usage,
           "struct_size of the training is " << training.struct_size << ", not " << sizeof(fernwood_training)
                                             << "; begin with FERNWOOD_TRAINING, and build against the header of this "
                                                "library");
  train::TrainOptions options;
  train::TrainResources resources;
  train::set_options(option_texts(training.options, training.num_options), options, resources);
  std::stop_source stop;
  train::TrainHooks hooks;
  hooks.stop = stop.get_token();
  if (training.progress != nullptr)
    hooks.progress = [&](const train::TrainProgress& now) {
      if (training.progress(training.user, name_of(now.phase), now.done) != 0) stop.request_stop();
    };
  if (training.checkpoint != nullptr) hooks.checkpoint = training.checkpoint;
  hooks.resume = training.resume != 0;
  FW_CHECK(!hooks.resume || !hooks.checkpoint.empty(), Usage,
           "resume is set, but there is no checkpoint; name its file");
  const dataset::Dataset dataset = dataset::Dataset::from_memory(supply_of(training));
  train::TrainReport report;
  forest::Forest forest = train::train_forest(dataset, options, resources, hooks, &report);
  if (training.warning != nullptr)
    for (const std::string& warning : report.warnings) training.warning(training.user, warning.c_str());
  return forest;
}

}  // namespace

}  // namespace fernwood::c_api

using namespace fernwood;
using c_api::guarded;
using c_api::required;

extern "C" {

fernwood_status fernwood_forest_load(const char* path, fernwood_forest** forest) {
  return guarded([&] {
    fernwood_forest*& out = required(forest, "forest");
    out = nullptr;
    out = c_api::new_handle(forest::load_forest(&required(path, "path")));
  });
}

fernwood_status fernwood_forest_save(const fernwood_forest* forest, const char* path) {
  return guarded([&] { forest::save_forest(c_api::forest_of(forest), &required(path, "path")); });
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
    const std::vector<image::ClassInfo>& classes = c_api::forest_of(forest).classes.classes;
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
    const image::Frame given = c_api::to_frame(required(frame, "frame"), "the frame");
    const predict::Prediction found =
        required(predictor, "predictor").predictor->predict(given, {.probabilities = probabilities != nullptr});
    std::ranges::copy(found.labels, labels);
    if (probabilities != nullptr)
      for (const Array2<float>& plane : found.probabilities)
        probabilities = std::ranges::copy(plane, probabilities).out;
  });
}

fernwood_status fernwood_train(const fernwood_training* training, fernwood_forest** forest) {
  return guarded([&] {
    fernwood_forest*& out = required(forest, "forest");
    out = nullptr;
    out = c_api::new_handle(c_api::train(required(training, "training")));
  });
}
}
