// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/cuda/staging.cuh"

namespace fernwood::records {

namespace {

constexpr unsigned kFewestThreads = 64;
constexpr std::size_t kBlockBytes = 74u << 10;  // three blocks share a multiprocessor

Division divide(const EvaluationModel& model, unsigned threads, std::size_t value_size, std::size_t bytes) {
  Division division;
  division.threads = threads;
  division.value_bytes = (model.ranks.attributes.size() * column_step(threads) * value_size + 15) / 16 * 16;
  division.sum_bytes = has_one_sum(model) ? 0 : threads * kStagedRecords * sum_bytes<OutputSums>(model);
  const std::size_t taken = division.value_bytes + division.sum_bytes;
  division.window_bytes = taken < bytes ? (bytes - taken) / 16 * 16 : 0;
  return division;
}

}  // namespace

Division divide_block(const EvaluationModel& model, Values values, std::size_t largest_tree, std::size_t all_trees) {
  const std::size_t value_size = values == Values::kRanks ? sizeof(std::uint16_t) : sizeof(float);
  for (const std::size_t bytes : {kBlockBytes, cuda::block_shared_bytes()})
    for (unsigned threads = kMostStagedThreads; threads >= kFewestThreads; threads /= 2) {
      Division division = divide(model, threads, value_size, bytes);
      if (division.window_bytes < largest_tree) continue;
      division.window_bytes = std::min(division.window_bytes, all_trees);
      return division;
    }
  return {};
}

std::string division_obstacle(const Division& division) {
  if (division.threads > 0) return "";
  return "its largest tree and the values of some records do not fit into " +
         std::to_string(cuda::block_shared_bytes() >> 10) + " KiB of shared memory";
}

}  // namespace fernwood::records
