// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/generate/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "generate/scene.h"
#include "sentences.h"
#include "test_folder.h"

namespace fernwood::generate {
namespace {

namespace fs = std::filesystem;

GenerateOptions small_options(int width = 96, int height = 72) {
  GenerateOptions options;
  options.frames = 3;
  options.test_frames = 2;
  options.width = width;
  options.height = height;
  return options;
}

template <typename T>
std::string checksum_of(const Array2<T>& image) {
  return to_hex(checksum(image.data(), image.size() * sizeof(T)));
}

TEST(GenerateFrame, SameSeedSameBytesOnEveryMachine) {
  const GenerateOptions options = small_options(64, 48);
  const SyntheticFrame a = generate_frame(options, 7), b = generate_frame(options, 7);
  EXPECT_EQ(a.frame.color, b.frame.color);
  EXPECT_EQ(a.frame.depth_mm, b.frame.depth_mm);
  EXPECT_EQ(a.labels, b.labels);
  // Fixed when the generator was written: a change of these checksums changes the data sets of all users.
  EXPECT_EQ(checksum_of(a.frame.color), "0e8cf6a73f91664d");
  EXPECT_EQ(checksum_of(a.frame.depth_mm), "0b0ab6ca486a0e90");
  EXPECT_EQ(checksum_of(a.labels), "a2592568a4bf41f0");
}

TEST(GenerateFrame, SeedAndSceneChangeEverything) {
  GenerateOptions options = small_options(64, 48);
  const SyntheticFrame first = generate_frame(options, 0), second = generate_frame(options, 1);
  options.seed += std::uint64_t{1} << 32;  // the upper half of the seed counts, too
  const SyntheticFrame other = generate_frame(options, 0);
  for (const SyntheticFrame* frame : {&second, &other}) {
    EXPECT_NE(frame->frame.color, first.frame.color);
    EXPECT_NE(frame->frame.depth_mm, first.frame.depth_mm);
    EXPECT_NE(frame->labels, first.labels);
  }
}

TEST(GenerateFrame, KnowsItsCamera) {
  // 2 atan(320 / 570) is 58.6 degrees; the centre of 640 columns is between columns 319 and 320.
  const GenerateOptions options = small_options(320, 200);
  EXPECT_EQ(generated_camera(small_options(640, 480)), (image::Camera{640, 480, 570.0f, 570.0f, 319.5f, 239.5f}));
  EXPECT_EQ(generated_camera(options), (image::Camera{320, 200, 285.0f, 285.0f, 159.5f, 99.5f}));
  EXPECT_EQ(generate_frame(options, 1).frame.camera, generated_camera(options));
}

TEST(GenerateFrame, CameraIsWhatRaysGoThrough) {
  const Camera scene = make_scene(1, 2, 320, 200).camera;
  const image::Camera camera = generated_camera(small_options(320, 200));
  EXPECT_EQ(scene.focal_px, camera.fx);
  EXPECT_EQ(scene.center_x, camera.cx + 0.5f) << "there, pixels have their middle at + 0.5";
  EXPECT_EQ(scene.center_y, camera.cy + 0.5f);
}

TEST(GenerateFrame, HasTheSizeAskedFor) {
  const SyntheticFrame f = generate_frame(small_options(50, 40), 3);
  EXPECT_EQ(f.frame.color.rows(), 40u);
  EXPECT_EQ(f.frame.color.cols(), 50u);
  EXPECT_EQ(f.frame.depth_mm.rows(), 40u);
  EXPECT_EQ(f.frame.depth_mm.cols(), 50u);
  EXPECT_EQ(f.labels.rows(), 40u);
  EXPECT_EQ(f.labels.cols(), 50u);
}

TEST(GenerateFrame, TwelveScenesShowEveryClassAndNoneIsEmpty) {
  std::set<std::uint16_t> all;
  for (std::uint32_t scene = 0; scene < 12; ++scene) {
    const image::LabelImage labels = generate_frame(small_options(), scene).labels;
    const std::set<std::uint16_t> seen(labels.begin(), labels.end());
    EXPECT_GE(seen.size(), 5u) << "scene " << scene << " shows little besides floor, wall and void";
    all.insert(seen.begin(), seen.end());
  }
  EXPECT_EQ(all.size(), synthetic_classes().size() + 1);  // including void
  EXPECT_EQ(*std::max_element(all.begin(), all.end()), image::kVoid);
  EXPECT_EQ(*all.rbegin(), image::kVoid);
  EXPECT_EQ(*std::next(all.rbegin()), synthetic_classes().size() - 1);
}

TEST(GenerateFrame, AnInstanceIsOneObjectOfOneClassAndStuffIsOfNone) {
  for (const SceneClasses kind : {SceneClasses::kThings, SceneClasses::kRare}) {
    GenerateOptions options = small_options(160, 120);
    options.classes = kind;
    const image::ClassMap& classes = generated_classes(options);
    std::size_t num_chairs = 0;
    for (std::uint32_t scene = 0; scene < 8; ++scene) {
      const SyntheticFrame f = generate_frame(options, scene);
      std::map<std::uint16_t, std::uint16_t> label_of;  // [instance]
      for (std::size_t i = 0; i < f.labels.size(); ++i) {
        const std::uint16_t label = f.labels.data()[i], instance = f.instances.data()[i];
        const bool is_thing = label != image::kVoid && classes.classes[label].is_thing();
        EXPECT_EQ(instance != image::kNoInstance, is_thing);
        if (is_thing) {
          EXPECT_EQ(label_of.emplace(instance, label).first->second, label);
        }
      }
      num_chairs = std::max<std::size_t>(
          num_chairs, std::ranges::count_if(label_of, [](const auto& one) { return one.second == kChair; }));
    }
    if (kind == SceneClasses::kThings) {
      EXPECT_GT(num_chairs, 1u) << "each chair is an object";
    }
  }
}

TEST(GenerateFrame, PartsOfAnObjectHaveItsNumber) {
  GenerateOptions options = small_options(160, 120);
  const SyntheticFrame things = generate_frame(options, 0);
  options.classes = SceneClasses::kParts;
  const SyntheticFrame parts = generate_frame(options, 0);
  for (std::size_t i = 0; i < things.labels.size(); ++i)  // those without a class have one as parts
    if (things.labels.data()[i] != image::kVoid) {
      EXPECT_EQ(parts.instances.data()[i], things.instances.data()[i]);
    }
}

TEST(GenerateFrame, ClassColoursDifferFromEachOtherAndFromVoid) {
  for (const image::ClassMap* map : {&synthetic_classes(), &part_classes(), &rare_classes()}) {
    std::set<std::tuple<int, int, int>> colors = {{0, 0, 0}};
    for (const image::ClassInfo& c : map->classes) colors.insert({c.color.r, c.color.g, c.color.b});
    EXPECT_EQ(colors.size(), map->size() + 1);
    EXPECT_EQ(map->void_colors, std::vector<image::Rgb>{image::Rgb{}});
  }
}

TEST(GenerateFrame, DepthIsInMillimetresWithHoles) {
  double sum_of_shares = 0;
  for (std::uint32_t scene = 0; scene < 4; ++scene) {
    const SyntheticFrame f = generate_frame(small_options(160, 120), scene);
    std::size_t missing = 0;
    for (const std::uint16_t depth : f.frame.depth_mm) {
      missing += depth == 0;
      // Noise may move 8 m outwards by 3.5 * 0.41 + 0.5 steps: 342 / (42.75 - 1.94) = 8.38 m; and 0.5 m inwards.
      EXPECT_TRUE(depth == 0 || (depth >= 498 && depth <= 8380)) << depth;
    }
    const double share = static_cast<double>(missing) / static_cast<double>(f.frame.depth_mm.size());
    EXPECT_GT(share, 0.01) << "scene " << scene;
    EXPECT_LT(share, 0.40) << "scene " << scene;  // highest where the far wall of a hall is out of range
    sum_of_shares += share;
  }
  EXPECT_LT(sum_of_shares / 4, 0.25);
}

TEST(GenerateFrame, HolesTakeTheShareAskedForAndNothingElseChanges) {
  GenerateOptions options = small_options(160, 120);
  const SyntheticFrame natural = generate_frame(options, 2);
  const std::size_t num_natural = std::ranges::count(natural.frame.depth_mm, 0);
  for (const double share : {0.0, 0.01, 0.3, 0.9}) {
    options.holes = share;
    const SyntheticFrame f = generate_frame(options, 2);
    const std::size_t num_missing = std::ranges::count(f.frame.depth_mm, 0);
    EXPECT_EQ(num_missing, static_cast<std::size_t>(std::lround(share * 160 * 120)));
    EXPECT_EQ(f.frame.color, natural.frame.color);
    EXPECT_EQ(f.labels, natural.labels);
    std::size_t num_both = 0;
    for (std::size_t i = 0; i < f.frame.depth_mm.size(); ++i) {
      const std::uint16_t depth = f.frame.depth_mm.data()[i], natural_depth = natural.frame.depth_mm.data()[i];
      num_both += depth == 0 && natural_depth == 0;
      EXPECT_TRUE(depth == 0 || natural_depth == 0 || depth == natural_depth) << i;
    }
    EXPECT_EQ(num_both, std::min(num_missing, num_natural)) << "what the camera misses goes first";
  }
}

TEST(GenerateFrame, HolesAreBlobsSoonerBesideSteps) {
  GenerateOptions options = small_options(160, 120);
  options.holes = 0;
  const Array2<std::uint16_t> whole = generate_frame(options, 2).frame.depth_mm;
  options.holes = 0.5;
  const Array2<std::uint16_t> half = generate_frame(options, 2).frame.depth_mm;
  std::size_t num_changes = 0, num_steps = 0, num_missing_at_steps = 0;
  for (std::size_t y = 0; y < half.rows(); ++y)
    for (std::size_t x = 1; x < half.cols(); ++x) {
      num_changes += (half(y, x) == 0) != (half(y, x - 1) == 0);
      const bool step = std::abs(whole(y, x) - whole(y, x - 1)) > 0.1 * whole(y, x);
      num_steps += step;
      num_missing_at_steps += step && half(y, x) == 0;
    }
  EXPECT_LT(num_changes, 160u * 120 / 6) << "pixels at random would change at every second place";
  EXPECT_GT(num_missing_at_steps, 0.7 * static_cast<double>(num_steps));
}

TEST(GenerateFrame, FloorPixelsLieOnTheFloor) {
  const GenerateOptions options = small_options(160, 120);
  int num_floor = 0;
  for (std::uint32_t index = 0; index < 3; ++index) {
    const SyntheticFrame f = generate_frame(options, index);
    const Camera camera = make_scene(options.seed, index, options.width, options.height).camera;
    const float focal = 570.0f * 160.0f / 640.0f;
    for (std::size_t y = 0; y < f.labels.rows(); ++y)
      for (std::size_t x = 0; x < f.labels.cols(); ++x) {
        if (f.labels(y, x) != kFloor || f.frame.depth_mm(y, x) == 0) continue;
        // Pinhole projection by hand: image x to the right, y downwards, z = depth.
        const float z = 0.001f * static_cast<float>(f.frame.depth_mm(y, x));
        const float right = (static_cast<float>(x) + 0.5f - 80.0f) * z / focal;
        const float down = (static_cast<float>(y) + 0.5f - 60.0f) * z / focal;
        const Vec3 p = camera.position + camera.right * right + camera.down * down + camera.forward * z;
        // Four standard deviations (1.2 mm * z^2), half a step (342 steps for z = 1 m), and the rug's 8 mm.
        EXPECT_NEAR(p.y, 0.0f, (4 * 0.0012f + 0.5f / 342.0f) * z * z * 1.05f + 0.009f) << index << " " << x << " " << y;
        ++num_floor;
      }
  }
  EXPECT_GT(num_floor, 3 * 160 * 120 / 20);
}

TEST(GenerateFrame, VoidSurroundsTheFrameAndSeparatesObjects) {
  const image::LabelImage labels = generate_frame(small_options(640, 96), 2).labels;
  for (std::size_t x = 0; x < labels.cols(); ++x)
    for (const std::size_t y : {0, 3, 92, 95}) EXPECT_EQ(labels(y, x), image::kVoid);
  for (std::size_t y = 0; y < labels.rows(); ++y)
    for (const std::size_t x : {0, 3, 636, 639}) EXPECT_EQ(labels(y, x), image::kVoid);
  for (std::size_t y = 0; y < labels.rows(); ++y)
    for (std::size_t x = 1; x < labels.cols(); ++x) {
      const std::uint16_t left = labels(y, x - 1), here = labels(y, x);
      EXPECT_TRUE(left == here || left == image::kVoid || here == image::kVoid)
          << "two classes touch at " << x << ", " << y;
    }
  EXPECT_EQ(margin_px(640), 4u);
  EXPECT_EQ(margin_px(64), 1u);
}

TEST(GenerateRareFrame, EachThingIsOnAboutATwoHundredthOfThePixels) {
  GenerateOptions options = small_options(320, 240);
  options.classes = SceneClasses::kRare;
  constexpr std::uint32_t kFrames = 12;
  std::vector<std::size_t> pixels(rare_classes().size(), 0);
  std::size_t known = 0;
  for (std::uint32_t scene = 0; scene < kFrames; ++scene)
    for (const std::uint16_t label : generate_frame(options, scene).labels) {
      if (label == image::kVoid) continue;
      ASSERT_LT(label, pixels.size());
      ++pixels[label];
      ++known;
    }
  EXPECT_GT(pixels[kBackground], known * 95 / 100);
  for (std::size_t c = 1; c < pixels.size(); ++c) {
    const double share = static_cast<double>(pixels[c]) / static_cast<double>(known);
    EXPECT_GT(share, 0.002) << rare_classes().classes[c].name;
    EXPECT_LT(share, 0.009) << rare_classes().classes[c].name;
  }
}

TEST(GenerateRareFrame, SameSeedSameBytesOnEveryMachine) {
  GenerateOptions options = small_options(96, 72);
  options.classes = SceneClasses::kRare;
  const SyntheticFrame frame = generate_frame(options, 7);
  EXPECT_EQ(checksum_of(frame.frame.color), "f5c73104d082cebd");
  EXPECT_EQ(checksum_of(frame.frame.depth_mm), "e5b13ab680b247ff");
  EXPECT_EQ(checksum_of(frame.labels), "f77e8dc434b6d29c");
}

TEST(GenerateRareFrame, HolesTakeTheShareAskedForAndNothingElseChanges) {
  GenerateOptions options = small_options(160, 120);
  options.classes = SceneClasses::kRare;
  const SyntheticFrame natural = generate_frame(options, 2);
  options.holes = 0.3;
  const SyntheticFrame holed = generate_frame(options, 2);
  EXPECT_EQ(std::ranges::count(holed.frame.depth_mm, 0), 160 * 120 * 3 / 10);
  EXPECT_EQ(holed.frame.color, natural.frame.color);
  EXPECT_EQ(holed.labels, natural.labels);
}

TEST(GeneratePartFrame, IsTheSameFrameWithEveryThingCutIntoItsParts) {
  GenerateOptions options = small_options(320, 240);
  ASSERT_EQ(part_classes().size(), 31u);
  std::set<std::pair<std::uint16_t, std::uint16_t>> met;  // object, part
  std::set<std::uint16_t> parts;
  for (std::uint32_t scene = 0; scene < 16; ++scene) {
    options.classes = SceneClasses::kThings;
    const SyntheticFrame things = generate_frame(options, scene);
    options.classes = SceneClasses::kParts;
    const SyntheticFrame cut = generate_frame(options, scene);
    EXPECT_EQ(cut.frame.color, things.frame.color);
    EXPECT_EQ(cut.frame.depth_mm, things.frame.depth_mm);
    for (std::size_t i = 0; i < cut.labels.size(); ++i) {
      const std::uint16_t thing = things.labels.data()[i], part = cut.labels.data()[i];
      if (part == image::kVoid) {
        ASSERT_EQ(thing, image::kVoid);
        continue;
      }
      ASSERT_LT(part, part_classes().size());
      parts.insert(part);
      met.insert({thing, part});
    }
  }
  EXPECT_EQ(parts.size(), part_classes().size());
  // Pillows lie on sofas and on beds, which are one class; each other part belongs to a single class.
  EXPECT_EQ(met.size(), parts.size());
  const auto part_of = [](PartLabel part) { return static_cast<std::uint16_t>(part); };
  for (const auto& [thing, part] : {std::pair<std::uint16_t, PartLabel>{kWall, PartLabel::kWindow},
                                    {kTable, PartLabel::kTableLegs},
                                    {kShelf, PartLabel::kBooks},
                                    {kSofa, PartLabel::kPillow},
                                    {kUnlabelled, PartLabel::kScreen}})
    EXPECT_TRUE(met.contains({thing, part_of(part)})) << part_classes().classes[part_of(part)].name;
}

TEST(MeasuredDepth, IsExactWithoutNoiseUpToOneStepOfDisparity) {
  EXPECT_EQ(measured_depth_mm(1.0f, 0), 1000);  // 342 steps
  EXPECT_EQ(measured_depth_mm(2.0f, 0), 2000);  // 171 steps
  EXPECT_EQ(measured_depth_mm(4.0f, 0), 3977);  // 85.5 steps, rounded to 86: 342 / 86 = 3.9767
  EXPECT_EQ(measured_depth_mm(9.0f, 0), 9000);  // 38 steps, out of range
}

TEST(MeasuredDepth, RangeIsHalfAMetreToEight) {
  for (const float depth_m : {0.5f, 8.0f}) EXPECT_TRUE(is_in_range(depth_m)) << depth_m;
  for (const float depth_m : {0.0f, 0.49f, 8.01f}) EXPECT_FALSE(is_in_range(depth_m)) << depth_m;
}

TEST(MeasuredDepth, NoiseGrowsWithTheSquareOfTheDistance) {
  // Noise of 0.41 steps moves the disparity 3 standard deviations up: 342 + 1.23 -> 343, 85.5 + 1.23 -> 87 steps.
  EXPECT_EQ(measured_depth_mm(1.0f, 3), 997);   // 342 / 343 = 0.99708
  EXPECT_EQ(measured_depth_mm(4.0f, 3), 3931);  // 342 / 87 = 3.93103
  const auto deviation_mm = [](float depth_m) {
    double sum = 0, squares = 0;
    constexpr int kDraws = 20000;
    for (std::uint32_t i = 0; i < kDraws; ++i) {
      const Draw d = draw(1, RngStream::kScene, 1, 0, i);
      const double mm = measured_depth_mm(depth_m + 0.002f * d.unit(1), gauss(d.word[0]));
      sum += mm;
      squares += mm * mm;
    }
    return std::sqrt(squares / kDraws - sum / kDraws * (sum / kDraws));
  };
  // Noise of 0.41 steps and rounding of 1 / sqrt(12) = 0.289 steps combine to 0.5015 steps of z^2 / 342 m.
  EXPECT_NEAR(deviation_mm(2.0f), 1000 * 0.5015 * 4 / 342, 0.6);
  EXPECT_NEAR(deviation_mm(4.0f), 1000 * 0.5015 * 16 / 342, 2.4);
}

TEST(CastShadows, AThingHidesWhatIsBehindAndLeftOfIt) {
  // A wall at 2 m, an object at 1 m over columns 40 ... 49. With 100 px * 0.075 m = 7.5 px m the object is shifted by
  // 7.5 px and the wall by 3.75 px: the shadow covers 3.75 px left of the object, columns 36 ... 39.
  std::vector<float> depth_m(100, 2.0f);
  std::fill(depth_m.begin() + 40, depth_m.begin() + 50, 1.0f);
  std::vector<std::uint8_t> shadowed(100, 7);
  cast_shadows(depth_m.data(), depth_m.size(), 100.0f, shadowed.data());
  std::vector<std::uint8_t> expected(100, 0);
  std::fill(expected.begin() + 36, expected.begin() + 40, 1);
  EXPECT_EQ(shadowed, expected);
}

TEST(GenerateDataset, OneAndTwoThreadsWriteTheSameFiles) {
  const GenerateOptions options = small_options(48, 36);
  const testdata::TestFolder temporary;
  const fs::path one = temporary / "one", two = temporary / "two";
  ThreadPool single(1), pair(2);
  generate_dataset(one, options, single);
  std::size_t last = 0;
  generate_dataset(two, options, pair, [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(done, ++last);
    EXPECT_EQ(total, 5u);
  });
  EXPECT_EQ(last, 5u);
  int num_files = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(one)) {
    if (entry.is_directory()) continue;
    ++num_files;
    EXPECT_EQ(read_file(entry.path()), read_file(two / fs::relative(entry.path(), one))) << entry.path();
  }
  EXPECT_EQ(num_files, 5 * 4 + 1);
  EXPECT_TRUE(fs::exists(one / "train" / "scene0002_colors.png"));
  EXPECT_TRUE(fs::exists(one / "test" / "scene0003_ground_truth.png"));
}

TEST(GenerateDataset, ReadsBackAsItWasMade) {
  const GenerateOptions options = small_options(48, 36);
  const testdata::TestFolder temporary;
  const fs::path folder = temporary / "out";
  ThreadPool pool(2);
  generate_dataset(folder, options, pool);
  const dataset::Dataset test = dataset::Dataset::open(folder, {}, "test");
  ASSERT_EQ(test.size(), 2u);
  EXPECT_EQ(test.config().classes, synthetic_classes().classes);
  EXPECT_EQ(test.files(1).name, "scene0004");
  const SyntheticFrame made = generate_frame(options, 4);
  const image::Frame frame = test.read_frame(1);
  EXPECT_EQ(frame.color, made.frame.color);
  EXPECT_EQ(frame.depth_mm, made.frame.depth_mm);
  EXPECT_EQ(test.read_labels(1, synthetic_classes()), made.labels);
  ASSERT_TRUE(test.has_instances());
  EXPECT_EQ(test.read_instances(1), made.instances);
}

TEST(GenerateDataset, NamesTheClassesOfItsKind) {
  for (const auto& [kind, classes] :
       {std::pair(SceneClasses::kRare, rare_classes()), std::pair(SceneClasses::kParts, part_classes())}) {
    GenerateOptions options = small_options(48, 36);
    options.classes = kind;
    const testdata::TestFolder temporary;
    const fs::path folder = temporary / "out";
    ThreadPool pool(2);
    generate_dataset(folder, options, pool);
    const dataset::Dataset test = dataset::Dataset::open(folder, {}, "test");
    EXPECT_EQ(test.config().classes, classes.classes);
    EXPECT_EQ(test.read_labels(1, classes), generate_frame(options, 4).labels);
  }
}

TEST(GenerateDataset, RepeatsItselfButDoesNotMixWithOtherFiles) {
  GenerateOptions options = small_options(48, 36);
  options.frames = 2;
  options.test_frames = 0;
  const testdata::TestFolder temporary;
  const fs::path folder = temporary / "out";
  ThreadPool pool(1);
  generate_dataset(folder, options, pool);
  EXPECT_FALSE(fs::exists(folder / "test"));
  EXPECT_NO_THROW(generate_dataset(folder, options, pool));
  std::ofstream(folder / "train" / "scene0001_depth.png.part") << "what a killed run left";
  EXPECT_NO_THROW(generate_dataset(folder, options, pool));
  EXPECT_FALSE(fs::exists(folder / "train" / "scene0001_depth.png.part"));
  options.frames = 1;
  testdata::expect_refused(ErrorKind::kUsage, [&] { generate_dataset(folder, options, pool); });
  EXPECT_TRUE(fs::exists(folder / "train" / "scene0001_depth.png"));
  options.frames = 2;
  fs::remove(folder / "dataset.toml");
  testdata::expect_refused(ErrorKind::kUsage, [&] { generate_dataset(folder, options, pool); });
}

TEST(GenerateDataset, LeavesAForeignDatasetTomlAlone) {
  const testdata::TestFolder temporary;
  const fs::path folder = temporary / "out";
  fs::create_directories(folder);
  std::ofstream(folder / "dataset.toml") << "background = \"wall\"\n";
  ThreadPool pool(1);
  EXPECT_THROW(generate_dataset(folder, small_options(48, 36), pool), Error);
  EXPECT_EQ(read_file(folder / "dataset.toml").size(), 20u);  // background = "wall" and a line end
  EXPECT_FALSE(fs::exists(folder / "train"));
}

TEST(GenerateDataset, LeavesForeignFramesAlone) {
  ThreadPool pool(1);
  for (const int sequence : {0, 2})
    for (const std::string place :
         {"a_colors.png", "kitchen/a_depth.png", "train/scene0000_colors.png", "train/room0000/frame0000_colors.png"}) {
      GenerateOptions options = small_options(48, 36);
      options.sequence = sequence;
      const testdata::TestFolder temporary;
      const fs::path folder = temporary / "out", own = folder / place;
      fs::create_directories(own.parent_path());
      std::ofstream(own) << "keep";
      if (sequence > 0 && place.starts_with("kitchen")) {
        EXPECT_NO_THROW(generate_dataset(folder, options, pool)) << "each split has a dataset.toml of its own";
        continue;
      }
      testdata::expect_refused(ErrorKind::kUsage, [&] { generate_dataset(folder, options, pool); });
      EXPECT_EQ(fs::file_size(own), 4u) << place;
      EXPECT_FALSE(fs::exists(folder / "dataset.toml") || fs::exists(folder / "train/dataset.toml")) << place;
    }
}

TEST(GenerateDataset, AFileInTheWayIsAnError) {
  const testdata::TestFolder temporary;
  const fs::path folder = temporary / "out";
  std::ofstream(folder.string()) << "not a folder";
  ThreadPool pool(1);
  EXPECT_THROW(generate_dataset(folder / "data", small_options(48, 36), pool), Error);
}

TEST(GenerateOptions, OptionsOutOfRangeAreNamed) {
  const auto changed = [](auto member, auto value) {
    GenerateOptions options;
    options.*member = value;
    return options;
  };
  for (const GenerateOptions& options :
       {changed(&GenerateOptions::frames, 0), changed(&GenerateOptions::frames, 100001),
        changed(&GenerateOptions::test_frames, -1), changed(&GenerateOptions::width, 31),
        changed(&GenerateOptions::width, 4097), changed(&GenerateOptions::height, 31),
        changed(&GenerateOptions::holes, -0.1), changed(&GenerateOptions::holes, 0.91),
        changed(&GenerateOptions::holes, std::nan(""))})
    testdata::expect_refused(ErrorKind::kUsage, [&] { options.check(); });
  for (const GenerateOptions& options :
       {GenerateOptions{}, changed(&GenerateOptions::test_frames, 0), changed(&GenerateOptions::width, 32)})
    EXPECT_NO_THROW(options.check());
}

}  // namespace
}  // namespace fernwood::generate
