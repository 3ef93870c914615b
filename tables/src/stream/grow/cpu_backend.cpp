// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/parallel.h"
#include "records/evaluate/block_columns.h"
#include "records/grow/split.h"
#include "stream/grow/stream_backend.h"

namespace fernwood::stream {

namespace {

constexpr std::size_t kBlockRecords = 8192;  ///< In a task, where threads share a loop over records.
constexpr std::size_t kTile =
    16 * records::kRankTile;  ///< Records whose rows stay in the cache while they are transposed.
constexpr std::size_t kEntropyTable = 65536;
constexpr std::size_t kFewValues = 16384;

struct CpuRecords : HeldRecords, CountedRecords {
  std::vector<std::uint32_t> by_slot;    ///< For kNode: records in the order of slots.
  std::vector<std::size_t> slot_starts;  ///< [slot + 1]
};

/// Sorts the records that are in slots by slot, keeping their order within a slot.
void sort_by_slot(CpuRecords& records, std::size_t num_slots) {
  records.slot_starts.assign(num_slots + 1, 0);
  for (const std::int32_t slot : records.slots)
    if (slot >= 0) ++records.slot_starts[static_cast<std::size_t>(slot) + 1];
  std::partial_sum(records.slot_starts.begin(), records.slot_starts.end(), records.slot_starts.begin());
  records.by_slot.resize(records.slot_starts.back());
  std::vector<std::size_t> at(records.slot_starts.begin(), records.slot_starts.end() - 1);
  for (std::size_t i = 0; i < records.num_records; ++i)
    if (const std::int32_t slot = records.slots[i]; slot >= 0)
      records.by_slot[at[static_cast<std::size_t>(slot)]++] = static_cast<std::uint32_t>(i);
}

/// Adds a record to a row of LeafStatistics.
void add_record(const CountedRecords& records, std::size_t i, std::uint64_t* row) {
  if (records.numbers.empty()) {
    ++row[records.labels[i]];
    return;
  }
  ++row[0];
  row[1] += static_cast<std::uint64_t>(records.numbers[i]);
}

/// Shared by all trees of the process.
const records::EntropyTerms& entropy_terms() {
  static const records::EntropyTerms kTerms(kEntropyTable);
  return kTerms;
}

/// Bins are ranks among edges.
records::RankColumns make_binner(const Grid& grid) {
  std::vector<std::vector<float>> edges;
  for (std::size_t a = 0; a < grid.num_attributes(); ++a)
    edges.emplace_back(grid.edges_of(a).begin(), grid.edges_of(a).end());
  return records::RankColumns(records::rank_thresholds(edges));
}

/// @tparam Count  See BasicCells.
template <typename Count>
class CpuBackend : public StreamBackend {
 public:
  using Sketches = BasicLeafSketches<Count>;
  using MakeSketches = std::function<std::unique_ptr<Sketches>(int bins)>;

  CpuBackend(const StreamOptions& options, Parallel parallel, ThreadPool& pool, bool in_bins, MakeSketches make)
      : options_(options),
        in_bins_(in_bins),
        make_(std::move(make)),
        parallel_(parallel),
        pool_(pool),
        memories_(static_cast<std::size_t>(pool.num_threads())) {}

  void reset(const CountLayout& layout, std::size_t num_slots) override {
    layout_ = layout;
    division_ = divide_among_threads(parallel_, memories_.size(), layout.num_attributes);
    parts_.resize(division_.record_parts);
    for (auto& part : parts_)
      if (!part) part = make_(options_.bins);
    if (in_bins_) binner_.emplace(make_binner(layout.grid));
    for (const auto& part : parts_) part->reset(layout, num_slots);
  }
  void resize(std::size_t num_slots) override {
    for (const auto& part : parts_) part->resize(num_slots);
  }
  void clear(std::span<const std::size_t> slots) override {
    share(slots.size(), [&](std::size_t i, std::size_t) {
      for (const auto& part : parts_) part->clear(slots[i]);
    });
  }
  std::size_t slot_bytes() const override { return parts_.size() * parts_[0]->slot_bytes(); }
  std::size_t free_bytes() const override { return memory_limit(0, kSlotsShare); }

  std::unique_ptr<HeldRecords> hold(const records::RecordView& records, std::span<const std::int32_t> labels,
                                    std::span<const double> targets) override {
    auto held = std::make_unique<CpuRecords>();
    const std::size_t n = held->num_records = records.num_records;
    held->values.resize(n * layout_.num_attributes);
    held->bin_step = (n + records::kRankTile - 1) / records::kRankTile * records::kRankTile;
    if (binner_) held->bins.resize(held->bin_step * layout_.num_attributes);
    held->labels.assign(labels.begin(), labels.end());
    for (const double target : targets) held->numbers.push_back(layout_.targets->number_of(target));
    held->nodes.assign(n, 0);
    held->slots.assign(n, -1);
    share((n + kTile - 1) / kTile, [&](std::size_t tile, std::size_t) {
      const AttributeRange range{tile * kTile, std::min((tile + 1) * kTile, n)};
      for (std::size_t a = 0; a < layout_.num_attributes; ++a) hold_column(records, range, a, *held);
    });
    return held;
  }

  void to_root(HeldRecords& held) override { std::ranges::fill(static_cast<CpuRecords&>(held).nodes, 0); }
  void navigate(HeldRecords& held, const std::vector<records::RecordNode>& nodes,
                Array2<std::uint64_t>& totals) override {
    auto& records = static_cast<CpuRecords&>(held);
    const std::size_t n = records.num_records;
    share(blocks(n), [&](std::size_t block, std::size_t) {
      const AttributeRange range = part_of(n, block, blocks(n));
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const auto value_of = [&](std::size_t attribute) { return records.values[attribute * n + i]; };
        records.nodes[i] = descend(nodes.data(), records.nodes[i], value_of);
        records.slots[i] = slot_of(nodes[static_cast<std::size_t>(records.nodes[i])]);
      }
    });
    for (std::size_t i = 0; i < n; ++i)
      if (records.slots[i] >= 0) add_record(records, i, totals.row(static_cast<std::size_t>(records.slots[i])));
    if (division_.by_leaf) sort_by_slot(records, totals.rows());
  }

  void update(HeldRecords& held, AttributeRange attributes) override {
    const auto& records = static_cast<CpuRecords&>(held);
    if (division_.by_leaf) return update_by_slot(records, attributes);
    // Two tasks for each thread, so that one that is delayed does not delay the others for long.
    const std::size_t num_tasks =
        division_.attribute_parts > 1 ? std::min(attributes.size(), 2 * division_.attribute_parts) : 1;
    share(
        division_.record_parts * num_tasks,
        [&](std::size_t i, std::size_t) {
          const std::size_t part = i / num_tasks;
          const AttributeRange task = part_of(attributes.size(), i % num_tasks, num_tasks);
          const AttributeRange range = part_of(records.num_records, part, division_.record_parts);
          parts_[part]->count(records, {range.begin, range.end},
                              {attributes.begin + task.begin, attributes.begin + task.end});
        },
        records.num_records * attributes.size());
  }

  void merge(std::span<const std::size_t> slots, AttributeRange attributes) override {
    share(parts_.size() > 1 ? attributes.size() : 0, [&](std::size_t i, std::size_t) {
      for (std::size_t part = 1; part < parts_.size(); ++part)
        parts_[0]->merge(*parts_[part], slots, attributes.begin + i);
    });
  }
  void take(std::span<const std::size_t> slots, AttributeRange attributes, Bytes& bytes) override {
    parts_[0]->take(slots, attributes, bytes);
  }
  std::size_t add(std::span<const std::size_t> slots, AttributeRange attributes, const Bytes& bytes,
                  std::size_t at) override {
    return parts_[0]->add(slots, attributes, bytes, at);
  }

  std::optional<std::size_t> find_excess(std::span<const std::size_t> slots, const Array2<std::uint64_t>& totals,
                                         AttributeRange attributes) override {
    std::vector<std::uint8_t> exceeds(attributes.size() * slots.size());  // [attribute][slot]
    share(exceeds.size(), [&](std::size_t i, std::size_t worker) {
      const std::size_t slot = slots[i % slots.size()], attribute = attributes.begin + i / slots.size();
      exceeds[i] = !fits(parts_[0]->cells(slot, attribute, memories_[worker].cells), {totals.row(slot), totals.cols()});
    });
    const auto first = std::ranges::find(exceeds, 1);
    if (first == exceeds.end()) return std::nullopt;
    return attributes.begin + static_cast<std::size_t>(first - exceeds.begin()) / slots.size();
  }

  std::vector<LeafSearch> search(std::span<const std::size_t> slots, const Array2<std::uint64_t>& totals,
                                 AttributeRange attributes) override {
    const std::size_t width = attributes.size();
    std::vector<records::Split> splits(slots.size() * width);
    share(splits.size(), [&](std::size_t i, std::size_t worker) {
      const std::size_t slot = slots[i / width], attribute = attributes.begin + i % width;
      splits[i] = search_one(slot, attribute, {totals.row(slot), totals.cols()}, memories_[worker]);
    });
    std::vector<LeafSearch> found(slots.size());
    for (std::size_t s = 0; s < slots.size(); ++s) {
      for (const records::Split& split : std::span(splits).subspan(s * width, width)) add_split(split, found[s]);
      if (!found[s].best.found()) continue;
      found[s].left =
          count_left(parts_[0]->cells(slots[s], found[s].best.attribute, memories_[0].cells), found[s].best);
    }
    return found;
  }

 private:
  struct Memory {
    typename Sketches::CellMemory cells;
    SearchMemory search;
  };

  static std::size_t blocks(std::size_t num_records) { return (num_records + kBlockRecords - 1) / kBlockRecords; }

  /// @param num_values  Number of values that the work is about: few are not worth waking threads.
  template <typename Body>
  void share(std::size_t count, const Body& body, std::size_t num_values = kFewValues) {
    if (parallel_ == Parallel::kSequential || num_values < kFewValues)
      for (std::size_t i = 0; i < count; ++i) body(i, std::size_t{0});
    else
      pool_.for_each(count, [&](std::size_t i, int worker) { body(i, static_cast<std::size_t>(worker)); });
  }

  void hold_column(const records::RecordView& records, AttributeRange range, std::size_t attribute,
                   CpuRecords& held) const {
    float* const values = held.values.data() + attribute * records.num_records;
    for (std::size_t i = range.begin; i < range.end; ++i) values[i] = records.at(i, attribute);
    if (binner_)
      binner_->fill_column(attribute, values + range.begin, 1, range.size(),
                           held.bins.data() + attribute * held.bin_step + range.begin);
  }

  void update_by_slot(const CpuRecords& records, AttributeRange attributes) {
    share(
        records.slot_starts.size() - 1,
        [&](std::size_t slot, std::size_t) {
          parts_[0]->count(records, {records.slot_starts[slot], records.slot_starts[slot + 1], records.by_slot.data()},
                           attributes);
        },
        records.num_records * attributes.size());
  }

  records::Split search_one(std::size_t slot, std::size_t attribute, std::span<const std::uint64_t> totals,
                            Memory& memory) {
    const BasicCells<Count> cells = parts_[0]->cells(slot, attribute, memory.cells);
    records::Split split = best_split_of(cells, totals, memory.search);
    split.attribute = static_cast<std::uint16_t>(attribute);
    return split;
  }

  records::Split best_split_of(const Cells& cells, std::span<const std::uint64_t> totals, SearchMemory& memory) const {
    return options_.criterion == records::Criterion::kGini
               ? best_split(cells, totals, records::GiniTerms{}, options_.min_leaf_samples, memory)
               : best_split(cells, totals, entropy_terms(), options_.min_leaf_samples, memory);
  }
  records::Split best_split_of(const TargetCells& cells, std::span<const std::uint64_t> totals,
                               SearchMemory& memory) const {
    return best_split(cells, totals, SquaredError{}, options_.min_leaf_samples, memory);
  }

  const StreamOptions options_;
  const bool in_bins_;
  const MakeSketches make_;
  const Parallel parallel_;
  Division division_;
  ThreadPool& pool_;
  std::optional<records::RankColumns> binner_;
  CountLayout layout_;
  std::vector<std::unique_ptr<Sketches>> parts_;  ///< [record part] The first holds the merged counts.
  std::vector<Memory> memories_;                  ///< [thread]
};

}  // namespace

std::unique_ptr<StreamBackend> make_cpu_backend(const StreamOptions& options, Parallel parallel, ThreadPool& pool,
                                                const LeafSketchMaker& sketches) {
  if (options.predicts_targets())
    return std::make_unique<CpuBackend<std::uint64_t>>(options, parallel, pool, true,
                                                       [](int) { return std::make_unique<GridTargetSums>(); });
  return std::make_unique<CpuBackend<std::uint32_t>>(options, parallel, pool, sketches.in_bins, sketches.make);
}

}  // namespace fernwood::stream
