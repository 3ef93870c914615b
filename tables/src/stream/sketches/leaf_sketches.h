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

/// Determines the arrangement of counts in memory; when it changes, counts are lost.
struct CountLayout {
  std::size_t num_attributes = 0, num_classes = 0;
  Grid grid = {};                           ///< Without attributes if values are counted instead of bins.
  std::optional<TargetScale> targets = {};  ///< Present if records have targets instead of classes.

  LeafStatistics statistics() const { return {targets.has_value(), num_classes}; }
  bool operator==(const CountLayout&) const = default;
};

/// R records in the form in which they are counted, stored by columns.
struct CountedRecords {
  std::size_t num_records = 0;
  std::vector<float> values;          ///< [attribute][R]
  std::size_t bin_step = 0;           ///< Distance between the bins of successive attributes.
  std::vector<std::uint8_t> bins;     ///< [attribute][bin_step] Bins of the grid, if any.
  std::vector<std::int32_t> labels;   ///< [R] Classes.
  std::vector<std::int64_t> numbers;  ///< [R] Targets in place of labels, see TargetScale.
  std::vector<std::int32_t> nodes;    ///< [R] The node that each record has reached.
  std::vector<std::int32_t> slots;    ///< [R] Slot of the open leaf that it is in, or -1.
};

/// The records to count: begin ... end - 1, or a list.
struct RecordRange {
  std::size_t begin = 0, end = 0;
  const std::uint32_t* listed = nullptr;  ///< [end] Indices of records in the order in which they are counted.
};

/// Counts of the open leaves, each of which has a slot, for one part of the workers that share the records. Calls for
/// different attributes may run concurrently. @tparam Count  See BasicCells.
template <typename Count>
class BasicLeafSketches {
 public:
  virtual ~BasicLeafSketches() = default;

  /// Drops all counts. @param num_slots  Number of leaves to make room for.
  virtual void reset(const CountLayout& layout, std::size_t num_slots) = 0;
  /// Changes the number of leaves; counts of slots that remain are kept.
  virtual void resize(std::size_t num_slots) = 0;
  virtual void clear(std::size_t slot) = 0;

  virtual void count(const CountedRecords& records, const RecordRange& range, AttributeRange attributes) = 0;

  /// Adds the counts of another part for an attribute, and clears them there.
  virtual void merge(BasicLeafSketches& other, std::span<const std::size_t> slots, std::size_t attribute) = 0;
  /// Moves counts to bytes for add() in another process; counts here are cleared.
  virtual void take(std::span<const std::size_t> slots, AttributeRange attributes, Bytes& bytes) = 0;
  /// Adds bytes of take() for the same slots and attributes. @return End of the bytes read. @throws Error(kRuntime)
  /// when they end early.
  virtual std::size_t add(std::span<const std::size_t> slots, AttributeRange attributes, const Bytes& bytes,
                          std::size_t at) = 0;

  /// Scratch memory for cells that have to be computed.
  struct CellMemory {
    std::vector<Count> counts, unknown;
    std::vector<float> thresholds;
    std::vector<std::uint64_t> keys;
  };
  virtual BasicCells<Count> cells(std::size_t slot, std::size_t attribute, CellMemory& memory) const = 0;

  /// Approximate size of a slot, in bytes.
  virtual std::size_t slot_bytes() const = 0;
};
using LeafSketches = BasicLeafSketches<std::uint32_t>;    ///< For classes.
using TargetSketches = BasicLeafSketches<std::uint64_t>;  ///< For targets.

/// First cell of each attribute in a slot, and finally the number of cells. Cells: [attribute][bin][element of a row],
/// with unknown values in the last bin. @return  [attribute + 1]
std::vector<std::size_t> cell_starts(const CountLayout& layout);

/// @throws Error(kRuntime) unless `size` bytes of another process follow from `at` on.
void check_counts(const Bytes& bytes, std::size_t at, std::size_t size);

/// Counts records in the bins of a grid: whole numbers, so that merging is addition. The result of cells() is exact at
/// the grid's edges; a split between two edges differs from it by less than a bin of even_edges(). For records with
/// targets the sum of targets is counted, too.
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
  /// Records whose cells stay in the cache while all attributes are counted.
  struct Block {
    std::size_t size = 0;
    std::array<std::uint32_t, kBlock> records;
    std::array<std::size_t, kBlock> places;  ///< First cell of the record's slot, plus its class.
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

/// Makes the counts of leaves: bins of a grid in the product; experiments pass other kinds.
struct LeafSketchMaker {
  std::string name = "log-linear";  ///< Stored in the options of models and checkpoints.
  bool in_bins = true;              ///< Bins of a grid, which is computed from the records read; otherwise values.
  bool exact = true;                ///< Counts of cells() on the sides of a split are exact.
  /// @param bins  Most bins of an attribute.
  std::function<std::unique_ptr<LeafSketches>(int bins)> make = [](int) { return std::make_unique<GridCounts>(); };
};

}  // namespace fernwood::stream
