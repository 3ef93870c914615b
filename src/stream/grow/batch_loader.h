// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/messages.h"
#include "fernwood/core/parallel.h"
#include "fernwood/stream/record_source.h"
#include "stream/grow/stream_backend.h"

namespace fernwood::stream {

/// Of a stream.
struct Seen {
  std::vector<std::string> attributes, classes;
  std::string target;  ///< Name of the targets' column, if it has one.
  std::uint64_t num_records = 0;
  std::uint64_t checksum = 0;  ///< Of all records, in their order, whatever their batches; on rank 0.

  bool operator==(const Seen&) const = default;
};

/// Brings each process its share of a stream's records, and the places at which attributes can be split. Rank 0 reads
/// and looks at the values of all records; the others are told. All ranks call the same functions in the same order.
class BatchLoader {
 public:
  /// @param source  Used by rank 0.
  /// @param in_bins  Whether places to split at are looked for.
  BatchLoader(RecordSource* source, const StreamOptions& options, bool in_bins, const Division& ranks, ThreadPool& pool,
              Communicator& communicator);

  /// The next records of the stream, exactly num_records of them unless it ends.
  /// @param mine  This process' part of them, with all attributes and classes so far.
  /// @return False when there was none, or when rank 0 wants to stop.
  bool read(std::size_t num_records, records::RecordTable& mine);
  /// Rank 0: whether the targets of records can be learnt, as far as their range is known. @param num_before  Records
  /// before these, for messages. @throws Error(kData).
  void check_targets(const records::RecordTable& records, std::uint64_t num_before) const;
  /// Rank 0: read() returns false everywhere from now on.
  void request_stop() { stop_requested_ = true; }
  bool stopped() const { return stopped_; }

  /// Places to split at for what was read so far: new ones when records have doubled since the last time and the places
  /// no longer part them well, or there are more attributes or classes. @return Whether layout() is another.
  bool review();
  const CountLayout& layout() const { return layout_; }
  const std::vector<std::string>& attributes() const { return seen_.attributes; }
  const std::vector<std::string>& classes() const { return seen_.classes; }
  const std::string& target() const { return seen_.target; }
  std::uint64_t num_records() const { return seen_.num_records; }
  /// Gives records that came early the attributes that came later.
  void widen(records::RecordTable& records) const;

  /// For checkpoints: what was seen and where it stands.
  void pack(Packer& packer) const;
  /// @throws Error when what comes is nothing of the kind.
  void unpack(Unpacker& unpacker);
  /// After unpack(): rank 0 reads what was read already; with kPasses nothing yet, for all is counted again.
  /// @throws Error(kData) when that is something else.
  void begin_again();
  /// After begin_again(), with kPasses, when all was read. @throws Error(kData) likewise.
  void check_read_again() const;

  /// Checksum of all records, in their order, whatever their batches; on rank 0.
  std::uint64_t data_checksum() const { return seen_.checksum; }

 private:
  enum class Status : std::uint8_t { kRecords, kEnd, kStop };

  Status read_batch(records::RecordTable& batch, std::size_t num_records);
  void observe(const records::RecordTable& batch);
  void check(const records::RecordTable& batch) const;
  void check_labels(const records::RecordTable& batch) const;
  TargetScale choose_targets() const;
  TargetScale agree_on_targets();
  void unpack_targets(Unpacker& unpacker);
  std::uint64_t checksum_with(const records::RecordTable& batch, std::uint64_t before) const;
  Bytes message_for(const records::RecordTable& batch, std::size_t record_part) const;
  void take(const Bytes& message, records::RecordTable& mine);

  RecordSource* const source_;
  const bool in_passes_, has_targets_;
  const std::optional<std::pair<double, double>> known_targets_;
  const Division ranks_;
  Communicator& communicator_;
  float absent_ = 0;
  bool stop_requested_ = false, stopped_ = false;
  Seen seen_;
  Seen before_;  ///< kPasses: what a run before this one has seen.
  std::uint64_t num_at_review_ = 0;
  CountLayout layout_;
  /// Of the targets that were seen before it was decided how they become whole numbers.
  double lowest_ = std::numeric_limits<double>::infinity(), highest_ = -lowest_;
  std::optional<GridPlanner> planner_;  ///< Looks at values on rank 0.
};

}  // namespace fernwood::stream
