// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/batch_loader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "records/tables/row_format.h"
#include "stream/source/record_parts.h"

namespace fernwood::stream {

namespace {

constexpr std::size_t kReadOver = 65536;  ///< Records read at a time, to return to a checkpoint's position.

void pack(const Grid& grid, Packer& packer) {
  packer.put(grid.starts);
  packer.put(grid.edges);
}

Grid unpack_grid(Unpacker& unpacker) {
  Grid grid;
  unpacker.get(grid.starts);
  unpacker.get(grid.edges);
  return grid;
}

void check_same(const Seen& before, const Seen& now) {
  FW_CHECK(before == now, Data,
           "the records differ from those of the checkpoint: "
               << now.num_records << " of " << now.attributes.size() << " attributes and " << now.classes.size()
               << " classes with the checksum " << to_hex(now.checksum) << " instead of " << before.num_records
               << " of " << before.attributes.size() << " and " << before.classes.size() << " with "
               << to_hex(before.checksum) << "; pass the same, or train without " << named_option("resume"));
}

}  // namespace

BatchLoader::BatchLoader(RecordSource* source, const StreamOptions& options, bool in_bins, const Division& ranks,
                         ThreadPool& pool, Communicator& communicator)
    : source_(source),
      in_passes_(options.schedule == Schedule::kPasses),
      has_targets_(options.predicts_targets()),
      known_targets_(options.known_targets()),
      ranks_(ranks),
      communicator_(communicator) {
  if (in_bins) planner_.emplace(options.bins, pool);
  Bytes bytes;
  if (source_) Packer(bytes).put(source_->absent_value());
  if (communicator_.size() > 1) bytes = communicator_.gather_all(bytes)[0];
  Unpacker(bytes).get(absent_);
}

void BatchLoader::widen(records::RecordTable& records) const {
  if (records.values.cols() == seen_.attributes.size()) return;
  Array2<float> values(records.values.rows(), seen_.attributes.size(), absent_);
  for (std::size_t i = 0; i < values.rows(); ++i)
    std::copy_n(records.values.row(i), records.values.cols(), values.row(i));
  records.values = std::move(values);
}

/// If the source is interrupted while it waits, the incomplete batch is left for a resumed run to read again.
BatchLoader::Status BatchLoader::read_batch(records::RecordTable& batch, std::size_t num_records) {
  try {
    return source_->read(batch, num_records) ? Status::kRecords : Status::kEnd;
  } catch (const Error& failure) {
    if (failure.kind() != ErrorKind::kInterrupted) throw;
    return Status::kStop;
  }
}

bool BatchLoader::read(std::size_t num_records, records::RecordTable& mine, records::RecordTable* all) {
  const bool leads = communicator_.rank() == 0;
  records::RecordTable batch;
  Status status = Status::kRecords;
  if (leads && stop_requested_)
    status = Status::kStop;
  else if (leads)
    status = read_batch(batch, num_records);
  if (leads && status == Status::kRecords) observe(batch);
  if (communicator_.size() == 1) {
    stopped_ = status == Status::kStop;
    if (status != Status::kRecords) return false;
    seen_.attributes = batch.attributes, seen_.classes = batch.classes, seen_.target = batch.target;
    seen_.num_records += batch.values.rows();
    mine = std::move(batch);
    return true;
  }
  std::vector<Bytes> outgoing(static_cast<std::size_t>(communicator_.size()));
  for (std::size_t rank = 0; leads && rank < outgoing.size(); ++rank) {
    Packer packer(outgoing[rank]);
    packer.put(status);
    if (status != Status::kRecords) continue;
    packer.put(std::uint64_t{batch.values.rows()});
    packer.put(squared_changes_);
    packer.put(message_for(batch, share_of(rank, ranks_, batch.attributes.size()).record_part));
  }
  const std::vector<Bytes> received = communicator_.exchange(std::move(outgoing));
  Unpacker unpacker(received[0]);
  unpacker.get(status);
  stopped_ = status == Status::kStop;
  if (status != Status::kRecords) return false;
  seen_.num_records += unpacker.get<std::uint64_t>();
  unpacker.get(squared_changes_);
  Bytes message;
  unpacker.get(message);
  take(message, mine);
  if (leads && all) *all = std::move(batch);
  return true;
}

Bytes BatchLoader::message_for(const records::RecordTable& batch, std::size_t record_part) const {
  Bytes message;
  Packer packer(message);
  const AttributeRange range = part_of(batch.values.rows(), record_part, ranks_.record_parts);
  std::vector<std::int32_t> labels;
  std::vector<double> targets;
  append_part(batch.labels, range.begin, range.size(), labels);
  append_part(batch.targets, range.begin, range.size(), targets);
  packer.put(batch.attributes.size() != seen_.attributes.size() ? batch.attributes : std::vector<std::string>());
  packer.put(batch.classes.size() != seen_.classes.size() ? batch.classes : std::vector<std::string>());
  packer.put(std::vector<float>(batch.values.row(range.begin), batch.values.row(range.end)));
  packer.put(labels);
  packer.put(targets);
  packer.put(batch.target);
  return message;
}

void BatchLoader::take(const Bytes& message, records::RecordTable& mine) {
  Unpacker unpacker(message);
  std::vector<std::string> attributes, classes;
  std::vector<float> values;
  unpacker.get(attributes);
  unpacker.get(classes);
  unpacker.get(values);
  unpacker.get(mine.labels);
  unpacker.get(mine.targets);
  unpacker.get(seen_.target);
  const bool grow = (attributes.empty() || attributes.size() >= seen_.attributes.size()) &&
                    (classes.empty() || classes.size() >= seen_.classes.size());
  if (!attributes.empty()) seen_.attributes = std::move(attributes);
  if (!classes.empty()) seen_.classes = std::move(classes);
  const auto is_class = [&](std::int32_t label) {
    return label >= 0 && static_cast<std::size_t>(label) < seen_.classes.size();
  };
  const std::size_t num_records = has_targets_ ? mine.targets.size() : mine.labels.size();
  FW_CHECK(grow && seen_.attributes.size() <= records::kMaxAttributes && seen_.classes.size() <= records::kMaxClasses &&
               values.size() == num_records * seen_.attributes.size() &&
               mine.labels.size() == (has_targets_ ? 0 : num_records) && std::ranges::all_of(mine.labels, is_class) &&
               mine.targets.size() == (has_targets_ ? num_records : 0) &&
               std::ranges::all_of(mine.targets, [](double target) { return std::isfinite(target); }),
           Runtime,
           "rank 0 sent " << values.size() << " values of " << num_records << " records with "
                          << seen_.attributes.size() << " attributes and " << seen_.classes.size()
                          << " classes; start all processes with the same program and options");
  mine.attributes = seen_.attributes, mine.classes = seen_.classes;
  mine.values = Array2<float>(num_records, seen_.attributes.size());
  std::ranges::copy(values, mine.values.begin());
}

void BatchLoader::check(const records::RecordTable& batch) const {
  FW_CHECK(!batch.attributes.empty() && batch.attributes.size() <= records::kMaxAttributes &&
               batch.classes.size() <= records::kMaxClasses,
           Data,
           source_->name() << " has " << batch.attributes.size() << " attributes and " << batch.classes.size()
                           << " classes; use 1 to " << records::kMaxAttributes << " and up to "
                           << records::kMaxClasses);
  has_targets_ ? check_targets(batch, seen_.num_records) : check_labels(batch);
}

void BatchLoader::check_labels(const records::RecordTable& batch) const {
  for (std::size_t i = 0; i < batch.labels.size(); ++i)
    FW_CHECK(batch.labels[i] >= 0 && static_cast<std::size_t>(batch.labels[i]) < batch.classes.size(), Data,
             source_->name() << ": record " << seen_.num_records + i + 1 << " has no class; pass one for each record");
}

void BatchLoader::check_targets(const records::RecordTable& records, std::uint64_t num_before) const {
  FW_CHECK(records.targets.size() == records.values.rows(), Data,
           source_->name() << " has no targets; read it as records with numbers to predict");
  const std::optional<TargetScale> scale =
      known_targets_ ? TargetScale::of_range(known_targets_->first, known_targets_->second) : layout_.targets;
  for (std::size_t i = 0; i < records.targets.size(); ++i) {
    const double target = records.targets[i];
    FW_CHECK(std::isfinite(target), Data,
             source_->name() << ": record " << num_before + i + 1 << " has the target " << target
                             << "; use a finite number for each record");
    FW_CHECK(!scale || scale->holds(target), Data,
             source_->name() << ": record " << num_before + i + 1 << " has the target " << target
                             << ", and targets lie between " << scale->lowest() << " and " << scale->highest()
                             << (known_targets_ ? "" : ", which follows from the first batch")
                             << "; correct it, or use " << named_option("target-range")
                             << " with limits that hold all");
  }
}

/// Chooses the conversion of targets to whole numbers. In passes all targets are known.
TargetScale BatchLoader::choose_targets() const {
  if (known_targets_) return TargetScale::of_range(known_targets_->first, known_targets_->second);
  return in_passes_ ? TargetScale::of_range(lowest_, highest_) : TargetScale::after(lowest_, highest_);
}

/// Checksum of earlier records and those of a batch, independent of the division into batches: the last values of a
/// record are skipped while they are unknown or equal to the value of attributes that were not known yet.
std::uint64_t BatchLoader::checksum_with(const records::RecordTable& batch, std::uint64_t before) const {
  for (std::size_t i = 0; i < batch.values.rows(); ++i) {
    const float* const values = batch.values.row(i);
    std::size_t size = batch.values.cols();
    while (size > 0 && (is_nan(values[size - 1]) || values[size - 1] == absent_)) --size;
    const std::uint64_t parts[] = {
        before, checksum(values, size * sizeof(float)),
        has_targets_ ? std::bit_cast<std::uint64_t>(batch.targets[i]) : static_cast<std::uint64_t>(batch.labels[i])};
    before = checksum(parts, sizeof(parts));
  }
  return before;
}

void BatchLoader::observe(const records::RecordTable& batch) {
  check(batch);
  seen_.checksum = checksum_with(batch, seen_.checksum);
  if (!layout_.targets)
    for (const double target : batch.targets)
      lowest_ = std::min(lowest_, target), highest_ = std::max(highest_, target);
  if (planner_) planner_->observe(batch, seen_.num_records, absent_);
  if (seen_.num_records == 0) index_notes_ = records::index_notes(batch);
  for (std::size_t i = 0; i < batch.values.rows(); ++i) {
    const double label = has_targets_ ? batch.targets[i] : batch.labels[i], change = label - last_label_;
    if (seen_.num_records + i > 0) squared_changes_ += has_targets_ ? change * change : change != 0;
    last_label_ = label;
  }
}

double BatchLoader::no_change() const {
  if (seen_.num_records < 2) return 0;
  const double share = squared_changes_ / (static_cast<double>(seen_.num_records) - 1);
  return has_targets_ ? std::sqrt(share) : 1 - share;
}

void BatchLoader::unpack_targets(Unpacker& unpacker) {
  unpacker.get(lowest_);
  unpacker.get(highest_);
  FW_CHECK(std::isfinite(lowest_) && std::isfinite(highest_) && lowest_ <= highest_, Runtime,
           "targets from " << lowest_ << " to " << highest_
                           << " were sent; start all processes with the same program and options");
}

/// The scale determined by rank 0.
TargetScale BatchLoader::agree_on_targets() {
  Bytes bytes;
  Packer packer(bytes);
  if (communicator_.rank() == 0) packer.put(lowest_), packer.put(highest_);
  const std::vector<Bytes> told = communicator_.gather_all(bytes);
  Unpacker unpacker(told[0]);
  unpack_targets(unpacker);
  return choose_targets();
}

bool BatchLoader::review() {
  const bool grown = seen_.attributes.size() != layout_.num_attributes || seen_.classes.size() != layout_.num_classes;
  if (!grown && seen_.num_records < 2 * num_at_review_) return false;
  num_at_review_ = seen_.num_records;
  CountLayout layout{seen_.attributes.size(), seen_.classes.size(), layout_.grid, layout_.targets};
  if (has_targets_ && !layout.targets) layout.targets = agree_on_targets();
  if (planner_) {
    Bytes bytes;
    Packer packer(bytes);
    if (communicator_.rank() == 0) stream::pack(planner_->review(layout_.grid), packer);
    const std::vector<Bytes> told = communicator_.gather_all(bytes);
    Unpacker unpacker(told[0]);
    layout.grid = unpack_grid(unpacker);
    FW_CHECK(is_usable(layout.grid, layout.num_attributes), Runtime,
             "rank 0 sent invalid split positions; start all processes with the same program and options");
  }
  const bool changed = layout != layout_;
  layout_ = std::move(layout);
  return changed;
}

void BatchLoader::pack(Packer& packer) const {
  packer.put(seen_.attributes);
  packer.put(seen_.classes);
  packer.put(seen_.target);
  packer.put(seen_.num_records);
  packer.put(seen_.checksum);
  // In passes all records are read again, and reviewed then.
  if (in_passes_) return;
  packer.put(num_at_review_);
  packer.put(last_label_);
  packer.put(squared_changes_);
  if (has_targets_) packer.put(lowest_), packer.put(highest_);
  stream::pack(layout_.grid, packer);
  if (planner_) planner_->pack(packer);
}

void BatchLoader::unpack(Unpacker& unpacker) {
  unpacker.get(seen_.attributes);
  unpacker.get(seen_.classes);
  unpacker.get(seen_.target);
  unpacker.get(seen_.num_records);
  unpacker.get(seen_.checksum);
  const std::size_t num_attributes = seen_.attributes.size(), num_classes = seen_.classes.size();
  FW_CHECK(num_attributes > 0 && num_attributes <= records::kMaxAttributes && (num_classes > 0) != has_targets_ &&
               num_classes <= records::kMaxClasses && seen_.num_records <= kMaxSeen,
           Model,
           "it claims " << seen_.num_records << " records of " << num_attributes << " attributes and " << num_classes
                        << " classes");
  if (in_passes_) return;
  unpacker.get(num_at_review_);
  unpacker.get(last_label_);
  unpacker.get(squared_changes_);
  if (has_targets_) unpack_targets(unpacker);
  layout_ = {num_attributes, num_classes, unpack_grid(unpacker)};
  if (has_targets_) layout_.targets = choose_targets();
  FW_CHECK(num_at_review_ <= seen_.num_records && is_usable(layout_.grid, planner_ ? num_attributes : 0), Model,
           "its places to split at are none");
  if (planner_) planner_->unpack(unpacker, num_attributes);
}

void BatchLoader::begin_again() {
  if (in_passes_) {
    before_ = std::exchange(seen_, {});
    return;
  }
  if (communicator_.rank() != 0) return;
  Seen now;
  records::RecordTable batch;
  while (now.num_records < seen_.num_records) {
    const std::uint64_t left = seen_.num_records - now.num_records;
    FW_CHECK(source_->read(batch, static_cast<std::size_t>(std::min<std::uint64_t>(left, kReadOver))), Data,
             source_->name() << " ends before record " << seen_.num_records
                             << ", up to which the checkpoint has read; pass the same records, or train without "
                             << named_option("resume"));
    now.num_records += batch.values.rows();
    now.checksum = checksum_with(batch, now.checksum);
  }
  now.attributes = batch.attributes, now.classes = batch.classes, now.target = batch.target;
  check_same(seen_, now);
}

void BatchLoader::check_read_again() const {
  if (before_.num_records == 0) return;  // there was no checkpoint
  Bytes mine;
  if (communicator_.rank() == 0) Packer(mine).put(seen_.checksum);
  const std::vector<Bytes> told = communicator_.gather_all(mine);
  Seen now = seen_;
  Unpacker(told[0]).get(now.checksum);
  check_same(before_, now);
}

}  // namespace fernwood::stream
