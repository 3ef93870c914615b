// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "fernwood/search/search.h"

namespace fernwood::search {

/// Results of earlier batches for the next one.
struct ProposalPast {
  std::size_t batch = 0;               ///< Index of the batch to propose.
  std::size_t num_points = 0;          ///< Points of the low-discrepancy sequence used so far.
  std::vector<Configuration> parents;  ///< Survivors, best first.
  std::set<Configuration> tried;       ///< Not proposed again.
};

/// A batch of configurations, as proposed by the search or by an external sampler.
struct Batch {
  std::vector<Configuration> configurations;
  std::size_t num_points = 0;  ///< Points of the sequence used by all batches so far.
};

/// The configurations of a batch, as a pure function of the arguments. The very first is the space's standard one.
/// Without parents, and for a share of later batches, points come from Sobol's sequence, shifted by the seed (Cranley
/// and Patterson 1976); the others lie around parents, more often around better ones, and closer in later batches
/// (López-Ibáñez et al., The irace package, 2016).
/// @param count  Configurations wanted; fewer if the space has no more, or Problem::check() rejects the rest.
Batch propose_configurations(const Problem& problem, Proposals how, std::uint64_t seed, std::size_t count,
                             const ProposalPast& past);

/// Numbers 0 … count - 1 in an order that depends on the seed: the folds of a race.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed);

}  // namespace fernwood::search
