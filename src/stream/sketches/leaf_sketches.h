// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>

#include "fernwood/core/communicator.h"
#include "fernwood/stream/stream_options.h"
#include "stream/sketches/cells.h"
#include "stream/sketches/grid.h"

namespace fernwood::stream {

/// Attributes begin ... end.
struct AttributeRange {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
};

/// What determines how counts lie in memory; when it changes, what was counted is lost.
struct CountLayout {
  std::size_t num_attributes = 0, num_classes = 0;
  Grid grid;  ///< For SketchKind::kLogLinear.

  bool operator==(const CountLayout&) const = default;
};

/// Records as they are counted, stored by columns: R records.
struct CountedRecords {
  std::size_t num_records = 0;
  std::vector<float> values;         ///< [attribute][R]
  std::size_t bin_step = 0;          ///< Bins from an attribute to the next.
  std::vector<std::uint8_t> bins;    ///< [attribute][bin_step] Of the grid; for SketchKind::kLogLinear.
  std::vector<std::int32_t> labels;  ///< [R]
  std::vector<std::int32_t> nodes;   ///< [R] How far each has come in the tree.
  std::vector<std::int32_t> slots;   ///< [R] Of the open leaf that it is in, or -1.
};

/// Which records are counted: begin ... end, or those listed.
struct RecordRange {
  std::size_t begin = 0, end = 0;
  const std::uint32_t* listed = nullptr;  ///< [end] Numbers of records in the order in which they are counted.
};

/// What is counted in the open leaves, each of which has a slot, by one part of the workers that share the records.
/// Calls for different attributes may run side by side.
class LeafSketches {
 public:
  virtual ~LeafSketches() = default;

  /// Forgets everything. @param num_slots  Room for so many leaves.
  virtual void reset(const CountLayout& layout, std::size_t num_slots) = 0;
  /// Room for so many leaves; keeps what was counted in slots that stay.
  virtual void resize(std::size_t num_slots) = 0;
  virtual void clear(std::size_t slot) = 0;

  virtual void count(const CountedRecords& records, const RecordRange& range, AttributeRange attributes) = 0;

  /// Adds what another part has counted of an attribute, and empties it there.
  virtual void merge(LeafSketches& other, std::span<const std::size_t> slots, std::size_t attribute) = 0;
  /// Moves what was counted to bytes that add() of another process understands; nothing is left here.
  virtual void take(std::span<const std::size_t> slots, AttributeRange attributes, Bytes& bytes) = 0;
  /// Adds bytes of take() for the same slots and attributes. @return Behind what was read. @throws Error(kRuntime) when
  /// they end early.
  virtual std::size_t add(std::span<const std::size_t> slots, AttributeRange attributes, const Bytes& bytes,
                          std::size_t at) = 0;

  /// What a split of an attribute is searched in. @param memory  Holds it where it has to be made.
  struct CellMemory {
    std::vector<std::uint32_t> counts, unknown;
    std::vector<float> thresholds;
    std::vector<std::uint64_t> keys;
  };
  virtual Cells cells(std::size_t slot, std::size_t attribute, CellMemory& memory) const = 0;

  /// Memory that a slot takes, about.
  virtual std::size_t slot_bytes() const = 0;
};

/// How near the records that cells() tells of come to those that were counted:
/// kLogLinear: exact at the grid's edges; a split between two of them misses it by less than a bin of even_edges().
/// kExact: all places that differ, without error.
/// kBenHaim: no bound; what lies between two places is read off trapezoids between bins' means.
/// @param bins  Of Ben-Haim's histograms; the grid has its own.
std::unique_ptr<LeafSketches> make_leaf_sketches(SketchKind kind, int bins);

}  // namespace fernwood::stream
