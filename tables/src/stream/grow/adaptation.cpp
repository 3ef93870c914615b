// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/adaptation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/error.h"

namespace fernwood::stream {

double switch_bound(const Errors& first, const Errors& second, double significance) {
  constexpr double kLn2 = 0.6931471805599453;
  const double rate = first.rate();
  const double inverse = 1 / static_cast<double>(first.records) + 1 / static_cast<double>(second.records);
  return std::sqrt(2 * rate * (1 - rate) * kLn2 * exact_log2(2 / significance) * inverse);
}

std::vector<std::int32_t> Adaptation::adapt(OpenLeaves& leaves, std::vector<Errors> errors) {
  std::vector<std::uint8_t> risen = take_errors(leaves.tree(), std::move(errors));
  std::vector<Alternate> replacing, dropped;
  std::vector<std::int32_t> indices;
  compare(leaves.tree(), risen, replacing, dropped);
  if (!replacing.empty() || !dropped.empty()) {
    indices = leaves.replace(replacing, dropped);
    risen = renumber(indices, risen, leaves.tree().nodes().size());
  }
  begin_alternates(leaves, risen);
  windows_.resize(leaves.tree().nodes().size());
  return indices;
}

/// @return [node] Whether errors have increased.
std::vector<std::uint8_t> Adaptation::take_errors(const StreamTree& tree, std::vector<Errors> errors) {
  const std::size_t num_nodes = tree.nodes().size();
  windows_.resize(num_nodes);
  errors.resize(num_nodes);
  std::vector<std::uint8_t> risen(num_nodes);
  for (std::size_t n = 0; n < num_nodes; ++n) risen[n] = windows_[n].add(errors[n], options_.drift_delta);
  return risen;
}

/// Finds the alternates that are better than their nodes, and those that will not become better.
void Adaptation::compare(StreamTree& tree, std::vector<std::uint8_t>& risen, std::vector<Alternate>& replacing,
                         std::vector<Alternate>& dropped) {
  constexpr double kIndifferent = 0.01;  // of the error rate: a smaller difference does not justify a second tree
  const auto enough = static_cast<std::uint64_t>(options_.drift_window);
  for (Alternate& alternate : tree.alternates()) {
    const Errors& now = windows_[static_cast<std::size_t>(alternate.node)].window();
    const Errors& then = windows_[static_cast<std::size_t>(alternate.root)].window();
    if (risen[static_cast<std::size_t>(alternate.root)]) {  // the concept has changed again: start another
      dropped.push_back(alternate);
      risen[static_cast<std::size_t>(alternate.node)] = 1;
      continue;
    }
    if (now.records < enough || then.records < enough) continue;
    ++alternate.tests;
    const double bound = switch_bound(now, then, failure_of_test(options_.switch_significance, alternate.tests));
    if (now.rate() - then.rate() > bound)
      replacing.push_back(alternate);
    else if (then.rate() - now.rate() > bound || bound < kIndifferent)
      dropped.push_back(alternate);
  }
  counts_.replaced += replacing.size(), counts_.dropped += dropped.size();
}

/// Parents come first, since the number of alternates above a node is limited.
void Adaptation::begin_alternates(OpenLeaves& leaves, const std::vector<std::uint8_t>& risen) {
  StreamTree& tree = leaves.tree();
  std::vector<std::uint8_t> is_of_alternate(tree.nodes().size());
  for (const Alternate& alternate : tree.alternates()) tree.mark_below(alternate.root, is_of_alternate);
  for (std::size_t n = 0; n < risen.size(); ++n) {
    if (!risen[n] || is_of_alternate[n]) continue;
    const std::vector<std::uint8_t> above = tree.num_alternates_above();
    const bool has_one =
        std::ranges::find(tree.alternates(), static_cast<std::int32_t>(n), &Alternate::node) != tree.alternates().end();
    if (has_one || above[n] >= kMaxNested) continue;
    leaves.begin_alternate(static_cast<std::int32_t>(n));
    ++counts_.warnings;
  }
}

/// @param indices  [old node] New index, or -1. @return [node] `risen` of the remaining nodes.
std::vector<std::uint8_t> Adaptation::renumber(const std::vector<std::int32_t>& indices,
                                               const std::vector<std::uint8_t>& risen, std::size_t num_nodes) {
  std::vector<Adwin> windows(num_nodes);
  std::vector<std::uint8_t> still_risen(num_nodes);
  for (std::size_t n = 0; n < indices.size(); ++n) {
    if (indices[n] < 0) continue;
    windows[static_cast<std::size_t>(indices[n])] = std::move(windows_[n]);
    still_risen[static_cast<std::size_t>(indices[n])] = risen[n];
  }
  windows_ = std::move(windows);
  return still_risen;
}

std::vector<std::int32_t> Adaptation::end_alternates(OpenLeaves& leaves) {
  const std::vector<Alternate> all = leaves.tree().alternates();
  return all.empty() ? std::vector<std::int32_t>() : leaves.replace({}, all);
}

void Adaptation::pack(Packer& packer) const {
  packer.put(counts_);
  packer.put(std::uint64_t{windows_.size()});
  for (const Adwin& window : windows_) window.pack(packer);
}

void Adaptation::unpack(Unpacker& unpacker, std::size_t num_nodes) {
  unpacker.get(counts_);
  const auto num_windows = unpacker.get<std::uint64_t>();
  FW_CHECK(num_windows <= num_nodes, Model, num_windows << " windows of errors are of " << num_nodes << " nodes");
  windows_.assign(static_cast<std::size_t>(num_windows), {});
  for (Adwin& window : windows_) window.unpack(unpacker);
}

}  // namespace fernwood::stream
