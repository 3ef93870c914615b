// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "stream/grow/stream_rounds.h"

namespace fernwood::stream {

/// Writes the state of a growing tree as an atomic file. @param options_json  Its training options.
void save_stream_checkpoint(const Bytes& state, const std::string& options_json, const std::filesystem::path& path);

/// @throws Error(kModel) for a file that is damaged or not a checkpoint, Error(kUsage) when it was made with other
/// options.
Bytes load_stream_checkpoint(const std::filesystem::path& path, const std::string& options_json);

/// @throws Error(kUsage) if a file exists that is not such a checkpoint, and would be replaced by one.
void check_checkpoint_file(const std::filesystem::path& path);

/// Continues from the checkpoint file, if it exists; a collective operation, in which rank 0 reads.
/// @param restore  Receives the saved state. @return Whether the file exists. @throws Error as
/// load_stream_checkpoint(), and errors of restore as Error(kModel).
bool resume_state(const std::filesystem::path& path, const std::string& options_json, Communicator& communicator,
                  const std::function<void(const Bytes& state)>& restore);

/// What all processes do between rounds, as rank 0 decides.
struct BetweenRounds {
  bool saves = false;  ///< A checkpoint is due.
  bool stops = false;
};
/// @param saved_at_s  Time of the last checkpoint.
BetweenRounds decide_between_rounds(const StreamCheckpointOptions& checkpoint, bool stops, double saved_at_s,
                                    Communicator& communicator);

/// Stores a growing tree in a file between rounds; a collective operation, in which rank 0 writes.
class StreamCheckpoints {
 public:
  StreamCheckpoints(StreamGrowth& growth, const std::string& options_json);

  /// Continues from the file, if it exists, which any number of processes may have made. @throws Error as
  /// load_stream_checkpoint(), Error(kData) when the source does not repeat the records up to the checkpoint.
  void resume();
  /// The complete state between rounds, on rank 0. All processes call this together.
  Bytes state();
  /// Continues from the result of state(), without reading the earlier records again.
  /// @throws Error(kModel) for invalid data.
  void restore(const Bytes& state);
  /// Writes the file if it is due, and stops if rank 0 requests it. @throws Error the reason for stopping.
  void save_or_stop();

 private:
  bool in_passes() const { return growth_.options.schedule == Schedule::kPasses; }
  void save();
  Bytes state_with(const std::vector<Bytes>& counted) const;
  void unpack(Unpacker& unpacker);

  StreamGrowth& growth_;
  const std::string options_json_;
  double saved_at_s_;
};

}  // namespace fernwood::stream
