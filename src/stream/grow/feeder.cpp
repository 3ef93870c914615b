// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/feeder.h"

#include <algorithm>
#include <cmath>

#include "fernwood/core/file.h"

namespace fernwood {

namespace {

enum class Tidings : std::uint8_t { kRecords, kEnd, kStop };

constexpr std::size_t kTile = 512, kReadOver = 65536;

std::vector<float> known_values(const RecordTable& batch, std::size_t attribute, AttributeRange records) {
  std::vector<float> values;
  values.reserve(records.size());
  for (std::size_t i = records.begin; i < records.end; ++i)
    if (const float value = batch.values(i, attribute); !is_nan(value)) values.push_back(value);
  return values;
}

/// The middle one of the known values; 0 if there is none, or it is infinite.
float median(std::vector<float> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return std::isfinite(*middle) ? *middle : 0;
}

/// The largest share of a sketch that lies in one bin of a grid's edges.
double largest_bin(const LogLinearSketch& sketch, std::span<const float> edges) {
  double before = 0, largest = 0;
  for (const float edge : edges) {
    const double now = sketch.sum(edge);
    largest = std::max(largest, now - before);
    before = now;
  }
  return std::max(largest, static_cast<double>(sketch.total()) - before);
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

void Feeder::widen(RecordTable& records) const {
  if (records.values.cols() == attributes_.size()) return;
  Array2<float> values(records.values.rows(), attributes_.size(), absent_);
  for (std::size_t i = 0; i < values.rows(); ++i)
    std::copy_n(records.values.row(i), records.values.cols(), values.row(i));
  records.values = std::move(values);
}

bool Feeder::read(std::size_t num_records, RecordTable& mine) {
  const bool leads = communicator_.rank() == 0;
  RecordTable batch;
  Tidings tidings = Tidings::kRecords;
  if (leads && asked_to_stop_)
    tidings = Tidings::kStop;
  else if (leads && !source_->read(batch, num_records))
    tidings = Tidings::kEnd;
  if (leads && tidings == Tidings::kRecords) observe(batch);
  if (communicator_.size() == 1) {
    stopped_ = tidings == Tidings::kStop;
    if (tidings != Tidings::kRecords) return false;
    attributes_ = batch.attributes, classes_ = batch.classes;
    num_records_ += batch.values.rows();
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
  num_records_ += unpacker.get<std::uint64_t>();
  Bytes message;
  unpacker.get(message);
  take(message, mine);
  return true;
}

Bytes Feeder::message_for(const RecordTable& batch, std::size_t record_part) const {
  Bytes message;
  Packer packer(message);
  const AttributeRange range = part_of(batch.values.rows(), record_part, ranks_.record_parts);
  packer.put(batch.attributes.size() != attributes_.size() ? batch.attributes : std::vector<std::string>());
  packer.put(batch.classes.size() != classes_.size() ? batch.classes : std::vector<std::string>());
  packer.put(std::vector<float>(batch.values.row(range.begin), batch.values.row(range.end)));
  packer.put(std::vector<std::int32_t>(batch.labels.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                       batch.labels.begin() + static_cast<std::ptrdiff_t>(range.end)));
  return message;
}

void Feeder::take(const Bytes& message, RecordTable& mine) {
  Unpacker unpacker(message);
  std::vector<std::string> attributes, classes;
  std::vector<float> values;
  unpacker.get(attributes);
  unpacker.get(classes);
  unpacker.get(values);
  unpacker.get(mine.labels);
  if (!attributes.empty()) attributes_ = std::move(attributes);
  if (!classes.empty()) classes_ = std::move(classes);
  mine.attributes = attributes_, mine.classes = classes_;
  mine.values = Array2<float>(mine.labels.size(), attributes_.size());
  std::ranges::copy(values, mine.values.begin());
}

void Feeder::observe(const RecordTable& batch) {
  for (std::size_t i = 0; i < batch.labels.size(); ++i)
    FW_CHECK(batch.labels[i] != kNoClass, Data,
             source_->name() << ": record " << num_records_ + i + 1 << " has no class; give one for each record");
  const std::uint64_t parts[] = {data_checksum_, checksum(batch.values.data(), batch.values.size() * sizeof(float)),
                                 checksum(batch.labels.data(), batch.labels.size() * sizeof(std::int32_t))};
  data_checksum_ = checksum(parts, sizeof(parts));
  if (options_.sketch != SketchKind::kLogLinear) return;
  const std::size_t num_known = observed_.size();
  while (observed_.size() < batch.attributes.size()) observed_.emplace_back(kMostFractionBits);
  const std::size_t num_parts = std::min<std::size_t>(observed_.size(), static_cast<std::size_t>(pool_.num_threads()));
  pool_.for_each(num_parts, [&](std::size_t part, int) {
    const AttributeRange range = part_of(observed_.size(), part, num_parts);
    for (std::size_t a = std::max(range.begin, num_known); a < range.end; ++a) observe_first(batch, a);
    // In tiles, whose rows stay in the cache while columns are made of them.
    for (std::size_t begin = 0; begin < batch.values.rows(); begin += kTile)
      for (std::size_t a = range.begin; a < range.end; ++a)
        observed_[a].update(known_values(batch, a, {begin, std::min(begin + kTile, batch.values.rows())}));
  });
}

void Feeder::observe_first(const RecordTable& batch, std::size_t attribute) {
  const float centre = median(known_values(batch, attribute, {0, batch.values.rows()}));
  observed_[attribute] = LogLinearSketch(kMostFractionBits, centre);
  if (!is_nan(absent_)) observed_[attribute].update(absent_, num_records_);
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
  const bool grown = attributes_.size() != layout_.num_attributes || classes_.size() != layout_.num_classes;
  if (!grown && num_records_ < 2 * num_at_review_) return false;
  num_at_review_ = num_records_;
  CountLayout layout{attributes_.size(), classes_.size(), layout_.grid};
  if (options_.sketch == SketchKind::kLogLinear) {
    Bytes bytes;
    if (communicator_.rank() == 0) {
      const Grid grid = make_grid();
      // Leaves lose what they have counted on other places, so these stay while they part the records half as well.
      bool fits = grid.num_attributes() == layout_.grid.num_attributes();
      for (std::size_t a = 0; fits && a < observed_.size(); ++a)
        fits = largest_bin(observed_[a], layout_.grid.edges_of(a)) <= 2 * largest_bin(observed_[a], grid.edges_of(a));
      if (!fits) layout.grid = grid;
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

void Feeder::pack(Packer& packer) const {
  packer.put(attributes_);
  packer.put(classes_);
  packer.put(num_records_);
  packer.put(num_at_review_);
  packer.put(data_checksum_);
  packer.put(std::uint64_t{layout_.num_attributes});
  packer.put(std::uint64_t{layout_.num_classes});
  packer.put(layout_.grid.starts);
  packer.put(layout_.grid.edges);
  packer.put(std::uint64_t{observed_.size()});
  for (const LogLinearSketch& sketch : observed_) {
    packer.put(sketch.centre());
    packer.put(sketch.buckets());
  }
}

void Feeder::unpack(Unpacker& unpacker) {
  unpacker.get(attributes_);
  unpacker.get(classes_);
  unpacker.get(num_records_);
  unpacker.get(num_at_review_);
  unpacker.get(data_checksum_);
  layout_.num_attributes = unpacker.get<std::uint64_t>();
  layout_.num_classes = unpacker.get<std::uint64_t>();
  unpacker.get(layout_.grid.starts);
  unpacker.get(layout_.grid.edges);
  observed_.clear();
  const auto num_observed = unpacker.get<std::uint64_t>();
  for (std::uint64_t a = 0; a < num_observed; ++a) {
    const auto centre = unpacker.get<float>();
    LogLinearSketch& sketch = observed_.emplace_back(kMostFractionBits, centre);
    std::vector<LogLinearSketch::Bucket> buckets;
    unpacker.get(buckets);
    for (const LogLinearSketch::Bucket& bucket : buckets) sketch.add_bucket(bucket);
  }
  if (communicator_.rank() == 0) read_over(num_records_);
}

/// What a run before this one has read.
void Feeder::read_over(std::uint64_t num_records) {
  RecordTable batch;
  for (std::uint64_t left = num_records; left > 0;) {
    FW_CHECK(source_->read(batch, static_cast<std::size_t>(std::min<std::uint64_t>(left, kReadOver))), Data,
             source_->name() << ": ends before record " << num_records
                             << ", up to which the checkpoint has read; give the same records, or train without "
                                "--resume");
    left -= batch.values.rows();
  }
  if (num_records == 0) return;
  FW_CHECK(batch.attributes.size() <= attributes_.size() && batch.classes.size() <= classes_.size(), Data,
           source_->name() << ": has " << batch.attributes.size() << " attributes and " << batch.classes.size()
                           << " classes, but the checkpoint has seen " << attributes_.size() << " and "
                           << classes_.size() << "; give the same records, or train without --resume");
}

}  // namespace fernwood
