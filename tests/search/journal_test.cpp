// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/journal.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "test_folder.h"
#include "fernwood/core/file.h"
#include "search/toy_problem.h"

namespace fernwood::search {
namespace {

/// Equal, or both NaN.
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same(const JournalEvaluation& a, const JournalEvaluation& b) {
  const auto same_evaluated = [](const FoldResult& x, const FoldResult& y) {
    return same(x.loss, y.loss) && same(x.accuracy, y.accuracy) && same(x.class_accuracy, y.class_accuracy);
  };
  return a.variants == b.variants && a.problem == b.problem && a.after_races == b.after_races &&
         same(a.result.train_seconds, b.result.train_seconds) &&
         std::ranges::equal(a.result.judged, b.result.judged, same_evaluated) &&
         std::ranges::equal(a.result.latency_ms, b.result.latency_ms, [](double x, double y) { return same(x, y); });
}

/// All processes read what one has appended, for random numbers and strings.
TEST(SearchJournal, WhateverIsAppendedIsReadBack) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::array<double, 9> kNumbers = {0, -0.0, 0.1, 1, 5e-324, 1.7976931348623157e308, 1e-300, kInfinity, NAN};
  const std::vector<std::string> kParts = {"a", "\"", "\\", "\n", "\x1b[2J", "\x7f", "\xff", "ü", std::string(1, '\0'),
                                           "😀"};
  std::mt19937 random(3);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  const auto number = [&] { return kNumbers[below(kNumbers.size())]; };
  const testdata::TestFolder folder;
  const ToyProblem toy;
  const JournalHead head = {"some data", R"({"folds": 5})", toy.space()};
  Journal journal(folder / "search", head, 0, seconds_now);
  std::vector<std::vector<Setting>> generations;
  std::size_t num_trials = 0;
  for (std::size_t g = 0; g < 20; ++g) {
    std::vector<Setting> settings(1 + below(4));
    for (Setting& setting : settings) {
      std::vector<double> point(toy.space().parameters().size());
      for (double& place : point) place = below(4) == 0 ? 0.0 : static_cast<double>(random()) / 4294967296.0;
      setting = toy.space().setting(point);
    }
    journal.add_generation(g, settings, below(100000));
    generations.push_back(settings);
    for (std::size_t s = 0; s < settings.size(); ++s, ++num_trials)
      for (std::size_t fold = 0; fold < 3; ++fold) {
        JournalEvaluation unit;
        if (below(3) == 0) {
          unit.problem = "why: ";
          for (std::size_t k = 0; k < below(6); ++k) unit.problem += kParts[below(kParts.size())];
        } else {
          unit.result.train_seconds = number();
          for (std::size_t v = 0; v <= below(3); ++v) {
            unit.variants.push_back(v);
            unit.result.judged.push_back({number(), number(), number()});
            if (fold == 0) unit.result.latency_ms.push_back(number());
          }
        }
        journal.add_evaluation(num_trials, fold, unit);
        ASSERT_NE(journal.unit(num_trials, fold), nullptr);
      }
  }
  const Journal other(folder / "search", head, 0, seconds_now);
  EXPECT_TRUE(other.warnings().empty());
  ASSERT_EQ(other.num_generations(), generations.size());
  for (std::size_t g = 0; g < generations.size(); ++g) {
    EXPECT_EQ(other.generation(g)->settings, generations[g]);
    EXPECT_EQ(other.generation(g)->num_points, journal.generation(g)->num_points);
  }
  for (std::size_t trial = 0; trial < num_trials; ++trial)
    for (std::size_t fold = 0; fold < 3; ++fold) {
      ASSERT_NE(other.unit(trial, fold), nullptr);
      EXPECT_TRUE(same(*other.unit(trial, fold), *journal.unit(trial, fold))) << trial << ", " << fold;
    }
}

TEST(SearchJournal, LatenciesOfEarlierJournalsAreReadByTheirOldName) {
  const testdata::TestFolder folder;
  const ToyProblem toy;
  const JournalHead head = {"some data", R"({"folds": 5})", toy.space()};
  {
    Journal journal(folder / "search", head, 0, seconds_now);
    journal.add_generation(0, {toy.space().standard()}, 1);
    JournalEvaluation evaluation;
    evaluation.variants = {0};
    evaluation.result = {1, {{0.5, 0.5, 0.5}}, {31.5}};
    journal.add_evaluation(0, 0, evaluation);
  }
  std::string text = read_text(folder / "search" / "journal.jsonl");
  const std::string now = "\"latency_ms\"";
  ASSERT_NE(text.find(now), std::string::npos);
  text.replace(text.find(now), now.size(), "\"frame_ms\"");
  folder.write("search/journal.jsonl", text);
  const Journal journal(folder / "search", head, 0, seconds_now);
  ASSERT_NE(journal.unit(0, 0), nullptr);
  EXPECT_EQ(journal.unit(0, 0)->result.latency_ms, std::vector<double>{31.5});
}

}  // namespace
}  // namespace fernwood::search
