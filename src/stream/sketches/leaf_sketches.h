// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "fernwood/core/communicator.h"
#include "fernwood/stream/stream_options.h"
#include "stream/sketches/cells.h"
#include "stream/sketches/grid.h"

namespace fernwood::stream {

/// What determines how counts lie in memory; when it changes, what was counted is lost.
struct CountLayout {
  std::size_t num_attributes = 0, num_classes = 0;
  Grid grid = {};                           ///< Without attributes where values are counted, not bins.
  std::optional<TargetScale> targets = {};  ///< Where records have targets, not classes.

  LeafStatistics statistics() const { return {targets.has_value(), num_classes}; }
  bool operator==(const CountLayout&) const = default;
};

/// Records as they are counted, stored by columns: R records.
struct CountedRecords {
  std::size_t num_records = 0;
  std::vector<float> values;          ///< [attribute][R]
  std::size_t bin_step = 0;           ///< Bins from an attribute to the next.
  std::vector<std::uint8_t> bins;     ///< [attribute][bin_step] Of the grid, if there is one.
  std::vector<std::int32_t> labels;   ///< [R] Of classes.
  std::vector<std::int64_t> numbers;  ///< [R] In place of labels: targets, see TargetScale.
  std::vector<std::int32_t> nodes;    ///< [R] How far each has come in the tree.
  std::vector<std::int32_t> slots;    ///< [R] Of the open leaf that it is in, or -1.
};

/// Which records are counted: begin ... end, or those listed.
struct RecordRange {
  std::size_t begin = 0, end = 0;
  const std::uint32_t* listed = nullptr;  ///< [end] Numbers of records in the order in which they are counted.
};

/// What is counted in the open leaves, each of which has a slot, by one part of the workers that share the records.
/// Calls for different attributes may run side by side. @tparam Count  See BasicCells.
template <typename Count>
class BasicLeafSketches {
 public:
  virtual ~BasicLeafSketches() = default;

  /// Forgets everything. @param num_slots  Room for so many leaves.
  virtual void reset(const CountLayout& layout, std::size_t num_slots) = 0;
  /// Room for so many leaves; keeps what was counted in slots that stay.
  virtual void resize(std::size_t num_slots) = 0;
  virtual void clear(std::size_t slot) = 0;

  virtual void count(const CountedRecords& records, const RecordRange& range, AttributeRange attributes) = 0;

  /// Adds what another part has counted of an attribute, and empties it there.
  virtual void merge(BasicLeafSketches& other, std::span<const std::size_t> slots, std::size_t attribute) = 0;
  /// Moves what was counted to bytes that add() of another process understands; nothing is left here.
  virtual void take(std::span<const std::size_t> slots, AttributeRange attributes, Bytes& bytes) = 0;
  /// Adds bytes of take() for the same slots and attributes. @return Behind what was read. @throws Error(kRuntime) when
  /// they end early.
  virtual std::size_t add(std::span<const std::size_t> slots, AttributeRange attributes, const Bytes& bytes,
                          std::size_t at) = 0;

  /// What a split of an attribute is searched in. @param memory  Holds it where it has to be made.
  struct CellMemory {
    std::vector<Count> counts, unknown;
    std::vector<float> thresholds;
    std::vector<std::uint64_t> keys;
  };
  virtual BasicCells<Count> cells(std::size_t slot, std::size_t attribute, CellMemory& memory) const = 0;

  /// Memory that a slot takes, about.
  virtual std::size_t slot_bytes() const = 0;
};
using LeafSketches = BasicLeafSketches<std::uint32_t>;    ///< Of classes.
using TargetSketches = BasicLeafSketches<std::uint64_t>;  ///< Of targets.

/// First cell of each attribute in a slot, and behind the last. Cells: [attribute][bin][number of a row], unknown
/// values the last bin. @return  [attribute + 1]
std::vector<std::size_t> cell_starts(const CountLayout& layout);

/// @throws Error(kRuntime) unless there are so many bytes of another process from `at` on.
void check_counts(const Bytes& bytes, std::size_t at, std::size_t size);

/// Counts records in the bins of a grid: whole numbers, so that merging is adding. What cells() tells is exact at the
/// grid's edges; a split between two of them misses it by less than a bin of even_edges(). Records with targets are
/// counted with the sum of these.
template <typename Count>
class BasicGridCounts : public BasicLeafSketches<Count> {
 public:
  using typename BasicLeafSketches<Count>::CellMemory;

  void reset(const CountLayout& layout, std::size_t num_slots) override;
  void resize(std::size_t num_slots) override;
  void clear(std::size_t slot) override;
  void count(const CountedRecords& records, const RecordRange& range, AttributeRange attributes) override;
  void merge(BasicLeafSketches<Count>& other, std::span<const std::size_t> slots, std::size_t attribute) override;
  void take(std::span<const std::size_t> slots, AttributeRange attributes, Bytes& bytes) override;
  std::size_t add(std::span<const std::size_t> slots, AttributeRange attributes, const Bytes& bytes,
                  std::size_t at) override;
  BasicCells<Count> cells(std::size_t slot, std::size_t attribute, CellMemory& memory) const override;
  std::size_t slot_bytes() const override { return slot_cells() * sizeof(Count); }

 private:
  static constexpr std::size_t kBlock = 8192;
  /// Records whose places stay in the cache while all attributes are counted.
  struct Block {
    std::size_t size = 0;
    std::array<std::uint32_t, kBlock> records;
    std::array<std::size_t, kBlock> places;  ///< First cell of the record's slot, and class.
  };
  void find_places(const CountedRecords& records, const RecordRange& range, Block& block) const;
  template <typename RecordOf>
  void count_block(const CountedRecords& records, const Block& block, AttributeRange attributes,
                   const RecordOf& record_of);
  std::size_t slot_cells() const { return starts_.back(); }
  Count* counts_of(std::size_t slot, std::size_t attribute) {
    return counts_.data() + slot * slot_cells() + starts_[attribute];
  }

  CountLayout layout_;
  std::vector<std::size_t> starts_ = {0};  ///< [attribute + 1] First cell of an attribute in a slot.
  std::vector<Count> counts_;              ///< [slot][cell]
};
using GridCounts = BasicGridCounts<std::uint32_t>;
using GridTargetSums = BasicGridCounts<std::uint64_t>;

/// What leaves count: bins of a grid in the product; the laboratory hands in others.
struct LeafSketchMaker {
  std::string name = "log-linear";  ///< In the options that models and checkpoints tell, after what makes the grid.
  bool in_bins = true;              ///< Of a grid, which is then made from what is read; else values.
  bool exact = true;                ///< Sides of a split have as many records as cells() tells.
  /// @param bins  Of an attribute, at most.
  std::function<std::unique_ptr<LeafSketches>(int bins)> make = [](int) { return std::make_unique<GridCounts>(); };
};

}  // namespace fernwood::stream
