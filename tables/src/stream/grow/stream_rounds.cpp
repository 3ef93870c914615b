// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_rounds.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"

namespace fernwood::stream {

namespace {

constexpr std::size_t kHeldBytes = sizeof(float) + sizeof(std::uint8_t);  ///< For each value, in passes.
constexpr std::size_t kBatchRecords = 65536;  ///< Read at a time, so that few records in memory are not counted yet.

/// Adopts a changed layout: the counts of all leaves are dropped.
void start_again(StreamGrowth& growth) {
  growth.leaves.start_again(growth.loader.layout().num_classes);
  growth.backend.reset(growth.loader.layout(), 0);
  growth.tests.reset(growth.loader.layout());
}

void give_slots(StreamGrowth& growth, std::size_t begin, std::size_t end) {
  OpenLeaves& leaves = growth.leaves;
  const std::size_t num_before = leaves.num_slots();
  const std::vector<std::size_t> used_again = leaves.give_slots(begin, end);
  // Leaves cannot take turns on a stream that is read once.
  const bool must_fit = growth.options.schedule != Schedule::kPasses;
  growth.backend.prepare_slots(used_again, leaves.num_slots(), must_fit);
  if (leaves.num_slots() != num_before) leaves.resize_totals();
}

void search(StreamGrowth& growth, std::vector<std::size_t> leaves, std::vector<FoundSplit>& found) {
  std::erase_if(leaves, [&](std::size_t i) { return !growth.leaves.is_worth_a_search(i); });
  std::vector<std::size_t> slots;
  for (const std::size_t i : leaves) slots.push_back(static_cast<std::size_t>(growth.leaves[i].slot));
  std::vector<LeafSearch> searches = growth.backend.search(slots, growth.leaves.totals());
  const Stopwatch deciding(growth.report.times.gain_s);
  const double unit = growth.loader.layout().targets.value_or(TargetScale()).unit();
  for (std::size_t k = 0; k < leaves.size(); ++k) growth.leaves.decide(leaves[k], std::move(searches[k]), unit, found);
}

/// Schedule::kPasses: all records again in each round.
class PassRounds : public StreamRounds {
 public:
  explicit PassRounds(StreamGrowth& growth) : growth_(growth) {
    std::vector<records::RecordTable> tables = read_all();
    if (growth_.work.checkpoint.resume) growth_.loader.check_read_again();
    if (tables.empty()) return;
    const Stopwatch reading(growth_.report.times.read_s);
    growth_.loader.review();
    start_again(growth_);
    for (records::RecordTable& table : tables) {
      growth_.loader.widen(table);
      num_records_ += table.values.rows();
    }
    held_ = growth_.backend.hold_all(std::move(tables));
  }

  /// Counts as many leaves at a time as there is memory for.
  bool count(std::vector<FoundSplit>& found) override {
    if (held_.empty()) return false;
    OpenLeaves& leaves = growth_.leaves;
    const std::size_t fit = std::min(growth_.backend.slots_that_fit(), leaves.size());
    for (std::size_t begin = 0; begin < leaves.size(); begin += fit) {
      std::vector<std::size_t> counting(std::min(fit, leaves.size() - begin));
      std::iota(counting.begin(), counting.end(), begin);
      give_slots(growth_, begin, begin + counting.size());
      const double closed = leaves.share_of_closed(growth_.loader.num_records());
      for (const auto& records : held_) {
        growth_.backend.count(*records, leaves.tree().nodes());
        growth_.report_progress(closed);
      }
      growth_.report.updates += num_records_ * growth_.backend.num_counted();
      leaves.add_counts(growth_.backend.sum_counts());
      search(growth_, std::move(counting), found);
    }
    return true;
  }

  std::uint64_t wanted_records() const override { return 0; }  // all records are in memory

 private:
  /// Reads the records of this process until the stream ends.
  std::vector<records::RecordTable> read_all() {
    const Stopwatch reading(growth_.report.times.read_s);
    BatchLoader& loader = growth_.loader;
    std::vector<records::RecordTable> tables;
    records::RecordTable batch;
    const std::size_t there = platform::available_memory_bytes();
    std::size_t needed = 0;
    while (loader.read(kBatchRecords, batch)) {
      needed += batch.values.size() * kHeldBytes;
      FW_CHECK(needed <= there, Resource,
               named_option("schedule", "passes")
                   << " keeps all records: the first " << loader.num_records() << " take " << format_bytes(needed)
                   << " here, and " << format_bytes(there) << " are available; use "
                   << named_option("schedule", "fresh") << " or hoeffding, or more processes on more machines");
      FW_CHECK(loader.num_records() <= 2 * kMaxCounted, Usage,
               named_option("schedule", "passes") << " is for at most " << 2 * kMaxCounted
                                                  << " records, and the stream has more; use fresh or hoeffding");
      tables.push_back(std::move(batch));
      growth_.report_progress(-1);
    }
    if (loader.stopped()) growth_.stop();
    return tables;
  }

  StreamGrowth& growth_;
  std::vector<std::unique_ptr<HeldRecords>> held_;  ///< All records of this process.
  std::size_t num_records_ = 0;                     ///< Their number.
};

/// Schedule::kFresh, kHoeffding and kAdaptive: new records in each round, in addition to earlier counts.
class FreshRounds : public StreamRounds {
 public:
  explicit FreshRounds(StreamGrowth& growth) : growth_(growth) {}

  void begin() override {
    if (growth_.round_records > 0) return;
    if (!is_fresh() && growth_.loader.num_records() > 0 && growth_.loader.review()) start_again(growth_);
    growth_.leaves.start_full_again();
    growth_.tests.adopt(growth_.leaves.tree());
  }

  bool count(std::vector<FoundSplit>& found) override {
    const std::uint64_t wanted = wanted_records(), before = growth_.round_records;
    begin();
    records::RecordTable batch, all;
    while (growth_.round_records < wanted && read(wanted - growth_.round_records, batch, all)) {
      test_and_count(batch, growth_.communicator.size() == 1 ? batch : all);
      growth_.report_progress(-1);
    }
    if (growth_.loader.stopped()) return true;
    if (growth_.round_records == 0) return false;
    if (growth_.round_records < wanted && !is_fresh()) return growth_.round_records > before;
    growth_.round_records = 0;
    end_round();
    search(growth_, growth_.leaves.due(), found);
    return true;
  }

  std::uint64_t wanted_records() const override {
    const StreamOptions& options = growth_.options;
    if (options.schedule != Schedule::kFresh) return static_cast<std::uint64_t>(options.batch);
    return std::min(growth_.leaves.size() * static_cast<std::uint64_t>(options.samples_per_leaf), kMaxCounted);
  }

 private:
  bool is_fresh() const { return growth_.options.schedule == Schedule::kFresh; }

  void end_round() {
    const Stopwatch testing(growth_.report.times.test_s);
    OpenLeaves& leaves = growth_.leaves;
    std::vector<Errors> errors = growth_.tests.end_round(leaves.tree(), growth_.communicator);
    if (growth_.options.schedule == Schedule::kAdaptive)
      growth_.tests.renumber(growth_.adaptation.adapt(leaves, std::move(errors)), leaves.tree());
  }

  /// Records are tested before their new classes and attributes are adopted, so that parts of a stream do not matter.
  /// @param all  On rank 0, the records of all processes.
  void test_and_count(const records::RecordTable& batch, const records::RecordTable& all) {
    BatchLoader& loader = growth_.loader;
    const bool begins = loader.layout().num_attributes == 0;
    if (!begins) test(all);
    const bool grown = batch.attributes.size() != loader.layout().num_attributes ||
                       batch.classes.size() != loader.layout().num_classes;
    if ((grown || (is_fresh() && begins_round_)) && loader.review()) start_again(growth_);
    if (begins) test(all);
    count_batch(batch);
  }

  void test(const records::RecordTable& all) {
    if (growth_.communicator.rank() != 0) return;
    const Stopwatch testing(growth_.report.times.test_s);
    const std::uint64_t num_ahead = std::min<std::uint64_t>(growth_.num_ahead, all.values.rows());
    growth_.num_ahead -= num_ahead;
    growth_.tests.test(all, static_cast<std::size_t>(num_ahead), growth_.leaves.tree());
  }

  void count_batch(const records::RecordTable& batch) {
    const StreamTree& tree = growth_.leaves.tree();
    give_slots(growth_, 0, growth_.leaves.size());
    const std::unique_ptr<HeldRecords> held = growth_.backend.hold(batch);
    growth_.backend.count(*held, tree.nodes());
    for (int above = 0; above < tree.most_nested(); ++above) {
      growth_.backend.to_root(*held);
      growth_.backend.count(*held, tree.nodes_to_alternates(above));
    }
    growth_.report.updates += batch.values.rows() * growth_.backend.num_counted();
    growth_.leaves.add_counts(growth_.backend.sum_counts());
    growth_.tests.were_counted();
  }

  /// @param mine, all  See BatchLoader::read(). @return False at the end of the stream, or when it was stopped.
  bool read(std::uint64_t most_records, records::RecordTable& mine, records::RecordTable& all) {
    if (ended_) return false;
    const Stopwatch reading(growth_.report.times.read_s);
    BatchLoader& loader = growth_.loader;
    const std::uint64_t before = loader.num_records();
    mine = {}, all = {};
    if (!loader.read(static_cast<std::size_t>(std::min<std::uint64_t>(kBatchRecords, most_records)), mine, &all)) {
      ended_ = !loader.stopped();
      return false;
    }
    begins_round_ = growth_.round_records == 0;
    growth_.round_records += loader.num_records() - before;
    return true;
  }

  StreamGrowth& growth_;
  bool ended_ = false;         ///< No more records will come.
  bool begins_round_ = false;  ///< The last records read are the first of a round.
};

}  // namespace

StreamGrowth::StreamGrowth(RecordSource* source, const StreamOptions& stream_options, const LeafSketchMaker& sketches,
                           const StreamWork& stream_work, ThreadPool& pool, Communicator& ranks_together,
                           const StreamProgressCallback& callback)
    : options(stream_options),
      work(stream_work),
      communicator(ranks_together),
      progress(callback),
      ranks(divide_among_ranks(work.parallel, static_cast<std::size_t>(communicator.size()))),
      loader(source, options, sketches.in_bins, ranks, pool, communicator),
      leaves(options, sketches.exact),
      tests(options, work),
      adaptation(options),
      backend(options, sketches, work, ranks, pool, communicator, report.times) {}

void StreamGrowth::report_progress(double fraction) {
  if (!progress || communicator.rank() != 0) return;
  StreamProgress now;
  now.records = loader.num_records();
  now.leaves = leaves.tree().num_leaves();
  now.open_leaves = leaves.size();
  now.depth = leaves.empty() ? 0 : leaves.tree().depth(leaves[leaves.size() - 1].node);
  now.fraction = fraction;
  now.prequential = tests.prequential();
  try {
    progress(now);
  } catch (...) {
    stop_reason = std::current_exception();
    loader.request_stop();
  }
}

void StreamGrowth::stop() const {
  if (stop_reason) std::rethrow_exception(stop_reason);
  throw Error(ErrorKind::kInterrupted, "interrupted");
}

std::unique_ptr<StreamRounds> make_rounds(StreamGrowth& growth) {
  if (growth.options.schedule == Schedule::kPasses) return std::make_unique<PassRounds>(growth);
  return std::make_unique<FreshRounds>(growth);
}

}  // namespace fernwood::stream
