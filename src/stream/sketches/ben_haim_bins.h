// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/messages.h"
#include "fernwood/stream/ben_haim.h"
#include "stream/sketches/leaf_sketches.h"

namespace fernwood::stream {

/// SketchKind::kBenHaim, a Column of ColumnSketches: a histogram for each class that was seen. It depends on the order
/// in which values are counted and columns are merged.
class BenHaimBins {
 public:
  /// @param bins  Of a histogram.
  BenHaimBins(std::size_t num_classes, int bins) : num_classes_(num_classes), max_bins_(bins) {}

  /// Procedure UPDATE. @param value  NaN: unknown.
  void count(float value, std::uint32_t label);
  /// Procedure MERGE, class by class.
  void merge(const BenHaimBins& other);
  void pack(Packer& packer) const;
  /// Replaces what is here. @throws Error(kRuntime) for bytes that end early, Error(kData) for no bins of histograms.
  void unpack(Unpacker& unpacker);
  /// The places that part all classes' values evenly (UNIFORM of the merged histogram: Ben-Haim and Tom-Tov 2010,
  /// algorithm 7), with the records that SUM of each class's histogram says lie between them, rounded to whole ones.
  Cells cells(LeafSketches::CellMemory& memory) const;
  std::size_t size_bytes() const;

 private:
  void make_room();

  std::size_t num_classes_;
  int max_bins_;
  std::vector<BenHaimHistogram> histograms_;  ///< [class], or none as long as nothing was counted.
  std::vector<std::uint32_t> unknown_;        ///< [class], or none.
};

}  // namespace fernwood::stream
