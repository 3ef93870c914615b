// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/propose.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <numeric>

#include "core/draw.h"
#include "fernwood/core/error.h"

namespace fernwood::search {

namespace {

// Purpose of a random number, below RngStream::kProposal; changes would break "the same seed, the same search".
enum class ProposalDraw : std::uint32_t { kFolds = 0, kShift = 1, kRandom = 2, kParent = 3, kMoves = 4, kPlace = 5 };

constexpr std::uint32_t kMaxAttempts = 200;  // to find a configuration that is new and allowed
constexpr std::size_t kSequenceEach = 4;     // one in this many proposals of a later batch comes from the sequence
// Width of the distribution of later batches in the unit cube, and its decrease.
constexpr double kFirstWidth = 0.3, kShrinkage = 0.75, kMinWidth = 0.02;
/// Expected number of values that differ from the parent's, if all parameters are numbers: a good value at an end of
/// its range, as many hand-made defaults are, would be lost if all changed at once.
constexpr double kMovedNumbers = 3;

/// A number in [0, 1) with 53 bits.
double unit_draw(std::uint64_t seed, ProposalDraw what, std::size_t batch, std::size_t number, std::size_t coordinate,
                 std::uint32_t attempt) {
  // The purpose uses 24 bits, batch and number 32 bits each, attempt and coordinate 16 bits each.
  const Draw numbers =
      draw(seed, RngStream::kProposal, static_cast<std::uint32_t>(what), static_cast<std::uint32_t>(batch),
           static_cast<std::uint32_t>(number), (attempt << 16) | static_cast<std::uint32_t>(coordinate));
  const std::uint64_t bits = (static_cast<std::uint64_t>(numbers.word[0]) << 21) ^ (numbers.word[1] >> 11);
  return static_cast<double>(bits & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
}

/// A normal number around `mean`, truncated to [0, 1). @param share  In [0, 1), argument of the inverse distribution.
double truncated_normal(double mean, double width, double share) {
  const boost::math::normal normal(mean, width);
  const double low = boost::math::cdf(normal, 0.0), high = boost::math::cdf(normal, 1.0);
  const double place = low + share * (high - low);
  if (place <= 0 || place >= 1) return mean;
  return std::clamp(boost::math::quantile(normal, place), 0.0, std::nextafter(1.0, 0.0));
}

class Proposer {
 public:
  Proposer(const Problem& problem, Proposals how, std::uint64_t seed, const ProposalPast& past)
      : problem_(problem),
        how_(how),
        seed_(seed),
        past_(past),
        num_coordinates_(problem.space().parameters().size()),
        num_free_(num_coordinates_ -
                  static_cast<std::size_t>(std::ranges::count_if(problem.space().parameters(), &Parameter::is_fixed))),
        tried_(past.tried),
        sequence_(num_coordinates_),
        batch_{{}, past.num_points} {
    sequence_.discard(past.num_points * num_coordinates_);
    for (const Configuration& parent : past.parents) parents_.push_back(problem.space().point(parent));
  }

  Batch propose(std::size_t count) {
    if (past_.batch == 0) take(problem_.space().standard());
    for (std::size_t number = batch_.configurations.size(); batch_.configurations.size() < count; ++number)
      if (!propose_one(number)) break;
    return std::move(batch_);
  }

 private:
  /// Whether a new configuration was found.
  bool propose_one(std::size_t number) {
    const bool from_sequence = parents_.empty() || number % kSequenceEach == kSequenceEach - 1;
    for (std::uint32_t attempt = 0; attempt < kMaxAttempts; ++attempt) {
      const std::vector<double> point = how_ == Proposals::kRandom ? random_point(number, attempt)
                                        : from_sequence            ? sequence_point()
                                                                   : point_near_parent(number, attempt);
      if (take(problem_.space().configuration(point))) return true;
    }
    return false;
  }

  bool take(const Configuration& configuration) {
    if (!tried_.insert(configuration).second) return false;
    try {
      problem_.check(configuration);
    } catch (const Error& error) {
      // The standard one is the user's, who has to correct it.
      if (error.kind() != ErrorKind::kUsage || configuration == problem_.space().standard()) throw;
      return false;
    }
    batch_.configurations.push_back(configuration);
    return true;
  }

  double unit(ProposalDraw what, std::size_t number, std::size_t coordinate, std::uint32_t attempt) const {
    return unit_draw(seed_, what, past_.batch, number, coordinate, attempt);
  }

  std::vector<double> random_point(std::size_t number, std::uint32_t attempt) const {
    std::vector<double> point(num_coordinates_);
    for (std::size_t i = 0; i < point.size(); ++i) point[i] = unit(ProposalDraw::kRandom, number, i, attempt);
    return point;
  }

  std::vector<double> sequence_point() {
    std::vector<double> point(num_coordinates_);
    for (std::size_t i = 0; i < point.size(); ++i) {
      const double shift = unit_draw(seed_, ProposalDraw::kShift, 0, 0, i, 0);
      const double place = static_cast<double>(sequence_() >> 11) * 0x1p-53 + shift;
      point[i] = place - std::floor(place);
    }
    ++batch_.num_points;
    return point;
  }

  /// Moves some numbers by a truncated normal, and replaces some choices; in later batches less.
  std::vector<double> point_near_parent(std::size_t number, std::uint32_t attempt) const {
    const double width = std::max(kMinWidth, kFirstWidth * std::pow(kShrinkage, static_cast<double>(past_.batch) - 1));
    const double moving = std::min(1.0, kMovedNumbers / static_cast<double>(num_free_));
    std::vector<double> point = parent_of(number, attempt);
    for (std::size_t i = 0; i < point.size(); ++i) {
      const bool is_number = problem_.space().parameters()[i].is_number();
      if (unit(ProposalDraw::kMoves, number, i, attempt) >= (is_number ? moving : width)) continue;
      const double place = unit(ProposalDraw::kPlace, number, i, attempt);
      point[i] = is_number ? truncated_normal(point[i], width, place) : place;
    }
    return point;
  }

  /// The r-th of n parents with weight n + 1 - r.
  const std::vector<double>& parent_of(std::size_t number, std::uint32_t attempt) const {
    const auto num = static_cast<double>(parents_.size());
    double place = unit(ProposalDraw::kParent, number, 0, attempt) * num * (num + 1) / 2;
    for (std::size_t i = 0; i + 1 < parents_.size(); ++i) {
      const double weight = num - static_cast<double>(i);
      if (place < weight) return parents_[i];
      place -= weight;
    }
    return parents_.back();
  }

  const Problem& problem_;
  Proposals how_;
  std::uint64_t seed_;
  const ProposalPast& past_;
  std::size_t num_coordinates_, num_free_;
  std::set<Configuration> tried_;
  boost::random::sobol sequence_;
  std::vector<std::vector<double>> parents_;  // as points
  Batch batch_;
};

}  // namespace

Batch propose_configurations(const Problem& problem, Proposals how, std::uint64_t seed, std::size_t count,
                             const ProposalPast& past) {
  return Proposer(problem, how, seed, past).propose(count);
}

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) {
    const double place = unit_draw(seed, ProposalDraw::kFolds, 0, i, 0, 0) * static_cast<double>(i);
    std::swap(order[i - 1], order[static_cast<std::size_t>(place)]);
  }
  return order;
}

}  // namespace fernwood::search
