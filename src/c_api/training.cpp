// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <memory>
#include <optional>
#include <stop_token>

#include "c_api/handles.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/train/train.h"
#include "fernwood/tune/train_optimized.h"

namespace fernwood::c_api {

namespace {

std::string place_of(std::size_t frame) { return "the frames in memory: frame " + std::to_string(frame); }

std::vector<image::ClassInfo> classes_of(const fernwood_training& training) {
  FW_CHECK(training.num_classes > 0, Usage, "num_classes is 0; name the classes");
  required(training.class_names, "class_names");
  check_extent("class_names", training.num_classes, sizeof(*training.class_names));
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

/// A frame of the caller, from read_frame if it is set; the destructor calls release_frame.
class LentFrame {
 public:
  LentFrame(const fernwood_training& training, std::size_t index, fernwood_wanted wanted)
      : training_(training), index_(index) {
    if (training_.read_frame == nullptr) {
      frame_ = training_.frames[index];
      labels_ = training_.labels[index];
      return;
    }
    const int failure = training_.read_frame(training_.user, index, wanted, &frame_, &labels_);
    FW_CHECK(failure == 0, Data,
             place_of(index) << " cannot be had, read_frame returned " << failure << "; see why there");
    try {
      check_size(frame_, place_of(index));
      if (wanted == FERNWOOD_WANT_LABELS) required(labels_, "an array of labels");
    } catch (...) {
      give_back();
      throw;
    }
  }
  ~LentFrame() { give_back(); }
  LentFrame(const LentFrame&) = delete;
  LentFrame& operator=(const LentFrame&) = delete;

  const fernwood_frame& frame() const { return frame_; }
  const std::uint16_t* labels() const { return labels_; }

 private:
  void give_back() const noexcept {
    if (training_.read_frame != nullptr && training_.release_frame != nullptr)
      training_.release_frame(training_.user, index_);
  }

  const fernwood_training& training_;
  std::size_t index_;
  fernwood_frame frame_ = FERNWOOD_FRAME;
  const std::uint16_t* labels_ = nullptr;
};

/// The frames in the caller's memory; each is converted when training needs it.
class CallersFrames final : public dataset::InMemoryFrames {
 public:
  explicit CallersFrames(const fernwood_training& training) : training_(training) {
    check_extent("frames", training.num_frames, sizeof(fernwood_frame));
    num_frames = training.num_frames;
    if (num_frames > 0 && training.read_frame == nullptr) {
      required(training.frames, "frames");
      required(training.labels, "labels");
      for (std::size_t i = 0; i < num_frames; ++i) {
        check_frame(training.frames[i], place_of(i));
        required(training.labels[i], "an array of labels");
      }
    }
    if (num_frames > 0 && depth_type_of(LentFrame(training, 0, FERNWOOD_WANT_IMAGES).frame()) == FERNWOOD_DEPTH_M)
      depth_origin = dataset::DepthOrigin::kFloats;
    if (training.groups != nullptr) groups.assign(training.groups, training.groups + num_frames);
    config.classes = classes_of(training);
  }

  image::Frame frame(std::size_t number) const override {
    const LentFrame lent(training_, number, FERNWOOD_WANT_IMAGES);
    return image::copy_of(borrow(lent.frame(), place_of(number)));
  }
  image::LabelImage labels(std::size_t number) const override {
    const LentFrame lent(training_, number, FERNWOOD_WANT_LABELS);
    image::LabelImage labels(lent.frame().rows, lent.frame().cols);
    std::copy_n(lent.labels(), labels.size(), labels.data());
    return labels;
  }
  dataset::FrameSize size(std::size_t number) const override {
    const LentFrame lent(training_, number, FERNWOOD_WANT_SIZE);
    return {lent.frame().rows, lent.frame().cols};
  }
  std::optional<image::Camera> camera(std::size_t number) const override {
    const LentFrame lent(training_, number, FERNWOOD_WANT_IMAGES);
    return borrow(lent.frame(), place_of(number)).camera;
  }
  void add_depths(std::size_t number, dataset::DepthHistogram& depths) const override {
    const LentFrame lent(training_, number, FERNWOOD_WANT_IMAGES);
    depths.add_some(borrow(lent.frame(), place_of(number)));
  }

 private:
  const fernwood_training& training_;
};

/// Removes the option "optimize", which train::set_options() does not accept, and returns its value.
std::optional<tune::Goal> take_goal(OptionTexts& texts) {
  std::optional<tune::Goal> goal;
  std::erase_if(texts, [&](const auto& option) {
    const bool is_goal = option.first == "optimize";
    if (is_goal) goal = parse_name("optimize", option.second, tune::kGoals);
    return is_goal;
  });
  return goal;
}

forest::Forest train(const fernwood_training& training) {
  FW_CHECK(training.struct_size == sizeof(fernwood_training), Usage,
           "struct_size of the training is " << training.struct_size << ", not " << sizeof(fernwood_training)
                                             << "; begin with FERNWOOD_TRAINING, and build against the header of this "
                                                "library");
  train::TrainOptions options;
  train::TrainResources resources;
  OptionTexts texts = option_texts(training.options, training.num_options);
  const std::optional<tune::Goal> goal = take_goal(texts);
  std::stop_source stop;
  train::TrainHooks hooks;
  hooks.stop = stop.get_token();
  if (training.progress != nullptr)
    hooks.progress = [&](const train::TrainProgress& now) {
      if (training.progress(training.user, to_string(now.phase).c_str(), now.done) != 0) stop.request_stop();
    };
  if (training.warning != nullptr)
    hooks.warn = [&](const Warning& warning) { training.warning(training.user, in_c(warning.text).c_str()); };
  if (training.checkpoint != nullptr) hooks.checkpoint = training.checkpoint;
  hooks.resume = training.resume != 0;
  FW_CHECK(!hooks.resume || !hooks.checkpoint.empty(), Usage,
           "resume is set, but there is no checkpoint; name its file");
  const dataset::Dataset dataset = dataset::Dataset::from_memory(std::make_shared<CallersFrames>(training));
  train::set_options(texts, &dataset, options, resources);
  return goal ? tune::train_optimized(dataset, options, *goal, resources, hooks)
              : train::train_forest(dataset, options, resources, hooks);
}

}  // namespace

}  // namespace fernwood::c_api

using namespace fernwood;
using c_api::guarded;
using c_api::required;

extern "C" {

fernwood_status fernwood_train(const fernwood_training* training, fernwood_forest** forest) {
  return guarded([&] {
    fernwood_forest*& out = required(forest, "forest");
    out = nullptr;
    out = new fernwood_forest(c_api::train(required(training, "training")));
  });
}
}
