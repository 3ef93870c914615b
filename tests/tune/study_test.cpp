// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fernwood/core/error.h"
#include "fernwood/tune/study.h"
#include "sentences.h"

namespace fernwood::tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

train::TrainOptions base_with(const Names& channels) {
  train::TrainOptions train = train::defaults_of(forest::ForestKind::kForest);
  train.trees = 3;
  train.samples_per_frame = 100;
  train.unary_feature_fraction = 0.2f;
  train.channels = channels;
  return train;
}

std::vector<StudyVariant> plan(StudyGroup group, const train::TrainOptions& train = base_with({"lab", "depth"}),
                               int smooth_px = 0) {
  return plan_study(train, static_cast<std::size_t>(train.trees), {.extent_px = smooth_px}, {group});
}

Names names_of(const std::vector<StudyVariant>& variants) {
  Names names;
  for (const StudyVariant& variant : variants) names.push_back(variant.name);
  return names;
}

TEST(PlanStudy, OfTwoChannelSetsOneIsLeftOutUnderAllItsNames) {
  const auto variants = plan(StudyGroup::kChannels);
  EXPECT_THAT(names_of(variants),
              ElementsAre("colour only = without depth = lab alone", "depth only = without lab = depth alone"));
  EXPECT_EQ(variants[0].train.channels, (Names{"lab"}));
  EXPECT_EQ(variants[1].grown.channels, (Names{"depth"}));
}

TEST(PlanStudy, EachChannelSetIsLeftOutAndStandsAlone) {
  const auto variants = plan(StudyGroup::kChannels, base_with({"lab", "gradient", "depth", "height"}));
  EXPECT_THAT(names_of(variants),
              ElementsAre("colour only", "depth only", "without lab", "without gradient", "without depth",
                          "without height", "lab alone", "gradient alone", "depth alone", "height alone"));
  EXPECT_EQ(variants[0].train.channels, (Names{"lab", "gradient"}));
  EXPECT_EQ(variants[1].train.channels, (Names{"depth", "height"}));
  EXPECT_EQ(variants[4].train.channels, (Names{"lab", "gradient", "height"}));
  EXPECT_EQ(variants[9].train.channels, (Names{"height"}));
}

TEST(PlanStudy, OneChannelSetLeavesNothingToChoose) {
  EXPECT_THAT(plan(StudyGroup::kChannels, base_with({"depth"})), IsEmpty());
}

TEST(PlanStudy, TreesAreTheFirstOfOneForest) {
  const auto variants = plan(StudyGroup::kTrees);
  EXPECT_THAT(names_of(variants), ElementsAre("1 tree", "2 trees", "4 trees", "5 trees", "6 trees", "7 trees",
                                              "8 trees", "9 trees", "10 trees"));
  for (const StudyVariant& variant : variants) EXPECT_EQ(variant.grown.trees, 10);
  EXPECT_EQ(variants[2].train.trees, 4);
  train::TrainOptions many = base_with({"depth"});
  many.trees = 20;
  EXPECT_EQ(plan(StudyGroup::kTrees, many).front().grown.trees, 20) << "the base's own forest";
}

TEST(PlanStudy, WhatTheBaseHasIsNoVariant) {
  train::TrainOptions train = base_with({"depth"});
  EXPECT_THAT(names_of(plan(StudyGroup::kAbsolute)), ElementsAre("no absolute responses", "absolute responses alone"));
  EXPECT_THAT(names_of(plan(StudyGroup::kStages)), ElementsAre("2 stages"));
  EXPECT_THAT(names_of(plan(StudyGroup::kSmoothing)), ElementsAre("smoothing 40 px", "smoothing 80 px"));
  EXPECT_THAT(names_of(plan(StudyGroup::kSmoothing, train, 40)), ElementsAre("no smoothing", "smoothing 80 px"));
  train.unary_feature_fraction = 0;
  EXPECT_THAT(names_of(plan(StudyGroup::kAbsolute, train)), ElementsAre("absolute responses alone"));
  train.cascade = 2;
  EXPECT_THAT(names_of(plan(StudyGroup::kStages, train)), ElementsAre("1 stage"));
  train.class_weights = "sqrt";
  EXPECT_THAT(names_of(plan(StudyGroup::kWeights, train)), ElementsAre("class weights data"));
}

TEST(PlanStudy, SamplesAreAQuarterAHalfAndTwice) {
  EXPECT_THAT(names_of(plan(StudyGroup::kSamples)), ElementsAre("25 samples", "50 samples", "200 samples"));
  train::TrainOptions few = base_with({"depth"});
  few.samples_per_frame = 2;
  EXPECT_THAT(names_of(plan(StudyGroup::kSamples, few)), ElementsAre("1 sample", "4 samples"));
}

TEST(PlanStudy, ClassWeightsNeedNoForestUnlessStagesReadThem) {
  train::TrainOptions train = base_with({"depth"});
  EXPECT_EQ(plan(StudyGroup::kWeights, train)[0].grown.class_weights, "data");
  EXPECT_EQ(plan(StudyGroup::kWeights, train)[0].train.class_weights, "sqrt");
  train.cascade = 2;
  EXPECT_EQ(plan(StudyGroup::kWeights, train)[0].grown.class_weights, "sqrt");
}

TEST(PlanStudy, FramesAreTurned) {
  const auto variants = plan(StudyGroup::kRotation);
  EXPECT_THAT(names_of(variants), ElementsAre("turned by 15°", "turned by 30°"));
  EXPECT_EQ(variants[1].turned_degrees, 30);
}

TEST(StudyGroups, AreFoundByNameInTheirOwnOrder) {
  EXPECT_THAT(parse_study_groups({"trees", "channels", "trees"}),
              ElementsAre(StudyGroup::kChannels, StudyGroup::kTrees));
  EXPECT_EQ(parse_study_groups({}).size(), kStudyGroups.size());
  for (const StudyGroup group : kStudyGroups) EXPECT_EQ(parse_study_groups({to_string(group)}).at(0), group);
  fernwood::testdata::expect_refused(ErrorKind::kUsage, [] { parse_study_groups({"chanels"}); });
}

}  // namespace
}  // namespace fernwood::tune
