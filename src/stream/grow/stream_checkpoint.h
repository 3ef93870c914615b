// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <string>

#include "stream/grow/stream_rounds.h"

namespace fernwood::stream {

/// Writes the state of a tree that grows, whole or not at all. @param options_json  Those that it grows with.
void save_stream_checkpoint(const Bytes& state, const std::string& options_json, const std::filesystem::path& path);

/// @throws Error(kModel) for a file that is damaged or no checkpoint, Error(kUsage) when it was made with other
/// options.
Bytes load_stream_checkpoint(const std::filesystem::path& path, const std::string& options_json);

/// Keeps a growing tree in a file between rounds, by all processes together, of which rank 0 writes.
class StreamCheckpoints {
 public:
  StreamCheckpoints(StreamGrowth& growth, const std::string& options_json);

  /// Goes on from the file, which any number of processes may have made. @throws Error as load_stream_checkpoint(),
  /// Error(kData) where the records that it was made from do not come again.
  void resume();
  /// All that going on needs, between rounds. All processes call this together; it is whole on rank 0.
  Bytes state();
  /// Goes on from what state() gave, but for the records that were read by then.
  /// @throws Error(kModel) for what is nothing of the kind.
  void restore(const Bytes& state);
  /// Writes the file if it is time for that, and ends where rank 0 wants to stop. @throws Error what it stops with.
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
