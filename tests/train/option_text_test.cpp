// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include <cstdlib>

#include "backbone/small_network.h"
#include "fernwood/train/options.h"
#include "sentences.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

TrainOptions options_from(const OptionTexts& texts, const dataset::Dataset* frames = nullptr) {
  TrainOptions options;
  TrainResources resources;
  set_options(texts, frames, options, resources);
  return options;
}

TEST(OptionText, SetsNumbersNamesFlagsAndLists) {
  TrainOptions options;
  TrainResources resources;
  set_options({{"trees", "7"},
               {"unary_feature_fraction", "0.25"},
               {"seed", "18446744073709551615"},
               {"mirror-augmentation", "false"},
               {"sampling", "pixels"},
               {"channels", "lab, depth"},
               {"class-weights", "floor=2"},
               {"memory-budget", "2MiB"},
               {"device", "cpu"}},
              /*frames=*/nullptr, options, resources);
  EXPECT_EQ(options.trees, 7);
  EXPECT_EQ(options.unary_feature_fraction, 0.25f);
  EXPECT_EQ(options.seed, 18446744073709551615u);
  EXPECT_FALSE(options.mirror_augmentation);
  EXPECT_EQ(options.sampling, Sampling::kPixels);
  EXPECT_EQ(options.channels, (std::vector<std::string>{"lab", "depth"}));
  EXPECT_EQ(options.class_weights, "floor=2");
  EXPECT_EQ(resources.memory_budget_bytes, 2097152u);
  EXPECT_EQ(resources.device, "cpu");
}

TEST(OptionText, PresetAndKindComeFirstWhereverTheyStand) {
  const TrainOptions thesis = options_from({{"trees", "9"}, {"preset", "thesis"}});
  EXPECT_EQ(thesis.trees, 9);
  EXPECT_EQ(thesis.max_half_extent, 10);
  const TrainOptions ferns = options_from({{"trees", "9"}, {"algorithm", "ferns"}});
  EXPECT_EQ(ferns.algorithm, forest::ForestKind::kFerns);
  EXPECT_EQ(ferns.trees, 9);
  EXPECT_EQ(ferns.max_depth, defaults_of(forest::ForestKind::kFerns).max_depth);
}

TEST(OptionText, ABackboneAsksForOtherTreesOfBalancedWhereverItStands) {
  const TrainOptions& with = presets()[1].with_backbone;
  ASSERT_EQ(presets()[1].name, "balanced");
  ASSERT_NE(with.max_depth, TrainOptions().max_depth);
  using Texts = OptionTexts;
  for (const Texts& texts : {Texts{{"backbone", "b"}}, Texts{{"backbone", "b"}, {"preset", "balanced"}},
                             Texts{{"algorithm", "boosted"}, {"backbone", "b"}}}) {
    EXPECT_EQ(options_from(texts).trees, with.trees);
    EXPECT_EQ(options_from(texts).max_depth, with.max_depth);
  }
  const TrainOptions changed = options_from({{"trees", "9"}, {"backbone", "b"}});
  EXPECT_EQ(changed.trees, 9);
  EXPECT_EQ(changed.max_depth, with.max_depth);
  EXPECT_EQ(options_from({{"backbone", "none"}}).trees, TrainOptions().trees);
  for (const char* const preset : {"fast", "best"})
    EXPECT_EQ(options_from({{"preset", preset}, {"backbone", "b"}}).trees, options_from({{"preset", preset}}).trees);
  EXPECT_EQ(options_from({{"algorithm", "forest"}, {"backbone", "b"}}).trees,
            defaults_of(forest::ForestKind::kForest).trees);
}

TEST(OptionText, TheDefaultBackboneIsReadWhereThereIsColour) {
  const dataset::TestFolder folder;
  std::filesystem::rename(backbone::write_backbone(1, folder.path()), folder / "lite0.backbone");
  ::setenv("FERNWOOD_BACKBONES", folder.path().c_str(), 1);
  TrainingData with_color, depth_only;
  add_scenes(with_color, 1);
  depth_only.add("a", {.color = {}, .depth_mm = Array2<std::uint16_t>(4, 4, 1000)},
                 Array2<image::Rgb>(4, 4, {1, 2, 3}));
  const dataset::Dataset &color = with_color.dataset(), &depth = depth_only.dataset();
  using Texts = OptionTexts;
  for (const Texts& texts : {Texts{}, Texts{{"backbone", "auto"}}, Texts{{"channels", "lab,depth"}}}) {
    EXPECT_EQ(options_from(texts, &color).backbone, "lite0");
    EXPECT_EQ(options_from(texts, &color).backbone_file(), folder / "lite0.backbone");
    EXPECT_EQ(options_from(texts, &color).trees, presets()[1].with_backbone.trees);
    EXPECT_EQ(options_from(texts, &depth).backbone, kNoBackbone);
    EXPECT_EQ(options_from(texts, &depth).trees, TrainOptions().trees);
  }
  for (const Texts& texts : {Texts{{"backbone", "none"}}, Texts{{"channels", "depth"}}, Texts{{"preset", "thesis"}}}) {
    EXPECT_EQ(options_from(texts, &color).backbone, kNoBackbone);
    EXPECT_TRUE(options_from(texts, &color).backbone_file().empty());
    EXPECT_EQ(to_json(options_from(texts, &color)), to_json(options_from(texts, &depth)));
  }
  EXPECT_EQ(options_from({{"preset", "thesis"}, {"backbone", "lite0"}}, &color).backbone, "lite0");
  EXPECT_EQ(TrainOptions().backbone, kNoBackbone) << "members say all";
  ::unsetenv("FERNWOOD_BACKBONES");
}

TEST(OptionText, ACascadeOfAPresetNeedsFramesToLeaveOut) {
  TrainingData one, two;
  add_scenes(one, 1);
  add_scenes(two, 2);
  const OptionTexts best = {{"preset", "best"}, {"backbone", "b"}};
  EXPECT_EQ(options_from(best).cascade, 2);
  EXPECT_EQ(options_from(best, &two.dataset()).cascade, 2);
  EXPECT_EQ(options_from(best, &one.dataset()).cascade, 1);
  EXPECT_EQ(options_from(best, &one.dataset()).max_depth, options_from(best).max_depth);
  two.folder().write("groups.txt", std::string("scene0 kitchen\nscene1 kitchen\n"));
  EXPECT_EQ(options_from(best, &two.dataset()).cascade, 1);
  EXPECT_EQ(options_from({{"preset", "best"}, {"backbone", "b"}, {"cascade", "2"}}, &one.dataset()).cascade, 2)
      << "what is given is refused, not changed";
}

TEST(OptionText, WhatIsNoneIsNamed) {
  for (const auto& [option, text] : OptionTexts{{"tres", "7"},
                                                {"trees", "many"},
                                                {"trees", "1.5"},
                                                {"mirror-augmentation", "maybe"},
                                                {"algorithm", "shrub"},
                                                {"preset", "x"}})
    testdata::expect_refused(ErrorKind::kUsage, [&option = option, &text = text] { options_from({{option, text}}); });
}

}  // namespace
}  // namespace fernwood::train
