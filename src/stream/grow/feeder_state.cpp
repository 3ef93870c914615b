// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <functional>
#include <utility>

#include "fernwood/core/text.h"
#include "stream/grow/feeder.h"
#include "stream/grow/stream_tree.h"

namespace fernwood::stream {

namespace {

constexpr std::size_t kReadOver = 65536, kMostEdges = 254;

/// Whether bins can be made of it. @param num_attributes  That it must have.
bool is_grid(const Grid& grid, std::size_t num_attributes) {
  if (grid.num_attributes() != num_attributes || grid.starts[0] != 0 || grid.starts.back() != grid.edges.size())
    return false;
  for (std::size_t a = 0; a < num_attributes; ++a) {
    const std::uint32_t begin = grid.starts[a], end = grid.starts[a + 1];
    if (begin >= end || end - begin > kMostEdges || end > grid.edges.size()) return false;
    const std::span<const float> edges = grid.edges_of(a);
    if (std::ranges::any_of(edges, [](float edge) { return is_nan(edge); })) return false;
    if (std::ranges::adjacent_find(edges, std::greater_equal<>()) != edges.end()) return false;
  }
  return true;
}

void check_same(const Seen& before, const Seen& now) {
  FW_CHECK(before == now, Data,
           "the records are not those that the checkpoint was made with: "
               << now.num_records << " of " << now.attributes.size() << " attributes and " << now.classes.size()
               << " classes with the checksum " << to_hex(now.checksum) << " instead of " << before.num_records
               << " of " << before.attributes.size() << " and " << before.classes.size() << " with "
               << to_hex(before.checksum) << "; give the same, or train without --resume");
}

}  // namespace

void Feeder::pack(Packer& packer) const {
  packer.put(seen_.attributes);
  packer.put(seen_.classes);
  packer.put(seen_.num_records);
  packer.put(seen_.checksum);
  // In passes all is read again, and then looked at.
  if (options_.schedule == Schedule::kPasses) return;
  packer.put(num_at_review_);
  packer.put(layout_.grid.starts);
  packer.put(layout_.grid.edges);
  for (const LogLinearSketch& sketch : observed_) {
    packer.put(sketch.centre());
    const std::vector<LogLinearSketch::Bucket> buckets = sketch.buckets();
    packer.put(std::uint64_t{buckets.size()});
    for (const LogLinearSketch::Bucket& bucket : buckets) packer.put(bucket.key), packer.put(bucket.count);
  }
}

void Feeder::unpack(Unpacker& unpacker) {
  unpacker.get(seen_.attributes);
  unpacker.get(seen_.classes);
  unpacker.get(seen_.num_records);
  unpacker.get(seen_.checksum);
  const std::size_t num_attributes = seen_.attributes.size(), num_classes = seen_.classes.size();
  FW_CHECK(num_attributes > 0 && num_attributes <= records::kMostAttributes && num_classes > 0 &&
               num_classes <= records::kMostClasses && seen_.num_records <= kMostSeen,
           Model,
           "it tells of " << seen_.num_records << " records of " << num_attributes << " attributes and " << num_classes
                          << " classes");
  if (options_.schedule == Schedule::kPasses) return;
  unpacker.get(num_at_review_);
  layout_ = {seen_.attributes.size(), seen_.classes.size(), {}};
  unpacker.get(layout_.grid.starts);
  unpacker.get(layout_.grid.edges);
  const bool has_grid = options_.sketch == SketchKind::kLogLinear;
  FW_CHECK(num_at_review_ <= seen_.num_records && is_grid(layout_.grid, has_grid ? seen_.attributes.size() : 0), Model,
           "its places to split at are none");
  observed_.clear();
  for (std::size_t a = 0; has_grid && a < seen_.attributes.size(); ++a) {
    LogLinearSketch& sketch = observed_.emplace_back(kMostFractionBits, unpacker.get<float>());
    for (auto left = unpacker.get<std::uint64_t>(); left > 0; --left) {
      const auto key = unpacker.get<std::uint32_t>();
      sketch.add_bucket({key, unpacker.get<std::uint64_t>()});
    }
  }
}

void Feeder::begin_again() {
  if (options_.schedule == Schedule::kPasses) {
    before_ = std::exchange(seen_, {});
    return;
  }
  if (communicator_.rank() != 0) return;
  Seen now;
  records::RecordTable batch;
  while (now.num_records < seen_.num_records) {
    const std::uint64_t left = seen_.num_records - now.num_records;
    FW_CHECK(source_->read(batch, static_cast<std::size_t>(std::min<std::uint64_t>(left, kReadOver))), Data,
             source_->name() << ": ends before record " << seen_.num_records
                             << ", up to which the checkpoint has read; give the same records, or train without "
                                "--resume");
    now.num_records += batch.values.rows();
    now.checksum = checksum_with(batch, now.checksum);
  }
  now.attributes = batch.attributes, now.classes = batch.classes;
  check_same(seen_, now);
}

void Feeder::check_read_again() const {
  Bytes mine;
  if (communicator_.rank() == 0) Packer(mine).put(seen_.checksum);
  const std::vector<Bytes> told = communicator_.gather_all(mine);
  Seen now = seen_;
  Unpacker(told[0]).get(now.checksum);
  check_same(before_, now);
}

}  // namespace fernwood::stream
