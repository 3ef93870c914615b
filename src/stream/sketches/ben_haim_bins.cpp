// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/ben_haim_bins.h"

#include <algorithm>
#include <utility>

#include "fernwood/core/arithmetic.h"
#include "fernwood/core/error.h"

namespace fernwood::stream {

void BenHaimBins::make_room() {
  if (!histograms_.empty()) return;
  histograms_.assign(num_classes_, BenHaimHistogram(max_bins_));
  unknown_.assign(num_classes_, 0);
}

void BenHaimBins::count(float value, std::uint32_t label) {
  make_room();
  if (is_nan(value))
    ++unknown_[label];
  else
    histograms_[label].update(value);
}

void BenHaimBins::merge(const BenHaimBins& other) {
  if (other.histograms_.empty()) return;
  make_room();
  for (std::size_t c = 0; c < num_classes_; ++c) {
    histograms_[c].merge(other.histograms_[c]);
    unknown_[c] += other.unknown_[c];
  }
}

void BenHaimBins::pack(Packer& packer) const {
  packer.put(unknown_);
  for (const BenHaimHistogram& histogram : histograms_)
    packer.put(std::vector<Bin>(histogram.bins().begin(), histogram.bins().end()));
}

void BenHaimBins::unpack(Unpacker& unpacker) {
  histograms_.clear();
  unpacker.get(unknown_);
  FW_CHECK(unknown_.empty() || unknown_.size() == num_classes_, Runtime,
           "histograms of another process are of " << unknown_.size() << " classes, not " << num_classes_
                                                   << "; start all processes with the same program and options");
  for (std::size_t c = 0; c < unknown_.size(); ++c) {
    std::vector<Bin> bins;
    unpacker.get(bins);
    histograms_.emplace_back(max_bins_, std::move(bins));
  }
}

Cells BenHaimBins::cells(LeafSketches::CellMemory& memory) const {
  BenHaimHistogram all(max_bins_);
  all.merge(histograms_);
  std::vector<double> places;
  // What records will be compared with is what is counted: the places as floats, each once.
  for (const double place : all.uniform(max_bins_))
    if (const double rounded = static_cast<float>(place); places.empty() || places.back() < rounded)
      places.push_back(rounded);
  std::size_t num_bins = places.size() + 1;
  memory.counts.assign(num_bins * num_classes_, 0);
  for (std::size_t c = 0; c < histograms_.size(); ++c) {
    const std::uint64_t total = histograms_[c].total();
    const std::vector<double> sums = histograms_[c].sums(places);
    std::uint64_t left = 0;
    for (std::size_t bin = 0; bin < num_bins; ++bin) {
      const std::uint64_t to = bin == places.size() ? total : static_cast<std::uint64_t>(sums[bin] + 0.5);
      const std::uint64_t before = std::exchange(left, std::clamp(to, left, total));
      memory.counts[bin * num_classes_ + c] = static_cast<std::uint32_t>(left - before);
    }
  }
  // Known values may lie behind a place with none of them behind it, so it must not part known from unknown ones.
  while (num_bins > 1 && is_empty(std::span(memory.counts).subspan((num_bins - 1) * num_classes_, num_classes_)))
    --num_bins;
  memory.thresholds.assign(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(num_bins - 1));
  memory.unknown = unknown_;
  memory.unknown.resize(num_classes_);
  return {memory.counts.data(), memory.thresholds.data(), num_bins, memory.unknown.data(), num_classes_};
}

std::size_t BenHaimBins::size_bytes() const {
  std::size_t size = unknown_.capacity() * sizeof(unknown_[0]);
  for (const BenHaimHistogram& histogram : histograms_) size += histogram.size_bytes();
  return size;
}

}  // namespace fernwood::stream
