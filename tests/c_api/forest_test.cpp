// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <thread>

#include "c_api/plain.h"
#include "dataset/test_files.h"
#include "devices.h"
#include "fernwood.h"
#include "fernwood/core/device.h"
#include "fernwood/core/file.h"
#include "fernwood/forest/forest.h"
#include "fernwood/generate/generate.h"
#include "fernwood/objects/objects.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/train/train.h"
#include "fernwood/tune/train_optimized.h"
#include "forest/noise.h"
#include "sentences.h"

namespace fernwood::c_api {
namespace {

using ForestPointer = std::unique_ptr<fernwood_forest, decltype(&fernwood_forest_free)>;
using PredictorPointer = std::unique_ptr<fernwood_predictor, decltype(&fernwood_predictor_free)>;

/// The C struct for a frame stored in arrays.
fernwood_frame c_frame(const image::Frame& frame) {
  fernwood_frame given = FERNWOOD_FRAME;
  given.rows = frame.rows();
  given.cols = frame.cols();
  given.color = reinterpret_cast<const std::uint8_t*>(frame.color.data());
  given.depth = frame.depth_mm.data();
  if (frame.maps.empty()) return given;
  given.maps = frame.maps.values.data();
  given.num_maps = frame.maps.num_maps;
  given.map_rows = frame.maps.rows;
  given.map_cols = frame.maps.cols;
  return given;
}

/// Synthetic scenes in the types of C and C++.
struct Scenes {
  std::vector<dataset::LabelledFrame> frames;
  std::vector<std::string> names;
  std::vector<std::uint8_t> colors;
  std::vector<fernwood_frame> c_frames;
  std::vector<const std::uint16_t*> c_labels;
  std::vector<const char*> c_names;
  std::vector<std::uint32_t> groups = {4, 4, 9};
  std::vector<const char*> options = {"preset=forest",         "algorithm=forest",    "trees=2",
                                      "samples-per-frame=200", "features=30",         "max_depth=5",
                                      "min-samples=5",         "channels=lab, depth", "mirror-augmentation=false",
                                      "backbone=none",         "device=cpu",          "threads=2"};

  explicit Scenes(std::size_t count = 3) {
    generate::GenerateOptions size;
    size.width = 64;
    size.height = 48;
    for (std::size_t i = 0; i < count; ++i) {
      const generate::SyntheticFrame scene = generate::generate_frame(size, static_cast<std::uint32_t>(i));
      frames.push_back({scene.frame, scene.labels});
      frames.back().frame.camera.reset();
    }
    for (const image::ClassInfo& info : generate::synthetic_classes().classes) {
      names.push_back(info.name);
      for (const std::uint8_t value : {info.color.r, info.color.g, info.color.b}) colors.push_back(value);
    }
    for (const dataset::LabelledFrame& frame : frames) {
      c_frames.push_back(c_frame(frame.frame));
      c_labels.push_back(frame.labels.data());
    }
    for (const std::string& name : names) c_names.push_back(name.c_str());
    groups.resize(count, 9);
  }

  fernwood_training training() const {
    fernwood_training training = FERNWOOD_TRAINING;
    training.num_frames = c_frames.size();
    training.frames = c_frames.data();
    training.labels = c_labels.data();
    training.groups = groups.data();
    training.num_classes = c_names.size();
    training.class_names = c_names.data();
    training.class_colors = colors.data();
    training.options = options.data();
    training.num_options = options.size();
    return training;
  }
};

/// The same options as Scenes::options.
train::TrainOptions small_training() {
  train::TrainOptions options = train::defaults_of(forest::ForestKind::kForest);
  options.trees = 2;
  options.samples_per_frame = 200;
  options.features = 30;
  options.max_depth = 5;
  options.min_samples = 5;
  options.channels = {"lab", "depth"};
  options.mirror_augmentation = false;
  return options;
}

ForestPointer trained(const fernwood_training& training) {
  fernwood_forest* forest = nullptr;
  EXPECT_EQ(fernwood_train(&training, &forest), FERNWOOD_OK) << fernwood_last_error();
  return {forest, &fernwood_forest_free};
}

PredictorPointer predictor_of(const fernwood_forest* forest, const std::vector<const char*>& options = {}) {
  fernwood_predictor* predictor = nullptr;
  EXPECT_EQ(fernwood_predictor_new(forest, options.data(), options.size(), &predictor), FERNWOOD_OK)
      << fernwood_last_error();
  return {predictor, &fernwood_predictor_free};
}

dataset::Bytes saved(const fernwood_forest* forest, const std::filesystem::path& path) {
  EXPECT_EQ(fernwood_forest_save(forest, path.c_str()), FERNWOOD_OK) << fernwood_last_error();
  return read_file(path);
}

/// Expects that a training modified by `spoil` is refused.
void refuses(const std::function<void(fernwood_training&)>& spoil, fernwood_status status = FERNWOOD_USAGE) {
  const Scenes scenes(1);
  fernwood_training training = scenes.training();
  spoil(training);
  fernwood_forest* forest = reinterpret_cast<fernwood_forest*>(&training);
  EXPECT_EQ(fernwood_train(&training, &forest), status);
  EXPECT_EQ(forest, nullptr);
  testdata::expect_sentence(fernwood_last_error());
}

TEST(CForest, ReadsMapsThatTheCallerComputes) {
  Scenes scenes;
  for (std::size_t i = 0; i < scenes.frames.size(); ++i) {
    image::Frame& frame = scenes.frames[i].frame;
    frame.maps = forest::noise_maps(3, frame.rows(), frame.cols(), static_cast<std::uint32_t>(i));
    scenes.c_frames[i] = c_frame(frame);
  }
  const dataset::TestFolder folder;
  const ForestPointer forest = trained(scenes.training());
  ASSERT_TRUE(forest);
  saved(forest.get(), folder / "c.fernwood");
  const forest::Forest by_cpp = forest::load_forest(folder / "c.fernwood");
  ASSERT_EQ(by_cpp.preparation.supplied_maps.size(), 3u);
  const PredictorPointer predictor = predictor_of(forest.get());
  image::LabelImage labels(48, 64);
  ASSERT_EQ(fernwood_predict(predictor.get(), &scenes.c_frames[1], labels.data(), nullptr), FERNWOOD_OK)
      << fernwood_last_error();
  EXPECT_EQ(labels, predict::make_predictor(by_cpp, {})->predict(scenes.frames[1].frame).labels);

  fernwood_frame frame = scenes.c_frames[1];
  frame.maps = nullptr;
  EXPECT_EQ(fernwood_predict(predictor.get(), &frame, labels.data(), nullptr), FERNWOOD_DATA);
  testdata::expect_sentence(fernwood_last_error());
  for (std::size_t fernwood_frame::*member :
       {&fernwood_frame::num_maps, &fernwood_frame::map_rows, &fernwood_frame::map_cols})
    for (const std::size_t value : {std::size_t{0}, std::size_t{40000}, SIZE_MAX}) {
      frame = scenes.c_frames[1];
      frame.*member = value;
      EXPECT_EQ(fernwood_predict(predictor.get(), &frame, labels.data(), nullptr), FERNWOOD_USAGE);
      testdata::expect_sentence(fernwood_last_error());
    }
}

TEST(CForest, VersionsAreThoseOfTheHeader) {
  EXPECT_EQ(fernwood_c_version(), FERNWOOD_C_VERSION);
  EXPECT_NE(std::string(fernwood_version()), "");
}

TEST(CForest, TrainsAndLabelsWhenCompiledAsC) {
  const dataset::TestFolder folder;
  EXPECT_STREQ(train_and_label_in_c((folder / "a.fernwood").c_str()), nullptr);
}

TEST(CForest, TrainingGivesTheBytesOfTheLibrary) {
  const Scenes scenes;
  const train::TrainOptions options = small_training();
  const auto supply = dataset::supply_of(scenes.frames, generate::synthetic_classes().classes);
  supply->groups = scenes.groups;
  const dataset::TestFolder folder;
  forest::save_forest(train::train_forest(dataset::Dataset::from_memory(supply), options), folder / "cpp.fernwood");
  EXPECT_EQ(saved(trained(scenes.training()).get(), folder / "c.fernwood"), read_file(folder / "cpp.fernwood"));
}

TEST(CForest, LabelsAndProbabilitiesAreThoseOfTheLibrary) {
  const Scenes scenes;
  const ForestPointer forest = trained(scenes.training());
  const dataset::TestFolder folder;
  saved(forest.get(), folder / "a.fernwood");
  const forest::Forest same = forest::load_forest(folder / "a.fernwood");
  const image::Frame& frame = scenes.frames[0].frame;
  const predict::Prediction expected = predict::make_predictor(same, {.device = "cpu", .smoothing = {.extent_px = 5}})
                                           ->predict(frame, {.probabilities = true});
  const PredictorPointer predictor = predictor_of(forest.get(), {"device=cpu", "smooth=5"});
  image::LabelImage labels(frame.rows(), frame.cols());
  std::vector<float> probabilities(labels.size() * scenes.names.size());
  ASSERT_EQ(fernwood_predict(predictor.get(), &scenes.c_frames[0], labels.data(), probabilities.data()), FERNWOOD_OK);
  EXPECT_EQ(labels, expected.labels);
  for (std::size_t c = 0; c < scenes.names.size(); ++c)
    EXPECT_TRUE(std::equal(expected.probabilities[c].begin(), expected.probabilities[c].end(),
                           probabilities.begin() + static_cast<std::ptrdiff_t>(c * labels.size())))
        << c;
}

TEST(CForest, ObjectsAreThoseOfTheLibrary) {
  const Scenes scenes;
  const ForestPointer forest = trained(scenes.training());
  const dataset::TestFolder folder;
  saved(forest.get(), folder / "a.fernwood");
  const forest::Forest same = forest::load_forest(folder / "a.fernwood");
  const image::Frame& frame = scenes.frames[0].frame;
  const predict::Prediction labelled = predict::make_predictor(same, {.device = "cpu", .smoothing = {.extent_px = 5}})
                                           ->predict(frame, {.probabilities = true});
  ThreadPool pool(1);
  const objects::FrameObjects expected = objects::ObjectFinder(same.classes, {.things = {"wall", "table"}})
                                             .find(frame, labelled.labels, labelled.probabilities, pool);
  ASSERT_GE(expected.objects.size(), 1u);

  const PredictorPointer predictor = predictor_of(forest.get(), {"device=cpu", "smooth=5", "things=wall,table"});
  image::LabelImage labels(frame.rows(), frame.cols());
  image::InstanceImage numbers(frame.rows(), frame.cols());
  fernwood_object object = {};
  std::size_t count = 0;
  const auto find = [&](std::size_t object_size, std::size_t max_objects) {
    return fernwood_predict_objects(predictor.get(), &scenes.c_frames[0], labels.data(), numbers.data(), object_size,
                                    &object, max_objects, &count);
  };
  ASSERT_EQ(find(sizeof(object), 1), FERNWOOD_OK) << fernwood_last_error();
  EXPECT_EQ(labels, labelled.labels);
  EXPECT_EQ(numbers, expected.numbers);
  EXPECT_EQ(count, expected.objects.size());
  EXPECT_EQ(object.number, 1);
  EXPECT_EQ(object.label, expected.objects[0].label);
  EXPECT_EQ(object.num_pixels, expected.objects[0].num_pixels);
  EXPECT_EQ(object.confidence, expected.objects[0].confidence);
  EXPECT_EQ(object.distance_m, expected.objects[0].distance_m);
  EXPECT_EQ(object.box_center[2], expected.objects[0].box.center.z);
  EXPECT_EQ(object.box_axes[3], expected.objects[0].box.axes[1].x);
  EXPECT_EQ(fernwood_predict_objects(predictor.get(), &scenes.c_frames[0], nullptr, nullptr, sizeof(object), nullptr, 0,
                                     &count),
            FERNWOOD_OK);
  EXPECT_EQ(find(sizeof(object) - 4, 1), FERNWOOD_USAGE);
}

/// An array in device memory.
template <typename T>
DeviceMemory array_there(Device device, const std::vector<T>& numbers) {
  DeviceMemory memory(device, numbers.size() * sizeof(T));
  memory.write(numbers.data(), memory.size_bytes());
  return memory;
}

class CPredictor : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Every, CPredictor, testing::ValuesIn(cpu_and_gpus()), name_of_device);

TEST_P(CPredictor, LabelsWhereTheFrameLies) {
  const Scenes scenes;
  const ForestPointer forest = trained(scenes.training());
  const std::string device = "device=" + to_string(GetParam());
  const PredictorPointer predictor = predictor_of(forest.get(), {device.c_str()});
  EXPECT_EQ(fernwood_predictor_gpu(predictor.get()), GetParam().gpu);
  const image::Frame& frame = scenes.frames[0].frame;
  const std::size_t num_pixels = frame.color.size(), num_classes = scenes.names.size(), stride = frame.cols() + 3;
  const DeviceMemory color = array_there(GetParam(), std::vector(frame.color.begin(), frame.color.end()));
  const DeviceMemory depth = array_there(GetParam(), std::vector(frame.depth_mm.begin(), frame.depth_mm.end()));
  const DeviceMemory labels(GetParam(), 2 * stride * frame.rows()), shares(GetParam(), 4 * num_classes * num_pixels);
  fernwood_frame there = scenes.c_frames[0];
  there.color = static_cast<const std::uint8_t*>(color.data());
  there.depth = depth.data();
  const DeviceStream stream(GetParam());
  ASSERT_EQ(fernwood_predict_on_device(predictor.get(), &there, static_cast<std::uint16_t*>(labels.data()), 2 * stride,
                                       static_cast<float*>(shares.data()), stream.handle()),
            FERNWOOD_OK)
      << fernwood_last_error();
  stream.synchronize();
  std::vector<std::uint16_t> found(stride * frame.rows());
  std::vector<float> found_shares(num_classes * num_pixels), expected_shares = found_shares;
  labels.read(found.data(), labels.size_bytes());
  shares.read(found_shares.data(), shares.size_bytes());
  image::LabelImage expected(frame.rows(), frame.cols());
  ASSERT_EQ(fernwood_predict(predictor.get(), &scenes.c_frames[0], expected.data(), expected_shares.data()),
            FERNWOOD_OK);
  EXPECT_EQ(found_shares, expected_shares);
  for (std::size_t row = 0; row < frame.rows(); ++row)
    EXPECT_TRUE(std::equal(expected.row(row), expected.row(row) + frame.cols(), found.data() + row * stride)) << row;

  const auto refused = [&](std::uint16_t* into, std::size_t labels_stride) {
    return fernwood_predict_on_device(predictor.get(), &there, into, labels_stride, nullptr, nullptr);
  };
  EXPECT_EQ(refused(nullptr, 0), FERNWOOD_USAGE);
  EXPECT_EQ(refused(static_cast<std::uint16_t*>(labels.data()), 2 * frame.cols() - 2), FERNWOOD_DATA);
  testdata::expect_sentence(fernwood_last_error());
  for (const std::size_t huge :
       {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() / 64}) {
    EXPECT_EQ(refused(static_cast<std::uint16_t*>(labels.data()), huge), FERNWOOD_USAGE);
    testdata::expect_sentence(fernwood_last_error());
  }
  EXPECT_EQ(fernwood_predictor_gpu(nullptr), -1);
}

TEST(CForest, StridesAndMetersGiveTheSameLabels) {
  const Scenes scenes;
  const ForestPointer forest = trained(scenes.training());
  const PredictorPointer predictor = predictor_of(forest.get(), {"device=cpu"});
  const image::Frame& frame = scenes.frames[0].frame;
  const std::size_t color_stride = 3 * frame.cols() + 5, depth_stride = 4 * frame.cols() + 8;
  std::vector<std::uint8_t> color(color_stride * frame.rows(), 99);
  std::vector<float> depth_m(depth_stride / 4 * frame.rows(), 99);
  constexpr float kUnknown[] = {0, -1, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()};
  for (std::size_t row = 0; row < frame.rows(); ++row) {
    std::memcpy(&color[row * color_stride], frame.color.row(row), 3 * frame.cols());
    for (std::size_t col = 0; col < frame.cols(); ++col) {
      const std::uint16_t depth_mm = frame.depth_mm(row, col);
      depth_m[row * depth_stride / 4 + col] = depth_mm > 0 ? static_cast<float>(depth_mm) / 1000 : kUnknown[col % 4];
    }
  }
  fernwood_frame wide = scenes.c_frames[0];
  wide.color = color.data();
  wide.color_stride = color_stride;
  wide.depth = depth_m.data();
  wide.depth_stride = depth_stride;
  wide.depth_type = FERNWOOD_DEPTH_M;
  image::LabelImage expected(frame.rows(), frame.cols()), labels = expected;
  ASSERT_EQ(fernwood_predict(predictor.get(), &scenes.c_frames[0], expected.data(), nullptr), FERNWOOD_OK);
  ASSERT_EQ(fernwood_predict(predictor.get(), &wide, labels.data(), nullptr), FERNWOOD_OK) << fernwood_last_error();
  EXPECT_EQ(labels, expected);
}

TEST(CForest, HandlesAreFreedInAnyOrderAndKnowTheirClasses) {
  const Scenes scenes(1);
  ForestPointer forest = trained(scenes.training());
  ASSERT_EQ(fernwood_forest_num_classes(forest.get()), scenes.names.size());
  EXPECT_EQ(fernwood_forest_class_name(forest.get(), 0), scenes.names[0]);
  EXPECT_EQ(fernwood_forest_class_name(forest.get(), 99), nullptr);
  std::uint8_t rgb[3] = {};
  EXPECT_EQ(fernwood_forest_class_color(forest.get(), 1, rgb), FERNWOOD_OK);
  EXPECT_TRUE(std::equal(rgb, rgb + 3, scenes.colors.begin() + 3));
  EXPECT_EQ(fernwood_forest_class_color(forest.get(), 99, rgb), FERNWOOD_USAGE);
  const PredictorPointer predictor = predictor_of(forest.get());
  forest.reset();
  image::LabelImage labels(48, 64);
  EXPECT_EQ(fernwood_predict(predictor.get(), &scenes.c_frames[0], labels.data(), nullptr), FERNWOOD_OK);
  fernwood_forest_free(nullptr);
  fernwood_predictor_free(nullptr);
  EXPECT_EQ(fernwood_forest_num_classes(nullptr), 0u);
}

/// Frames that are supplied on request, with a count of those not yet released.
struct LentScenes {
  const Scenes* scenes;
  std::size_t fails_at = 99;
  std::atomic<int> num_lent = 0;

  static int read(void* user, std::size_t index, fernwood_wanted wanted, fernwood_frame* frame,
                  const std::uint16_t** labels) {
    auto& self = *static_cast<LentScenes*>(user);
    if (index == self.fails_at) return 7;
    ++self.num_lent;
    frame->rows = self.scenes->c_frames[index].rows;
    frame->cols = self.scenes->c_frames[index].cols;
    if (wanted == FERNWOOD_WANT_IMAGES) *frame = self.scenes->c_frames[index];
    if (wanted == FERNWOOD_WANT_LABELS) *labels = self.scenes->c_labels[index];
    return 0;
  }
  static void release(void* user, std::size_t) { --static_cast<LentScenes*>(user)->num_lent; }

  fernwood_training training() {
    fernwood_training training = scenes->training();
    training.frames = nullptr;
    training.labels = nullptr;
    training.user = this;
    training.read_frame = &read;
    training.release_frame = &release;
    return training;
  }
};

TEST(CForest, FramesThatAreMadeWhenTheyAreNeededGiveTheSameForest) {
  const Scenes scenes;
  const dataset::TestFolder folder;
  LentScenes lent{.scenes = &scenes};
  EXPECT_EQ(saved(trained(lent.training()).get(), folder / "made"),
            saved(trained(scenes.training()).get(), folder / "held"));
  EXPECT_EQ(lent.num_lent, 0) << "each is given back";
  LentScenes broken{.scenes = &scenes, .fails_at = 1};
  const fernwood_training training = broken.training();
  fernwood_forest* none = nullptr;
  EXPECT_EQ(fernwood_train(&training, &none), FERNWOOD_DATA);
  testdata::expect_sentence(fernwood_last_error());
  EXPECT_EQ(broken.num_lent, 0);
}

TEST(CForest, ClassesAreWeighedForAGoal) {
  Scenes scenes(8);
  scenes.groups = {0, 0, 1, 1, 2, 2, 3, 3};
  scenes.options.push_back("optimize=iou");
  train::TrainOptions options = small_training();
  const auto supply = dataset::supply_of(scenes.frames, generate::synthetic_classes().classes);
  supply->groups = scenes.groups;
  const dataset::TestFolder folder;
  forest::save_forest(tune::train_optimized(dataset::Dataset::from_memory(supply), options, tune::Goal::kIou),
                      folder / "cpp");
  EXPECT_EQ(saved(trained(scenes.training()).get(), folder / "c"), read_file(folder / "cpp"));
  static const char* const kNoGoal = "optimize=everything";
  refuses([](fernwood_training& t) { t.options = &kNoGoal, t.num_options = 1; });
}

TEST(CForest, StoppedTrainingGoesOnFromItsCheckpoint) {
  const Scenes scenes;
  const dataset::TestFolder folder;
  const dataset::Bytes whole = saved(trained(scenes.training()).get(), folder / "whole");
  fernwood_training training = scenes.training();
  const std::string checkpoint = folder / "checkpoint";
  training.checkpoint = checkpoint.c_str();
  int num_calls = 0;
  training.user = &num_calls;
  training.progress = [](void* user, const char* phase, double done) {
    EXPECT_TRUE(done >= 0 && done <= 1);
    return std::string(phase) == "growing" && ++*static_cast<int*>(user) > 4 ? 1 : 0;
  };
  fernwood_forest* none = nullptr;
  EXPECT_EQ(fernwood_train(&training, &none), FERNWOOD_INTERRUPTED);
  testdata::expect_sentence(fernwood_last_error());
  training.progress = nullptr;
  training.resume = 1;
  EXPECT_EQ(saved(trained(training).get(), folder / "resumed"), whole);
}

TEST(CForest, CheckpointReplacesNoOtherFileAndNeedsItsFolder) {
  const Scenes scenes;
  const dataset::TestFolder folder;
  folder.write("notes", std::string("precious"));
  const std::string notes = folder / "notes", elsewhere = folder / "missing" / "checkpoint";
  fernwood_training training = scenes.training();
  fernwood_forest* none = nullptr;
  training.checkpoint = notes.c_str();
  EXPECT_EQ(fernwood_train(&training, &none), FERNWOOD_USAGE);
  testdata::expect_sentence(fernwood_last_error());
  EXPECT_EQ(read_text(notes), "precious");
  training.checkpoint = elsewhere.c_str();
  EXPECT_EQ(fernwood_train(&training, &none), FERNWOOD_RUNTIME);
  testdata::expect_sentence(fernwood_last_error());
}

TEST(CForest, WarningsAreHandedOut) {
  const Scenes scenes(1);
  std::vector<const char*> names = scenes.c_names;
  names.push_back("nothing");
  std::vector<std::string> told;
  fernwood_training training = scenes.training();
  training.num_classes = names.size();
  training.class_names = names.data();
  training.class_colors = nullptr;
  training.user = &told;
  training.warning = [](void* user, const char* sentence) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(sentence);
  };
  trained(training);
  for (const std::string& warning : told) testdata::expect_sentence(warning);
  EXPECT_FALSE(told.empty());
}

TEST(CForest, WrongArgumentsAreUsageErrorsWithTheRemedy) {
  refuses([](fernwood_training& t) { t.struct_size = 8; });
  refuses([](fernwood_training& t) { t.num_frames = 0; });
  refuses([](fernwood_training& t) { t.frames = nullptr; });
  refuses([](fernwood_training& t) { t.labels = nullptr; });
  refuses([](fernwood_training& t) { t.class_names = nullptr; });
  refuses([](fernwood_training& t) { t.options = nullptr, t.num_options = 1; });
  static const char* const kLatin1[] = {
      "Fu\xDF"
      "boden",
      "wall"};
  refuses([](fernwood_training& t) { t.class_names = kLatin1, t.num_classes = 2; });
  refuses([](fernwood_training& t) { t.num_classes = 0; });
  refuses([](fernwood_training& t) { t.num_classes = 1; }, FERNWOOD_DATA);
  refuses([](fernwood_training& t) { t.resume = 1; });
  static const char* const kWrong[] = {"tress=3", "trees", "trees=0"};
  for (const char* const& option : kWrong)
    refuses([&option](fernwood_training& t) { t.options = &option, t.num_options = 1; });
  static const char* const kFewFrames[] = {"cascade=2", "folds=10"};
  refuses([](fernwood_training& t) { t.options = kFewFrames, t.num_options = 2; });
}

TEST(CForest, WrongFramesAreRefused) {
  const Scenes scenes(1);
  const ForestPointer forest = trained(scenes.training());
  const PredictorPointer predictor = predictor_of(forest.get());
  image::LabelImage labels(48, 64);
  const auto refused = [&](const std::function<void(fernwood_frame&)>& spoil) {
    fernwood_frame frame = scenes.c_frames[0];
    spoil(frame);
    EXPECT_NE(fernwood_predict(predictor.get(), &frame, labels.data(), nullptr), FERNWOOD_OK);
    testdata::expect_sentence(fernwood_last_error());
  };
  refused([](fernwood_frame& f) { f.struct_size = 1; });
  refused([](fernwood_frame& f) { f.rows = 0; });
  refused([](fernwood_frame& f) { f.cols = std::numeric_limits<std::size_t>::max(); });
  refused([](fernwood_frame& f) { f.color = nullptr, f.depth = nullptr; });
  refused([](fernwood_frame& f) { f.color_stride = 191; });
  refused([](fernwood_frame& f) { f.depth_stride = 127; });
  constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max() / 64;
  refused([](fernwood_frame& f) { f.color_stride = kHuge; });
  refused([](fernwood_frame& f) { f.depth_stride = kHuge; });
  refused([](fernwood_frame& f) { f.depth_type = static_cast<fernwood_depth_type>(7); });
  refused([](fernwood_frame& f) { f.fx = -1; });
  refused([](fernwood_frame& f) { f.up[0] = std::nanf(""); });
  refused([](fernwood_frame& f) { f.depth = nullptr; });
  EXPECT_EQ(fernwood_predict(predictor.get(), nullptr, labels.data(), nullptr), FERNWOOD_USAGE);
  EXPECT_EQ(fernwood_predict(predictor.get(), &scenes.c_frames[0], nullptr, nullptr), FERNWOOD_USAGE);
  EXPECT_EQ(fernwood_predict(nullptr, &scenes.c_frames[0], labels.data(), nullptr), FERNWOOD_USAGE);
}

TEST(CForest, DepthOfAnotherCameraIsMovedToColour) {
  const Scenes scenes(1);
  const ForestPointer forest = trained(scenes.training());
  const PredictorPointer predictor = predictor_of(forest.get());
  fernwood_frame frame = scenes.c_frames[0];
  frame.fx = frame.fy = 60, frame.cx = 31.5f, frame.cy = 23.5f;
  image::LabelImage registered(48, 64), apart(48, 64), wrong(48, 64);
  // A smaller camera in the same position: one depth pixel for four colour pixels.
  std::vector<std::uint16_t> quarter, whole(48 * 64);
  for (std::size_t y = 0; y < 24; ++y)
    for (std::size_t x = 0; x < 32; ++x) quarter.push_back(static_cast<std::uint16_t>(500 + 50 * x + 7 * y));
  for (std::size_t y = 0; y < 48; ++y)
    for (std::size_t x = 0; x < 64; ++x) whole[y * 64 + x] = quarter[y / 2 * 32 + x / 2];
  frame.depth = whole.data(), frame.depth_stride = 0, frame.depth_type = FERNWOOD_DEPTH_MM;
  ASSERT_EQ(fernwood_predict(predictor.get(), &frame, registered.data(), nullptr), FERNWOOD_OK)
      << fernwood_last_error();
  fernwood_depth_camera camera = FERNWOOD_DEPTH_CAMERA;
  camera.rows = 24, camera.cols = 32;
  camera.fx = camera.fy = 30, camera.cx = 15.5f, camera.cy = 11.5f;
  frame.depth = quarter.data(), frame.depth_camera = &camera;
  ASSERT_EQ(fernwood_predict(predictor.get(), &frame, apart.data(), nullptr), FERNWOOD_OK) << fernwood_last_error();
  EXPECT_EQ(apart, registered);
  camera.translation[0] = 0.2f;
  ASSERT_EQ(fernwood_predict(predictor.get(), &frame, wrong.data(), nullptr), FERNWOOD_OK);
  EXPECT_NE(wrong, registered);

  const auto refused = [&](const std::function<void(fernwood_frame&, fernwood_depth_camera&)>& spoil) {
    fernwood_depth_camera other = camera;
    fernwood_frame spoilt = frame;
    spoilt.depth_camera = &other;
    spoil(spoilt, other);
    EXPECT_EQ(fernwood_predict(predictor.get(), &spoilt, wrong.data(), nullptr), FERNWOOD_USAGE);
    testdata::expect_sentence(fernwood_last_error());
  };
  refused([](fernwood_frame&, fernwood_depth_camera& c) { c.struct_size = 0; });
  refused([](fernwood_frame& f, fernwood_depth_camera&) { f.fx = 0; });
  refused([](fernwood_frame&, fernwood_depth_camera& c) { c.rotation[0] = 2; });
  refused([](fernwood_frame&, fernwood_depth_camera& c) { c.cols = 0; });
  refused([](fernwood_frame&, fernwood_depth_camera& c) { c.cols = std::size_t{1} << 40; });
}

TEST(CForest, FilesThatAreNoModelsAreRefused) {
  const dataset::TestFolder folder;
  fernwood_forest* forest = nullptr;
  EXPECT_EQ(fernwood_forest_load((folder / "none").c_str(), &forest), FERNWOOD_RUNTIME);
  EXPECT_EQ(fernwood_forest_load(folder.write("text", std::string("hello")).c_str(), &forest), FERNWOOD_MODEL);
  testdata::expect_sentence(fernwood_last_error());
  EXPECT_EQ(fernwood_forest_load(nullptr, &forest), FERNWOOD_USAGE);
  EXPECT_EQ(fernwood_forest_load("x", nullptr), FERNWOOD_USAGE);
  EXPECT_EQ(fernwood_forest_save(nullptr, "x"), FERNWOOD_USAGE);
  fernwood_predictor* predictor = nullptr;
  EXPECT_EQ(fernwood_predictor_new(nullptr, nullptr, 0, &predictor), FERNWOOD_USAGE);
  testdata::expect_sentence(fernwood_last_error());
  EXPECT_EQ(fernwood_predictor_new(nullptr, nullptr, 2, &predictor), FERNWOOD_USAGE);
  testdata::expect_sentence(fernwood_last_error());
}

TEST(CForest, ADeviceIsNotReplacedByAModel) {
  const Scenes scenes;
  const ForestPointer forest = trained(scenes.training());
  EXPECT_EQ(fernwood_forest_save(forest.get(), "/dev/full"), FERNWOOD_RUNTIME);
  testdata::expect_sentence(fernwood_last_error());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(CForest, EachThreadHasItsLastError) {
  fernwood_forest* forest = nullptr;
  EXPECT_EQ(fernwood_forest_load(nullptr, &forest), FERNWOOD_USAGE);
  std::thread([] { EXPECT_STREQ(fernwood_last_error(), ""); }).join();
  testdata::expect_sentence(fernwood_last_error());
}

}  // namespace
}  // namespace fernwood::c_api
