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

/// Facts about the part of a stream read so far.
struct Seen {
  std::vector<std::string> attributes, classes;
  std::string target;  ///< Name of the targets' column, if it has one.
  std::uint64_t num_records = 0;
  std::uint64_t checksum = 0;  ///< Of all records, in their order, independent of batches; on rank 0.

  bool operator==(const Seen&) const = default;
};

/// Provides each process with its share of a stream's records, and with the thresholds at which attributes can be
/// split. Rank 0 reads all records and processes their values; the others receive the results. All ranks call the same
/// functions in the same order.
class BatchLoader {
 public:
  /// @param source  Used by rank 0.
  /// @param in_bins  Whether a grid of thresholds is needed.
  BatchLoader(RecordSource* source, const StreamOptions& options, bool in_bins, const Division& ranks, ThreadPool& pool,
              Communicator& communicator);

  /// The next records of the stream, exactly num_records of them unless it ends.
  /// @param mine  This process' part of them, with all attributes and classes so far.
  /// @param all  On rank 0 of several processes, all of them.
  /// @return False when no records are left, or when rank 0 requests a stop.
  bool read(std::size_t num_records, records::RecordTable& mine, records::RecordTable* all = nullptr);
  /// Rank 0: checks that the targets of records can be learnt, given the range known so far. @param num_before  Number
  /// of earlier records, for messages. @throws Error(kData).
  void check_targets(const records::RecordTable& records, std::uint64_t num_before) const;
  /// Rank 0: read() returns false in all processes from now on.
  void request_stop() { stop_requested_ = true; }
  bool stopped() const { return stopped_; }

  /// Reviews the grid: a new one is made when the number of records has doubled since the last review and the grid no
  /// longer divides them well, or when there are more attributes or classes. @return Whether layout() has changed.
  bool review();
  const CountLayout& layout() const { return layout_; }
  const std::vector<std::string>& attributes() const { return seen_.attributes; }
  const std::vector<std::string>& classes() const { return seen_.classes; }
  const std::string& target() const { return seen_.target; }
  std::uint64_t num_records() const { return seen_.num_records; }
  /// See Prequential::no_change.
  double no_change() const;
  /// On rank 0: see records::index_notes(), about the first records.
  const std::vector<std::string>& index_notes() const { return index_notes_; }
  /// Adds attributes that were discovered later to earlier records.
  void widen(records::RecordTable& records) const;

  /// For checkpoints: facts about the stream, and the position in it.
  void pack(Packer& packer) const;
  /// @throws Error for invalid data.
  void unpack(Unpacker& unpacker);
  /// After unpack(): rank 0 reads past the records already read; with kPasses nothing, since all are counted again.
  /// @throws Error(kData) when these records differ.
  void begin_again();
  /// With kPasses, after begin_again() and once all records were read. @throws Error(kData) as above.
  void check_read_again() const;

  /// Checksum of all records, in their order, independent of batches; on rank 0.
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
  Seen before_;  ///< kPasses: the facts from an earlier run.
  std::uint64_t num_at_review_ = 0;
  CountLayout layout_;
  /// Range of the targets that were seen before their conversion to whole numbers was chosen.
  double lowest_ = std::numeric_limits<double>::infinity(), highest_ = -lowest_;
  std::optional<GridPlanner> planner_;  ///< Counts values on rank 0.
  std::vector<std::string> index_notes_;
  /// Label or target of the last record; over all records but the first, sum of the squared differences from the one
  /// before, where a different class is a difference of 1.
  double last_label_ = 0, squared_changes_ = 0;
};

}  // namespace fernwood::stream
