// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/draw.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace fernwood {
namespace {

using Words = std::array<std::uint32_t, 4>;

Words words_of(const Draw& draw) { return {draw.word[0], draw.word[1], draw.word[2], draw.word[3]}; }

// Known answers for Philox4x32-10, distributed with Random123 (kat_vectors).
TEST(Draw, GivesTheKnownAnswersOfPhilox) {
  EXPECT_EQ(words_of(draw(0, static_cast<RngStream>(0), 0, 0, 0)),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(
      words_of(draw(0xffffffffffffffff, static_cast<RngStream>(0xff), 0xffffff, 0xffffffff, 0xffffffff, 0xffffffff)),
      (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  // Counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822 299f31d0: each argument reaches its own word.
  EXPECT_EQ(
      words_of(draw(0x299f31d0a4093822, static_cast<RngStream>(0x03), 0x707344, 0x13198a2e, 0x243f6a88, 0x85a308d3)),
      (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

/// The switch has no default case, so that the compiler warns about streams whose numbers are not pinned here.
int pinned_number(RngStream stream) {
  switch (stream) {
    case RngStream::kFrames:
      return 1;
    case RngStream::kSample:
      return 2;
    case RngStream::kCandidate:
      return 3;
    case RngStream::kThreshold:
      return 4;
    case RngStream::kScene:
      return 6;
    case RngStream::kBootstrap:
      return 7;
    case RngStream::kAttribute:
      return 8;
    case RngStream::kSynthetic:
      return 9;
    case RngStream::kProposal:
      return 10;
    case RngStream::kMisclassified:
      return 11;
    case RngStream::kHead:
      return 12;
  }
  return 0;
}

TEST(Draw, RngStreamsAreNeverRenumbered) {
  for (const int number : {1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12})
    EXPECT_EQ(pinned_number(static_cast<RngStream>(number)), number);
}

TEST(Draw, EveryArgumentMatters) {
  const std::set<Words> words = {words_of(draw(1, RngStream::kSample, 2, 3, 4, 5)),
                                 words_of(draw(9, RngStream::kSample, 2, 3, 4, 5)),
                                 words_of(draw(1 + (1ull << 32), RngStream::kSample, 2, 3, 4, 5)),
                                 words_of(draw(1, RngStream::kScene, 2, 3, 4, 5)),
                                 words_of(draw(1, RngStream::kSample, 9, 3, 4, 5)),
                                 words_of(draw(1, RngStream::kSample, 2, 9, 4, 5)),
                                 words_of(draw(1, RngStream::kSample, 2, 3, 9, 5)),
                                 words_of(draw(1, RngStream::kSample, 2, 3, 4, 9))};
  EXPECT_EQ(words.size(), 8u);
}

TEST(Draw, BelowScalesTheWholeRange) {
  const Draw d = {{0, 0x7fffffff, 0x80000000, 0xffffffff}};
  EXPECT_EQ(d.below(0, 10), 0u);
  EXPECT_EQ(d.below(1, 10), 4u);  // 0.4999… * 10, rounded down
  EXPECT_EQ(d.below(2, 10), 5u);
  EXPECT_EQ(d.below(3, 10), 9u);
  EXPECT_EQ(d.below(3, 1), 0u);
  EXPECT_EQ(d.below(3, 0xffffffff), 0xfffffffeu);
}

TEST(Draw, BetweenIncludesBothEnds) {
  const Draw d = {{0, 0x7fffffff, 0x80000000, 0xffffffff}};
  EXPECT_EQ(d.between(0, -111, 111), -111);
  EXPECT_EQ(d.between(1, -111, 111), 0);  // 223 / 2 = 111.5, rounded down to 111 steps from -111
  EXPECT_EQ(d.between(3, -111, 111), 111);
  EXPECT_EQ(d.between(1, 5, 5), 5);
}

TEST(Draw, UnitIsBelowOne) {
  const Draw d = {{0, 0x80000000, 0xffffffff, 0x000000ff}};
  EXPECT_EQ(d.unit(0), 0.0f);
  EXPECT_EQ(d.unit(1), 0.5f);
  EXPECT_EQ(d.unit(2), 1.0f - 0x1p-24f);
  EXPECT_EQ(d.unit(3), 0.0f);  // the low 8 bits are ignored
}

TEST(Draw, FillsItsRangeEvenly) {
  std::array<int, 10> seen{};
  for (std::uint32_t i = 0; i < 10000; ++i) ++seen[draw(4711, RngStream::kSample, 0, 0, i).below(0, 10)];
  for (const int count : seen) EXPECT_NEAR(count, 1000, 150);  // five standard deviations of sqrt(10000 * 0.09) = 30
}

}  // namespace
}  // namespace fernwood
