// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "backbone/small_network.h"
#include "core/draw.h"
#include "core/isa.h"
#include "dataset/computed_frames.h"
#include "forest/fern.h"
#include "forest/noise.h"
#include "sentences.h"
#include "test_folder.h"
#include "train/accuracy.h"
#include "train/data/sampler.h"
#include "train/samples.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

std::uint64_t num_samples_in(const forest::Tree& tree) {
  std::uint64_t sum = 0;
  for (const std::uint32_t count : tree.leaf_counts) sum += count;
  return sum;
}

/// 24 x 32 pixels, at 2 m or without depth; the left half is black and class 1, the right half white and class 0.
void add_black_and_white(const TrainingData& data, bool with_depth = false) {
  image::Frame frame{Array2<image::Rgb>(24, 32), {}};
  if (with_depth) frame.depth_mm = Array2<std::uint16_t>(24, 32, 2000);
  Array2<image::Rgb> truth(24, 32);
  for (std::size_t y = 0; y < 24; ++y)
    for (std::size_t x = 0; x < 32; ++x) {
      frame.color(y, x) = x < 16 ? image::Rgb{0, 0, 0} : image::Rgb{255, 255, 255};
      truth(y, x) = x < 16 ? image::Rgb{2, 0, 0} : image::Rgb{1, 0, 0};
    }
  data.add("halves", frame, truth);
}

TEST(TrainForest, LearnsItsOwnFrames) {
  TrainingData data;
  add_scenes(data, 4);
  const forest::Forest forest = train_forest(data.dataset(), small_training());
  EXPECT_EQ(forest.labelling_trees().size(), 2u);
  EXPECT_EQ(forest.preparation.channels,
            image::ChannelLayout({"lab", "gradient", "depth", "height", "upright", "behind", "above"}));
  EXPECT_LT(majority_share(forest), 0.6);
  EXPECT_GT(accuracy_on(forest, data.dataset()), majority_share(forest) + 0.2);
}

TEST(TrainForest, EveryChannelSetCanBeTrainedWithAlone) {
  TrainingData data;
  add_scenes(data, 3);
  for (const image::ChannelSet& set : image::channel_sets()) {
    TrainOptions options = small_training();
    options.channels = {std::string(set.name)};
    const forest::Forest forest = train_forest(data.dataset(), options);
    EXPECT_EQ(forest.preparation.channels.num_channels(), static_cast<int>(set.channels.size())) << set.name;
    for (const forest::Tree& tree : forest.labelling_trees()) EXPECT_GT(tree.nodes.size(), 1u) << set.name;
    EXPECT_GT(accuracy_on(forest, data.dataset()), majority_share(forest)) << set.name;
  }
}

TrainOptions geometry_training() {
  TrainOptions options = small_training();
  options.channels = {"depth", "height", "upright", "facing"};
  return options;
}

TEST(TrainForest, RemembersTheCameraThatItAssumesAndSaysSo) {
  TrainingData data;
  add_scenes(data, 2);
  TrainReport report;
  const forest::Forest forest = train_forest(data.dataset(), geometry_training(), {}, {}, &report);
  EXPECT_EQ(forest.preparation.camera, image::assumed_camera(64, 48));
  ASSERT_EQ(report.warnings.size(), 1u);
  testdata::expect_sentence(report.warnings[0].text.on_command_line());
}

TEST(TrainForest, RemembersTheCameraOfTheDataSetInSilence) {
  TrainingData data;
  add_scenes(data, 2);
  data.folder().write("dataset.toml", std::string("sensor = \"kinect\"\n"));
  TrainReport report;
  const forest::Forest forest = train_forest(data.dataset(), geometry_training(), {}, {}, &report);
  EXPECT_EQ(forest.preparation.camera, image::find_sensor("kinect")->camera);
  EXPECT_TRUE(report.warnings.empty());
}

TEST(TrainForest, RemembersTheCameraThatTheFramesCarryInSilence) {
  TrainingData data;
  add_scenes(data, 2);
  const image::Camera camera = {64, 48, 80, 82, 30, 20};
  data.folder().write("dataset.toml", "camera = " + to_string(camera) + "\n");
  const dataset::Dataset folder = data.dataset();
  ThreadPool pool(1);
  const image::ClassMap classes = folder.scan_truth(pool).classes;
  std::vector<dataset::LabelledFrame> frames;
  for (std::size_t i = 0; i < folder.size(); ++i)
    frames.push_back({folder.read_frame(i), folder.read_labels(i, classes)});
  ASSERT_EQ(frames[0].frame.camera, camera);
  TrainReport report;
  const dataset::Bytes bytes = train_bytes(dataset::Dataset::from_memory(supply_of(frames, classes.classes)),
                                           geometry_training(), {}, {}, &report);
  EXPECT_TRUE(report.warnings.empty());
  EXPECT_EQ(bytes, train_bytes(folder, geometry_training()));
}

TEST(TrainForest, ForgetsTheCameraWhereNoChannelNeedsIt) {
  TrainingData data;
  add_scenes(data, 2);
  TrainOptions options = small_training();
  options.channels = {"lab", "depth"};
  const dataset::Bytes without = train_bytes(data.dataset(), options);
  TrainingData same;
  add_scenes(same, 2);
  same.folder().write("dataset.toml", std::string("sensor = \"kinect2\"\nup = [0, 1, 0]\n"));
  EXPECT_EQ(train_bytes(same.dataset(), options), without);
}

TEST(TrainForest, AssumedAndNamedAlikeGiveTheSameForest) {
  TrainingData data;
  add_scenes(data, 2);
  const dataset::Bytes assumed = train_bytes(data.dataset(), geometry_training());
  TrainingData named;
  add_scenes(named, 2);
  named.folder().write("dataset.toml", "camera = " + to_string(image::assumed_camera(64, 48)) + "\n");
  EXPECT_EQ(train_bytes(named.dataset(), geometry_training()), assumed);
  TrainingData other;
  add_scenes(other, 2);
  other.folder().write("dataset.toml", std::string("sensor = \"kinect2\"\n"));
  EXPECT_NE(train_bytes(other.dataset(), geometry_training()), assumed);
}

TEST(TrainForest, FramesInMemoryGiveTheBytesThatTheirFilesGive) {
  TrainingData data;
  add_scenes(data, 4);
  data.folder().write("groups.txt", std::string("scene0 a\nscene1 a\nscene2 b\nscene3 b\n"));
  TrainOptions options = small_training();
  options.cascade = 2;
  options.folds = 2;
  const dataset::Bytes of_files = train_bytes(data.dataset(), options);
  ThreadPool pool(1);
  const image::ClassMap classes = data.dataset().scan_truth(pool).classes;
  std::vector<dataset::LabelledFrame> frames;
  for (std::size_t i = 0; i < data.dataset().size(); ++i)
    frames.push_back({data.dataset().read_frame(i), data.dataset().read_labels(i, classes)});
  const auto supply = dataset::supply_of(frames, classes.classes);
  supply->groups = data.dataset().groups();
  EXPECT_EQ(train_bytes(dataset::Dataset::from_memory(supply), options), of_files);
  // A callback that reads frames each time, and a memory budget that does not hold any.
  const auto computed = std::make_shared<dataset::ComputedFrames>();
  computed->num_frames = frames.size();
  computed->groups = supply->groups;
  computed->config = supply->config;
  computed->frame_of = [&](std::size_t i) { return data.dataset().read_frame(i); };
  computed->labels_of = [&](std::size_t i) { return frames[i].labels; };
  TrainResources little;
  little.memory_budget_bytes = 1;
  EXPECT_EQ(train_bytes(dataset::Dataset::from_memory(computed), options, little), of_files);
  computed->frame_of = [&](std::size_t i) { return frames[frames.size() - 1 - i].frame; };
  EXPECT_NE(train_bytes(dataset::Dataset::from_memory(computed), options), of_files);
}

TEST(TrainForest, FramesThatAreKeptPreparedGiveTheSameBytes) {
  TrainingData data;
  add_scenes(data, 4);
  ThreadPool pool(1);
  const image::ClassMap classes = data.dataset().scan_truth(pool).classes;
  dataset::ComputedFrames supply;
  supply.num_frames = data.dataset().size();
  supply.config.classes = classes.classes;
  supply.frame_of = [&](std::size_t i) { return data.dataset().read_frame(i); };
  supply.labels_of = [&](std::size_t i) { return data.dataset().read_labels(i, classes); };
  struct Prepared : dataset::ComputedFrames {
    explicit Prepared(const ComputedFrames& same) : ComputedFrames(same) {}
    std::shared_ptr<const image::PreparedFrame> prepared(std::size_t i,
                                                         const image::Preparation& preparation) const override {
      ++num_asked;
      return i == 1 ? nullptr : std::make_shared<const image::PreparedFrame>(frame(i), preparation);
    }
    mutable std::atomic<int> num_asked = 0;
  };
  const auto plain = std::make_shared<dataset::ComputedFrames>(supply);
  const auto prepared = std::make_shared<Prepared>(supply);
  for (const int stages : {1, 2}) {  // context stages write to prepared frames, so that supplied ones are not used
    TrainOptions options = small_training();
    options.cascade = stages;
    options.folds = 2;
    const TrainResources resources = {.device = "cpu"};  // a GPU prepares frames itself
    EXPECT_EQ(train_bytes(dataset::Dataset::from_memory(prepared), options, resources),
              train_bytes(dataset::Dataset::from_memory(plain), options, resources))
        << stages;
    EXPECT_EQ(prepared->num_asked, 4) << stages;
  }
}

TEST(TrainForest, FeatureMapsOfABackboneAreReadAndKeptWithTheModel) {
  TrainingData data;
  add_scenes(data, 4);
  TrainOptions options = small_training();
  options.backbone = backbone::write_backbone(1, data.folder().path());
  const dataset::Bytes one = train_bytes(data.dataset(), options, {.threads = 1});
  const forest::Forest forest = forest::read_forest(one, "f");
  ASSERT_TRUE(forest.preparation.maps);
  EXPECT_EQ(forest.preparation.maps->reduction(), 2);
  int reading = 0;
  for (const forest::Tree& tree : forest.labelling_trees())
    for (const forest::Node& node : tree.nodes) reading += !node.is_leaf() && forest::reads_map(node.feature);
  EXPECT_GT(reading, 0);
  EXPECT_EQ(train_bytes(data.dataset(), options, {.threads = 3}), one);
  EXPECT_EQ(train_bytes(data.dataset(), options, {.threads = 2, .memory_budget_bytes = 300000}), one)
      << "frames that are not kept are prepared again";
  options.backbone_reduction = 1;
  EXPECT_NE(train_bytes(data.dataset(), options), one);
}

/// Scenes with three maps; the second one marks the pixels of class 1, the others are noise.
void add_mapped_scenes(const TrainingData& data, int frames) {
  generate::GenerateOptions options;
  options.width = 64;
  options.height = 48;
  for (int i = 0; i < frames; ++i) {
    generate::SyntheticFrame scene = generate::generate_frame(options, static_cast<std::uint32_t>(i));
    scene.frame.maps = forest::noise_maps(3, 48, 64, static_cast<std::uint32_t>(i));
    image::SuppliedMaps& maps = scene.frame.maps;
    for (std::size_t y = 0; y < maps.rows; ++y)
      for (std::size_t x = 0; x < maps.cols; ++x)
        maps.values[(maps.rows + y) * maps.cols + x] = scene.labels(2 * y, 2 * x) == 1 ? 0.75f : 0.25f;
    data.add("scene" + std::to_string(i), scene.frame,
             dataset::colorize_labels(scene.labels, generate::synthetic_classes()));
  }
}

TEST(TrainForest, MapsThatComeWithFramesAreReadAndTheirRangesKept) {
  TrainingData data;
  add_mapped_scenes(data, 4);
  TrainOptions options = small_training();
  options.linear_head = false;  // so that tests of its scores do not replace all tests of the maps
  const dataset::Bytes one = train_bytes(data.dataset(), options, {.threads = 1});
  const forest::Forest forest = forest::read_forest(one, "f");
  EXPECT_FALSE(forest.preparation.head);
  ASSERT_EQ(forest.preparation.supplied_maps.size(), 3u);
  EXPECT_EQ(forest.preparation.supplied_maps[1], (image::MapRange{0.25f, 0.75f}));
  std::array<int, 3> reading{};
  for (const forest::Tree& tree : forest.labelling_trees())
    for (const forest::Node& node : tree.nodes)
      if (!node.is_leaf() && forest::reads_map(node.feature))
        ++reading[static_cast<std::size_t>(forest::map_of(node.feature))];
  EXPECT_GT(reading[1], 0) << "it tells a class from the others";
  EXPECT_EQ(train_bytes(data.dataset(), options, {.threads = 3}), one);
  EXPECT_EQ(train_bytes(data.dataset(), options, {.threads = 2, .memory_budget_bytes = 300000}), one)
      << "frames that are not kept are read again";
  TrainOptions without = options;
  without.supplied_maps = false;
  const forest::Forest blind = forest::read_forest(train_bytes(data.dataset(), without), "f");
  EXPECT_TRUE(blind.preparation.supplied_maps.empty());
}

/// Three maps of noise, the same for every frame; counts its calls.
class NoiseEncoder final : public encoder::Encoder {
 public:
  const encoder::EncoderInfo& info() const override { return info_; }
  mutable std::atomic<int> num_calls = 0;

 protected:
  image::SuppliedMaps compute(const image::Frame& frame) const override {
    ++num_calls;
    return forest::noise_maps(3, frame.rows(), frame.cols(), frame.color.data()->r);
  }

 private:
  encoder::EncoderInfo info_ = {"noise", "77"};
};

TEST(TrainForest, MapsOfAnEncoderAreThoseThatComeWithFrames) {
  TrainingData data, mapped;
  add_scenes(data, 4);
  const auto noise = std::make_shared<NoiseEncoder>();
  const dataset::Dataset encoded = data.dataset().with_encoder(noise);
  EXPECT_EQ(encoded.num_maps(), 3u);
  for (std::uint32_t i = 0; i < 4; ++i)
    mapped.add(encoded.files(i).name, encoded.read_frame(i),
               dataset::read_truth(encoded.files(i).truth, encoded.config()));
  const TrainOptions options = small_training();
  const forest::Forest forest = train_forest(encoded, options);
  EXPECT_EQ(forest.encoder, noise->info());
  forest::Forest same = train_forest(mapped.dataset(), options);
  EXPECT_FALSE(same.encoder);
  same.encoder = forest.encoder;
  EXPECT_TRUE(same == forest);
  EXPECT_TRUE(train_forest(encoded, options, {.threads = 2, .memory_budget_bytes = 300000}) == forest);
  testdata::expect_refused(ErrorKind::kUsage, [&] { mapped.dataset().with_encoder(noise); });
}

TEST(TrainForest, MapsStandBehindThoseOfABackbone) {
  TrainingData data;
  add_mapped_scenes(data, 4);
  TrainOptions options = small_training();
  options.backbone = backbone::write_backbone(1, data.folder().path());
  const dataset::Bytes one = train_bytes(data.dataset(), options, {.threads = 1});
  const forest::Forest forest = forest::read_forest(one, "f");
  const int num_classes = static_cast<int>(forest.num_classes()), backbone = forest.preparation.maps->num_maps();
  EXPECT_EQ(forest.preparation.num_maps(), backbone + 3 + num_classes);
  EXPECT_EQ(forest.preparation.map_name(backbone + 1), "supplied map 1");
  EXPECT_EQ(forest.preparation.map_name(backbone + 3), "score of " + forest.classes.classes[0].name);
  EXPECT_EQ(train_bytes(data.dataset(), options, {.threads = 3}), one);
}

TEST(TrainForest, AFrameWithoutTheMapsOfOthersIsASentence) {
  TrainingData data;
  add_mapped_scenes(data, 2);
  std::filesystem::remove(data.folder() / "scene1_maps.npy");
  testdata::expect_refused(ErrorKind::kData, [&] { data.dataset(); });
  dataset::write_maps(data.folder() / "scene1_maps.npy", forest::noise_maps(2, 48, 64, 1));
  testdata::expect_refused(ErrorKind::kData, [&] { train_forest(data.dataset(), small_training()); });
}

TEST(TrainForest, ABackboneThatCannotBeUsedIsASentence) {
  TrainingData data;
  add_scenes(data, 2);
  TrainOptions options = small_training();
  options.backbone = (data.folder() / "scene0_colors.png").string();
  testdata::expect_refused(ErrorKind::kModel, [&] { train_forest(data.dataset(), options); });
  options.backbone = (data.folder() / "missing.backbone").string();
  testdata::expect_refused(ErrorKind::kRuntime, [&] { train_forest(data.dataset(), options); });
  options.backbone = backbone::write_backbone(1, data.folder().path());
  options.backbone_reduction = 3;
  testdata::expect_refused(ErrorKind::kUsage, [&] { train_forest(data.dataset(), options); });
}

TEST(TrainForest, ABackboneNeedsColour) {
  TrainingData data;
  image::Frame frame = forest::noise_frame(20, 30, 1);
  frame.color = {};
  data.add("a", frame, Array2<image::Rgb>(20, 30, {1, 2, 3}));
  TrainOptions options = small_training();
  options.backbone = backbone::write_backbone(1, data.folder().path());
  testdata::expect_refused(ErrorKind::kData, [&] { train_forest(data.dataset(), options); });
}

TEST(TrainForest, ColorOnlyDataGiveAColorModel) {
  TrainingData data;
  add_black_and_white(data);
  EXPECT_EQ(train_forest(data.dataset(), small_training()).preparation.channels,
            image::ChannelLayout({"lab", "gradient"}));
}

TEST(TrainForest, FernsShareOneTestPerLevelAndHoldEverySample) {
  TrainingData data;
  add_scenes(data, 3);
  TrainOptions options = small_training();
  options.algorithm = forest::ForestKind::kFerns;
  options.max_depth = 10;
  const forest::Forest ferns = train_forest(data.dataset(), options);
  EXPECT_EQ(ferns.kind, forest::ForestKind::kFerns);
  for (const forest::Tree& fern : ferns.labelling_trees()) {
    EXPECT_EQ(forest::find_odd_node(fern), std::nullopt);
    EXPECT_EQ(num_samples_in(fern), 900u);
    EXPECT_GT(fern.depth(), 5);
    EXPECT_GT(fern.num_leaves(), static_cast<std::size_t>(fern.depth()) + 1) << "more than a chain";
  }
  EXPECT_GT(accuracy_on(ferns, data.dataset()), majority_share(ferns) + 0.2);
}

TEST(TrainForest, EveryTreeHoldsEverySampleInItsLeaves) {
  TrainingData data;
  add_scenes(data, 3);
  TrainReport report;
  const forest::Forest forest = train_forest(data.dataset(), small_training(), {}, {}, &report);
  for (const forest::Tree& tree : forest.labelling_trees()) {
    EXPECT_EQ(num_samples_in(tree), 900u);  // 3 frames with 300 samples each
    EXPECT_LE(tree.depth(), 6);
    for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
      EXPECT_LT(std::count(tree.leaf_counts.row(leaf), tree.leaf_counts.row(leaf) + forest.num_classes(), 0u),
                forest.num_classes());  // no split has an empty side
  }
  EXPECT_NE(forest.labelling_trees()[0], forest.labelling_trees()[1]);
  EXPECT_EQ(report.samples, 1800u);
  EXPECT_EQ(report.levels.front().samples, 900u);
}

TEST(TrainForest, LeafCountsAreThoseOfTheSamplesThatEndThere) {
  // A pixel takes the same path in training and prediction, so that sorting the samples again gives the same counts.
  TrainingData data;
  add_scenes(data, 3);
  TrainOptions options = small_training();
  options.mirror_augmentation = true;
  const forest::Forest forest = train_forest(data.dataset(), options);
  ThreadPool pool(1);
  FrameStore store(data.dataset(), forest.classes, forest.preparation, 1 << 26);
  for (std::uint32_t k = 0; k < 2; ++k) {
    const forest::Tree& tree = forest.labelling_trees()[k];
    const SampleSet samples = draw_samples(store, options, k, forest.classes.size(), pool);
    Array2<std::uint32_t> counts(tree.num_leaves(), forest.classes.size());
    store.visit(samples.frames, pool, [&](std::size_t f, const LoadedFrame& frame, int) {
      for (std::size_t s = samples.frame_starts[f]; s < samples.frame_starts[f + 1]; ++s) {
        const auto leaf = forest::find_leaf(tree.nodes.data(), frame.view(), samples.sites[s]);
        ++counts(static_cast<std::size_t>(leaf), samples.labels[s]);
      }
    });
    EXPECT_EQ(counts, tree.leaf_counts);
  }
}

TEST(TrainForest, SplitsBlackFromWhite) {
  TrainingData data;
  add_black_and_white(data);
  TrainOptions options = small_training();
  options.samples_per_frame = 768;  // all pixels
  options.max_offset = 2;
  options.max_half_extent = 1;
  options.min_samples = 1;
  options.channels = {"lab"};
  const forest::Forest forest = train_forest(data.dataset(), options);
  EXPECT_EQ(forest.classes.classes[1].color, (image::Rgb{2, 0, 0}));
  EXPECT_EQ(forest.class_pixels, (std::vector<std::uint64_t>{384, 384}));
  EXPECT_GT(accuracy_on(forest, data.dataset()), 0.6);
  for (const forest::Tree& tree : forest.labelling_trees()) EXPECT_EQ(num_samples_in(tree), 768u);
}

TEST(TrainForest, WeighsClassesByTheDataSetNotByTheSamples) {
  TrainingData data;
  add_scenes(data, 2);
  TrainOptions options = small_training();
  options.trees = 1;
  options.max_depth = 1;
  options.min_samples = 1000000;  // the root stays a leaf
  options.sampling = Sampling::kClasses;
  const forest::Forest forest = train_forest(data.dataset(), options);
  const Array2<float> row = forest::leaf_votes(forest, forest.labelling_trees()[0], 0);
  double all = 0;
  for (const std::uint64_t pixels : forest.class_pixels) all += static_cast<double>(pixels);
  for (std::size_t c = 0; c < row.cols(); ++c)
    EXPECT_NEAR(row(0, c), static_cast<double>(forest.class_pixels[c]) / all, 1e-6);
}

TEST(TrainForest, SeedChangesTheForest) {
  TrainingData data;
  add_scenes(data, 2);
  TrainOptions options = small_training();
  const forest::Forest one = train_forest(data.dataset(), options);
  options.seed += 1;
  EXPECT_NE(one.labelling_trees(), train_forest(data.dataset(), options).labelling_trees());
}

TEST(TrainForest, FirstTreesDoNotDependOnHowManyFollow) {
  TrainingData data;
  add_scenes(data, 2);
  TrainOptions options = small_training();
  const forest::Forest two = train_forest(data.dataset(), options);
  options.trees = 1;
  EXPECT_EQ(train_forest(data.dataset(), options).labelling_trees()[0], two.labelling_trees()[0]);
}

TEST(TrainForest, DepthOnlyDataGiveADepthModel) {
  TrainingData data;
  generate::GenerateOptions size;
  size.width = 64, size.height = 48;
  for (const std::uint32_t i : {0u, 1u}) {
    generate::SyntheticFrame scene = generate::generate_frame(size, i);
    scene.frame.color = {};
    data.add("d" + std::to_string(i), scene.frame,
             dataset::colorize_labels(scene.labels, generate::synthetic_classes()));
  }
  const forest::Forest forest = train_forest(data.dataset(), small_training());
  EXPECT_EQ(forest.preparation.channels, image::ChannelLayout({"depth", "height", "upright", "behind", "above"}));
  EXPECT_GT(forest.labelling_trees()[0].num_leaves(), 5u);
}

TEST(TrainForest, FramesMayDifferInSize) {
  TrainingData data;
  add_scenes(data, 1);
  add_black_and_white(data, true);
  TrainReport report;
  const forest::Forest forest = train_forest(data.dataset(), small_training(), {}, {}, &report);
  EXPECT_EQ(num_samples_in(forest.labelling_trees()[0]), 600u);
  EXPECT_EQ(report.frames, 2u);
}

TEST(TrainForest, KnowsManyClasses) {
  // Squares of 4 x 4 pixels in 48 colours; each colour is a class.
  TrainingData data;
  image::Frame frame{Array2<image::Rgb>(24, 32), {}};
  Array2<image::Rgb> truth(24, 32);
  for (std::size_t y = 0; y < 24; ++y)
    for (std::size_t x = 0; x < 32; ++x) {
      const std::size_t square = y / 4 * 8 + x / 4;
      truth(y, x) = {static_cast<std::uint8_t>(square + 1), 0, 0};
      frame.color(y, x) = {static_cast<std::uint8_t>(square % 4 * 80), static_cast<std::uint8_t>(square / 4 % 4 * 80),
                           static_cast<std::uint8_t>(square / 16 * 100)};
    }
  data.add("squares", frame, truth);
  TrainOptions options = small_training();
  options.samples_per_frame = 768;
  options.features = 200;
  options.max_offset = 4;
  options.max_half_extent = 1;
  options.max_depth = 12;
  options.min_samples = 2;
  const forest::Forest forest = train_forest(data.dataset(), options);
  EXPECT_EQ(forest.num_classes(), 48);
  EXPECT_GT(accuracy_on(forest, data.dataset()), 0.5);  // 1/48 by chance
}

/// A frame of 4 x 4 pixel squares of forty classes, of which the first is 79 times as frequent as the last. Noise makes
/// the colour of a single pixel a weak cue, and classes of similar colours differ in frequency.
void add_forty_classes(const TrainingData& data, std::uint32_t index) {
  constexpr std::size_t kRows = 64, kCols = 96;
  image::Frame frame{Array2<image::Rgb>(kRows, kCols), {}};
  Array2<image::Rgb> truth(kRows, kCols);
  for (std::size_t y = 0; y < kRows; ++y)
    for (std::size_t x = 0; x < kCols; ++x) {
      const Draw square = draw(7, RngStream::kScene, index, 0, static_cast<std::uint32_t>(y / 4 * kCols + x / 4));
      const Draw pixel = draw(7, RngStream::kScene, index, 1, static_cast<std::uint32_t>(y * kCols + x));
      const std::uint32_t label = std::min(square.below(0, 40), square.below(1, 40)), shade = label * 29 % 40;
      truth(y, x) = {static_cast<std::uint8_t>(label + 1), 0, 0};
      frame.color(y, x) = {static_cast<std::uint8_t>(shade % 8 * 25 + pixel.below(0, 50)),
                           static_cast<std::uint8_t>(shade / 8 * 40 + pixel.below(1, 80)), 90};
    }
  data.add("squares" + std::to_string(index), frame, truth);
}

TEST(TrainForest, BoostedTreesKnowFortyClassesAndWeighTheRareOnes) {
  TrainingData data, others;
  for (std::uint32_t i = 0; i < 4; ++i) add_forty_classes(data, i);
  add_forty_classes(others, 4);
  TrainOptions options = small_training();
  options.algorithm = forest::ForestKind::kBoosted;
  options.trees = 30;
  options.samples_per_frame = 1500;
  options.unary_feature_fraction = 0.8f;
  options.max_offset = 1;
  options.max_half_extent = 1;
  options.learning_rate = 0.3f;
  options.class_weights = "data";
  const Accuracy by_data = accuracies_on(train_forest(data.dataset(), options), others.dataset());
  options.class_weights = "sqrt";
  const Accuracy weighed = accuracies_on(train_forest(data.dataset(), options), others.dataset());
  EXPECT_GT(by_data.pixel, 0.4);  // the most frequent class has a share of 1/20
  EXPECT_GT(weighed.class_average, by_data.class_average + 0.01);
}

TEST(TrainForest, OneClassGivesTreesOfOneLeaf) {
  TrainingData data;
  data.add("plain", {Array2<image::Rgb>(8, 8, image::Rgb{5, 6, 7}), {}}, Array2<image::Rgb>(8, 8, image::Rgb{1, 0, 0}));
  const forest::Forest forest = train_forest(data.dataset(), small_training());
  ASSERT_EQ(forest.labelling_trees().size(), 2u);
  for (const forest::Tree& tree : forest.labelling_trees()) {
    EXPECT_EQ(tree.nodes.size(), 1u);
    EXPECT_EQ(tree.leaf_counts(0, 0), 64u);
  }
}

TEST(TrainForest, NothingToTellClassesByGivesTreesOfOneLeaf) {
  TrainingData data;
  Array2<image::Rgb> truth(8, 8, image::Rgb{1, 0, 0});
  truth(3, 3) = {2, 0, 0};
  data.add("plain", {{}, Array2<std::uint16_t>(8, 8, 0)}, truth);  // unknown depth everywhere
  const forest::Forest forest = train_forest(data.dataset(), small_training());
  EXPECT_EQ(forest.labelling_trees()[0].nodes.size(), 1u);
  EXPECT_EQ(forest.labelling_trees()[0].leaf_counts(0, 1), 1u);
}

TEST(TrainForest, AllVoidIsADataError) {
  TrainingData data;
  data.folder().write("dataset.toml", std::string("[[classes]]\nname = \"floor\"\ncolor = [1, 0, 0]\n"));
  data.add("void", {Array2<image::Rgb>(8, 8), {}}, Array2<image::Rgb>(8, 8));
  testdata::expect_refused(ErrorKind::kData, [&] { train_forest(data.dataset(), small_training()); });
}

TEST(TrainForest, ClassWithoutPixelsGivesAWarningAndTheRestIsTrained) {
  TrainingData data;
  data.folder().write("dataset.toml", std::string("[[classes]]\nname = \"light\"\ncolor = [1, 0, 0]\n"
                                                  "[[classes]]\nname = \"unicorn\"\ncolor = [9, 9, 9]\n"
                                                  "[[classes]]\nname = \"dark\"\ncolor = [2, 0, 0]\n"));
  add_black_and_white(data);
  TrainReport report;
  const forest::Forest forest = train_forest(data.dataset(), small_training(), {}, {}, &report);
  ASSERT_EQ(report.warnings.size(), 1u);
  testdata::expect_sentence(report.warnings[0].text.on_command_line());
  EXPECT_EQ(forest.num_classes(), 3);
  EXPECT_EQ(forest.class_pixels[1], 0u);
  EXPECT_GT(forest.labelling_trees()[0].num_leaves(), 1u);
}

TEST(TrainForest, ClassImbalanceGivesAWarningUnlessRareClassesWeighMore) {
  TrainingData data;
  add_screws_on_ground(data, 1);
  TrainOptions options = small_training();
  TrainReport report;
  train_forest(data.dataset(), options, {}, {}, &report);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0].id, "class-imbalance");
  testdata::expect_sentence(report.warnings[0].text.on_command_line());
  options.class_weights = "sqrt";
  train_forest(data.dataset(), options, {}, {}, &report);
  EXPECT_TRUE(report.warnings.empty());
}

TEST(TrainForest, ChannelsThatTheDataLackAreAUsageError) {
  TrainingData data;
  add_black_and_white(data);
  TrainOptions options = small_training();
  options.channels = {"lab", "depth"};
  testdata::expect_refused(ErrorKind::kUsage, [&] { train_forest(data.dataset(), options); });
  options.channels = {"lab", "smell"};
  testdata::expect_refused(ErrorKind::kUsage, [&] { train_forest(data.dataset(), options); });
}

TEST(TrainForest, UnknownDeviceIsAUsageError) {
  TrainingData data;
  add_black_and_white(data);
  testdata::expect_refused(ErrorKind::kUsage,
                           [&] { train_forest(data.dataset(), small_training(), {.device = "abacus:0"}); });
}

TEST(TrainForest, MissingGpuIsADeviceError) {
  TrainingData data;
  add_black_and_white(data);
  EXPECT_EQ(
      testdata::error_of([&] { train_forest(data.dataset(), small_training(), {.device = "cuda:99"}); }).value().kind(),
      ErrorKind::kDevice);
}

TEST(TrainForest, GrowsTreesOfMoreThan65535Nodes) {
  // Noise: pixels have little in common, so that nearly each of the 60000 samples reaches a leaf of its own.
  TrainingData data;
  forest::Noise noise(1);
  image::Frame frame = forest::noise_frame(200, 300, 2);
  frame.depth_mm = {};
  Array2<image::Rgb> truth(200, 300);
  for (image::Rgb& color : truth) color = {static_cast<std::uint8_t>(noise.between(1, 20)), 0, 0};
  data.add("noise", frame, truth);
  TrainOptions options = small_training();
  options.trees = 1;
  options.samples_per_frame = 60000;
  options.features = 6;
  options.thresholds = 4;
  options.max_depth = 64;
  options.min_samples = 1;
  options.max_offset = 3;
  options.max_half_extent = 1;
  const forest::Forest forest = train_forest(data.dataset(), options);
  EXPECT_GT(forest.labelling_trees()[0].nodes.size(), 65535u);
  EXPECT_EQ(num_samples_in(forest.labelling_trees()[0]), 60000u);
  forest::model_bytes(forest);  // checks the rules of model files
}

TEST(TrainForest, ReportAndProgressTellWhatHappened) {
  TrainingData data;
  add_scenes(data, 2);
  TrainReport report;
  std::vector<TrainProgress> told;
  std::size_t levels = 0;
  TrainHooks hooks;
  hooks.progress = [&](const TrainProgress& progress) { told.push_back(progress); };
  hooks.level_done = [&](const LevelReport&) { ++levels; };
  TrainOptions options = small_training();
  const forest::Forest forest = train_forest(data.dataset(), options, {.device = "cpu"}, hooks, &report);
  EXPECT_EQ(levels, report.levels.size());
  EXPECT_EQ(report.frames, 2u);
  EXPECT_EQ(report.device, "cpu");
  EXPECT_EQ(report.instruction_set, to_string(available_isas().back()));
  std::uint64_t responses = 0;
  for (const LevelReport& level : report.levels) {
    EXPECT_EQ(level.responses, level.samples * 40u);
    responses += level.responses;
  }
  EXPECT_EQ(report.responses(), responses);
  EXPECT_GT(report.stages().sum(), 0);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front().phase, TrainProgress::Phase::kScanning);
  EXPECT_EQ(told.back().phase, TrainProgress::Phase::kGrowing);
  EXPECT_EQ(told.back().tree, 1);
  EXPECT_EQ(told.back().trees, 2);
  for (const TrainProgress& progress : told) {
    EXPECT_GE(progress.done, 0);
    EXPECT_LE(progress.done, 1);
  }
}

}  // namespace
}  // namespace fernwood::train
