// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/journal.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>

#include "fernwood/core/file.h"
#include "search/toy_problem.h"
#include "sentences.h"
#include "test_folder.h"

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
         std::ranges::equal(a.result.results, b.result.results, same_evaluated) &&
         std::ranges::equal(a.result.latency_ms, b.result.latency_ms, [](double x, double y) { return same(x, y); });
}

/// A later process reads what this one has appended, for random numbers and strings.
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
  std::optional<Journal> journal(std::in_place, folder / "search", head, 0, seconds_now);
  std::vector<Batch> batches;
  std::map<std::pair<std::size_t, std::size_t>, JournalEvaluation> evaluations;
  std::size_t num_trials = 0;
  for (std::size_t g = 0; g < 20; ++g) {
    std::vector<Configuration> configurations(1 + below(4));
    for (Configuration& configuration : configurations) {
      std::vector<double> point(toy.space().parameters().size());
      for (double& place : point) place = below(4) == 0 ? 0.0 : static_cast<double>(random()) / 4294967296.0;
      configuration = toy.space().configuration(point);
    }
    batches.push_back({configurations, below(100000)});
    journal->add_batch(configurations, batches.back().num_points);
    for (std::size_t s = 0; s < configurations.size(); ++s, ++num_trials)
      for (std::size_t fold = 0; fold < 3; ++fold) {
        JournalEvaluation evaluation;
        if (below(3) == 0) {
          evaluation.problem = "why: ";
          for (std::size_t k = 0; k < below(6); ++k) evaluation.problem += kParts[below(kParts.size())];
        } else {
          evaluation.result.train_seconds = number();
          for (std::size_t v = 0; v <= below(3); ++v) {
            evaluation.variants.push_back(v);
            evaluation.result.results.push_back({number(), number(), number()});
            if (fold == 0) evaluation.result.latency_ms.push_back(number());
          }
        }
        journal->add_evaluation(num_trials, fold, evaluation);
        evaluations[{num_trials, fold}] = *journal->evaluation(num_trials, fold);
      }
  }
  journal.reset();
  const Journal other(folder / "search", head, 0, seconds_now);
  EXPECT_TRUE(other.warnings().empty());
  ASSERT_EQ(other.batch(batches.size()), nullptr);
  for (std::size_t g = 0; g < batches.size(); ++g) {
    ASSERT_NE(other.batch(g), nullptr);
    EXPECT_EQ(other.batch(g)->configurations, batches[g].configurations);
    EXPECT_EQ(other.batch(g)->num_points, batches[g].num_points);
  }
  for (const auto& [key, evaluation] : evaluations) {
    const auto [trial, fold] = key;
    ASSERT_NE(other.evaluation(trial, fold), nullptr);
    EXPECT_TRUE(same(*other.evaluation(trial, fold), evaluation)) << trial << ", " << fold;
  }
}

TEST(SearchJournal, IsUsedByOneSearchAtATime) {
  const testdata::TestFolder folder;
  const JournalHead head = {"some data", "{}", ToyProblem().space()};
  const Journal journal(folder / "search", head, 0, seconds_now);
  fernwood::testdata::expect_refused(ErrorKind::kUsage, [&] { Journal(folder / "search", head, 0, seconds_now); });
}

}  // namespace
}  // namespace fernwood::search
