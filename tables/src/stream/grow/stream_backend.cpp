// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_backend.h"

#include <algorithm>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"

namespace fernwood::stream {

namespace {

/// The largest divisor of `count` up to `most`.
std::size_t largest_factor(std::size_t count, std::size_t most) {
  std::size_t best = 1;
  for (std::size_t d = 1; d <= std::min(count, most); ++d)
    if (count % d == 0) best = d;
  return best;
}

}  // namespace

Division divide_among_threads(Parallel parallel, std::size_t num_threads, std::size_t num_attributes) {
  switch (parallel) {
    case Parallel::kSequential:
      return {1, 1, false};
    case Parallel::kNode:
      return {1, 1, true};
    case Parallel::kFeature:
      return {1, num_threads, false};
    case Parallel::kData:
      return {num_threads, 1, false};
    case Parallel::kDataFeature:
      break;
  }
  const std::size_t attribute_parts = largest_factor(num_threads, num_attributes);
  return {num_threads / attribute_parts, attribute_parts, false};
}

Division divide_among_ranks(Parallel parallel, std::size_t num_ranks) {
  FW_CHECK(num_ranks == 1 || (parallel != Parallel::kSequential && parallel != Parallel::kNode), Usage,
           named_option("parallel", to_string(parallel))
               << " is for one process and " << num_ranks << " were started; use data, feature or data-feature");
  if (parallel == Parallel::kFeature) return {1, num_ranks, false};
  if (parallel == Parallel::kData) return {num_ranks, 1, false};
  std::size_t root = 1;
  while ((root + 1) * (root + 1) <= num_ranks) ++root;
  const std::size_t attribute_parts = largest_factor(num_ranks, root);
  return {num_ranks / attribute_parts, attribute_parts, false};
}

RankShare share_of(std::size_t rank, const Division& ranks, std::size_t num_attributes) {
  RankShare share;
  share.record_part = rank / ranks.attribute_parts;
  share.attribute_part = rank % ranks.attribute_parts;
  share.counted = part_of(num_attributes, share.attribute_part, ranks.attribute_parts);
  const AttributeRange owned = part_of(share.counted.size(), share.record_part, ranks.record_parts);
  share.owned = {share.counted.begin + owned.begin, share.counted.begin + owned.end};
  return share;
}

void add_split(const records::Split& split, LeafSearch& found) { found.add({split}); }

void add_search(LeafSearch&& other, LeafSearch& found) {
  if (found.add(other)) found.left = std::move(other.left);
}

std::vector<std::unique_ptr<HeldRecords>> StreamBackend::hold_all(std::vector<records::RecordTable>&& tables) {
  std::vector<std::unique_ptr<HeldRecords>> held;
  for (records::RecordTable& table : tables) {
    held.push_back(hold(table.view(), table.labels, table.targets));
    table = {};
  }
  return held;
}

#if !FERNWOOD_HAS_CUDA
std::unique_ptr<StreamBackend> make_gpu_backend(const StreamOptions&, Device) {
  throw Error(ErrorKind::kDevice,
              "this build has no CUDA; configure with -DFERNWOOD_CUDA=ON, or use " + named_option("device", "cpu"));
}
#endif

std::unique_ptr<StreamBackend> make_stream_backend(const StreamOptions& options, const StreamWork& work,
                                                   ThreadPool& pool, const LeafSketchMaker& sketches) {
  require_option(sketches.in_bins || work.device == "cpu", "device", work.device,
                 "sketches of the kind " + std::string(sketches.name) + " are counted by the CPU only, use cpu");
  const Device device = choose_device(work.device).device;
  if (device.is_cpu()) return make_cpu_backend(options, work.parallel, pool, sketches);
  require_option(!options.predicts_targets(), "device", to_string(device),
                 OptionSentence{"with {} the CPU counts, use cpu", {{"task", "regression"}}});
  return make_gpu_backend(options, device);
}

}  // namespace fernwood::stream
