// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/feeder.h"

#include <algorithm>
#include <cmath>

#include "fernwood/core/file.h"

namespace fernwood::stream {

namespace {

constexpr std::size_t kObservedTile = 128;  ///< Records whose rows stay in the cache while columns are made of them.
constexpr std::size_t kCentreValues = 4096;

/// @param step  Records from one to the next.
std::vector<float> known_values(const records::RecordTable& batch, std::size_t attribute, AttributeRange records,
                                std::size_t step = 1) {
  std::vector<float> values(records.size());
  std::size_t num_known = 0;
  for (std::size_t i = records.begin; i < records.end; i += step) {
    const float value = batch.values(i, attribute);
    values[num_known] = value;  // one that is not known is written over
    num_known += is_nan(value) ? 0 : 1;
  }
  values.resize(num_known);
  return values;
}

/// A typical value: the median; where one value makes up a quarter, such as the 0 of what is mostly left out, that of
/// the others, since a value alone needs no narrow buckets. 0 if there is none, or it is infinite.
float typical_value(std::vector<float> values) {
  std::ranges::sort(values);
  auto first = values.begin(), last = first;  // of the longest run
  for (auto run = values.begin(); run != values.end();) {
    const auto end = std::find_if(run, values.end(), [&](float value) { return value != *run; });
    if (end - run > last - first) first = run, last = end;
    run = end;
  }
  if (4 * (last - first) > std::ssize(values) && last - first < std::ssize(values)) values.erase(first, last);
  const float middle = values.empty() ? 0 : values[values.size() / 2];
  return std::isfinite(middle) ? middle : 0;
}

/// How well edges part what a sketch has counted.
struct Parting {
  std::uint64_t largest = 0;    ///< Values in one bin.
  std::ptrdiff_t num_bins = 0;  ///< Those with values.
};

Parting parting_of(const LogLinearSketch& sketch, std::span<const float> edges) {
  const std::vector<std::uint64_t> counts = counts_between(sketch, edges);
  return {std::ranges::max(counts), std::ranges::count_if(counts, [](std::uint64_t count) { return count > 0; })};
}

/// Whether edges part values at least half as well as others would. Counts alone do not tell: where nearly all have one
/// value, a bin for the rest makes the largest hardly smaller.
bool fits(const LogLinearSketch& sketch, std::span<const float> edges, std::span<const float> others) {
  const Parting is = parting_of(sketch, edges), could_be = parting_of(sketch, others);
  return is.largest <= 2 * could_be.largest && 2 * is.num_bins > could_be.num_bins;
}

}  // namespace

Feeder::Feeder(RecordSource* source, const StreamOptions& options, const Division& ranks, ThreadPool& pool,
               Communicator& communicator)
    : source_(source), options_(options), ranks_(ranks), pool_(pool), communicator_(communicator) {
  Bytes bytes;
  if (source_) Packer(bytes).put(source_->absent_value());
  if (communicator_.size() > 1) bytes = communicator_.gather_all(bytes)[0];
  Unpacker(bytes).get(absent_);
}

void Feeder::widen(records::RecordTable& records) const {
  if (records.values.cols() == seen_.attributes.size()) return;
  Array2<float> values(records.values.rows(), seen_.attributes.size(), absent_);
  for (std::size_t i = 0; i < values.rows(); ++i)
    std::copy_n(records.values.row(i), records.values.cols(), values.row(i));
  records.values = std::move(values);
}

/// Where the source is interrupted while it waits, what came of the batch is left to be read again by a resumed run.
Feeder::Tidings Feeder::read_batch(records::RecordTable& batch, std::size_t num_records) {
  try {
    return source_->read(batch, num_records) ? Tidings::kRecords : Tidings::kEnd;
  } catch (const Error& failure) {
    if (failure.kind() != ErrorKind::kInterrupted) throw;
    return Tidings::kStop;
  }
}

bool Feeder::read(std::size_t num_records, records::RecordTable& mine) {
  const bool leads = communicator_.rank() == 0;
  records::RecordTable batch;
  Tidings tidings = Tidings::kRecords;
  if (leads && asked_to_stop_)
    tidings = Tidings::kStop;
  else if (leads)
    tidings = read_batch(batch, num_records);
  if (leads && tidings == Tidings::kRecords) observe(batch);
  if (communicator_.size() == 1) {
    stopped_ = tidings == Tidings::kStop;
    if (tidings != Tidings::kRecords) return false;
    seen_.attributes = batch.attributes, seen_.classes = batch.classes;
    seen_.num_records += batch.values.rows();
    mine = std::move(batch);
    return true;
  }
  std::vector<Bytes> outgoing(static_cast<std::size_t>(communicator_.size()));
  for (std::size_t rank = 0; leads && rank < outgoing.size(); ++rank) {
    Packer packer(outgoing[rank]);
    packer.put(tidings);
    if (tidings != Tidings::kRecords) continue;
    packer.put(std::uint64_t{batch.values.rows()});
    packer.put(message_for(batch, share_of(rank, ranks_, batch.attributes.size()).record_part));
  }
  const std::vector<Bytes> received = communicator_.exchange(std::move(outgoing));
  Unpacker unpacker(received[0]);
  unpacker.get(tidings);
  stopped_ = tidings == Tidings::kStop;
  if (tidings != Tidings::kRecords) return false;
  seen_.num_records += unpacker.get<std::uint64_t>();
  Bytes message;
  unpacker.get(message);
  take(message, mine);
  return true;
}

Bytes Feeder::message_for(const records::RecordTable& batch, std::size_t record_part) const {
  Bytes message;
  Packer packer(message);
  const AttributeRange range = part_of(batch.values.rows(), record_part, ranks_.record_parts);
  packer.put(batch.attributes.size() != seen_.attributes.size() ? batch.attributes : std::vector<std::string>());
  packer.put(batch.classes.size() != seen_.classes.size() ? batch.classes : std::vector<std::string>());
  packer.put(std::vector<float>(batch.values.row(range.begin), batch.values.row(range.end)));
  packer.put(std::vector<std::int32_t>(batch.labels.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                       batch.labels.begin() + static_cast<std::ptrdiff_t>(range.end)));
  return message;
}

void Feeder::take(const Bytes& message, records::RecordTable& mine) {
  Unpacker unpacker(message);
  std::vector<std::string> attributes, classes;
  std::vector<float> values;
  unpacker.get(attributes);
  unpacker.get(classes);
  unpacker.get(values);
  unpacker.get(mine.labels);
  if (!attributes.empty()) seen_.attributes = std::move(attributes);
  if (!classes.empty()) seen_.classes = std::move(classes);
  mine.attributes = seen_.attributes, mine.classes = seen_.classes;
  mine.values = Array2<float>(mine.labels.size(), seen_.attributes.size());
  std::ranges::copy(values, mine.values.begin());
}

void Feeder::check(const records::RecordTable& batch) const {
  FW_CHECK(!batch.attributes.empty() && batch.attributes.size() <= records::kMostAttributes &&
               batch.classes.size() <= records::kMostClasses,
           Data,
           source_->name() << ": has " << batch.attributes.size() << " attributes and " << batch.classes.size()
                           << " classes; give 1 to " << records::kMostAttributes << " and up to "
                           << records::kMostClasses);
  for (std::size_t i = 0; i < batch.labels.size(); ++i)
    FW_CHECK(batch.labels[i] >= 0 && static_cast<std::size_t>(batch.labels[i]) < batch.classes.size(), Data,
             source_->name() << ": record " << seen_.num_records + i + 1 << " has no class; give one for each record");
}

/// Checksum of the records before and those of a batch, the same for any batches: a record's last values do not count
/// where they are what records have that came before the attribute was known.
std::uint64_t Feeder::checksum_with(const records::RecordTable& batch, std::uint64_t before) const {
  for (std::size_t i = 0; i < batch.values.rows(); ++i) {
    const float* const values = batch.values.row(i);
    std::size_t size = batch.values.cols();
    while (size > 0 && (is_nan(values[size - 1]) || values[size - 1] == absent_)) --size;
    const std::uint64_t parts[] = {before, checksum(values, size * sizeof(float)),
                                   static_cast<std::uint64_t>(batch.labels[i])};
    before = checksum(parts, sizeof(parts));
  }
  return before;
}

void Feeder::observe(const records::RecordTable& batch) {
  check(batch);
  seen_.checksum = checksum_with(batch, seen_.checksum);
  if (options_.sketch != SketchKind::kLogLinear) return;
  const std::size_t num_known = observed_.size();
  while (observed_.size() < batch.attributes.size()) observed_.emplace_back(kMostFractionBits);
  const std::size_t num_parts = std::min<std::size_t>(observed_.size(), static_cast<std::size_t>(pool_.num_threads()));
  pool_.for_each(num_parts, [&](std::size_t part, int) {
    const AttributeRange range = part_of(observed_.size(), part, num_parts);
    for (std::size_t a = std::max(range.begin, num_known); a < range.end; ++a) observe_first(batch, a);
    for (std::size_t begin = 0; begin < batch.values.rows(); begin += kObservedTile)
      for (std::size_t a = range.begin; a < range.end; ++a)
        observed_[a].update(known_values(batch, a, {begin, std::min(begin + kObservedTile, batch.values.rows())}));
  });
}

void Feeder::observe_first(const records::RecordTable& batch, std::size_t attribute) {
  // Few values show what is typical.
  const std::size_t step = std::max<std::size_t>(1, batch.values.rows() / kCentreValues);
  const float centre = typical_value(known_values(batch, attribute, {0, batch.values.rows()}, step));
  observed_[attribute] = LogLinearSketch(kMostFractionBits, centre);
  if (!is_nan(absent_)) observed_[attribute].update(absent_, seen_.num_records);
}

Grid Feeder::make_grid() const {
  std::vector<std::vector<float>> edges(observed_.size());
  pool_.for_each(edges.size(), [&](std::size_t a, int) { edges[a] = even_edges(observed_[a], options_.bins); });
  Grid grid;
  for (const std::vector<float>& of_attribute : edges) {
    grid.edges.insert(grid.edges.end(), of_attribute.begin(), of_attribute.end());
    grid.starts.push_back(static_cast<std::uint32_t>(grid.edges.size()));
  }
  return grid;
}

bool Feeder::review() {
  const bool grown = seen_.attributes.size() != layout_.num_attributes || seen_.classes.size() != layout_.num_classes;
  if (!grown && seen_.num_records < 2 * num_at_review_) return false;
  num_at_review_ = seen_.num_records;
  CountLayout layout{seen_.attributes.size(), seen_.classes.size(), layout_.grid};
  if (options_.sketch == SketchKind::kLogLinear) {
    Bytes bytes;
    if (communicator_.rank() == 0) {
      const Grid grid = make_grid();
      // Leaves lose what they have counted on other places, so these stay while they part the records half as well.
      bool same = grid.num_attributes() == layout_.grid.num_attributes();
      for (std::size_t a = 0; same && a < observed_.size(); ++a)
        same = fits(observed_[a], layout_.grid.edges_of(a), grid.edges_of(a));
      if (!same) layout.grid = grid;
      Packer packer(bytes);
      packer.put(layout.grid.starts);
      packer.put(layout.grid.edges);
    }
    const std::vector<Bytes> told = communicator_.gather_all(bytes);
    Unpacker unpacker(told[0]);
    unpacker.get(layout.grid.starts);
    unpacker.get(layout.grid.edges);
  }
  const bool changed = layout != layout_;
  layout_ = std::move(layout);
  return changed;
}

}  // namespace fernwood::stream
