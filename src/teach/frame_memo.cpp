// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/frame_memo.h"

#include <utility>

namespace fernwood::teach {

std::shared_ptr<const image::Frame> FrameMemo::decoded(std::size_t frame, const Read& read) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = frames_.find(frame); found != frames_.end() && found->second.decoded)
      return found->second.decoded;
  }
  const auto decoded = std::make_shared<const image::Frame>(read(frame));
  const std::lock_guard lock(mutex_);
  Kept& kept = frames_[frame];
  if (!kept.decoded && budget_.take(decoded->size_bytes())) kept.decoded = decoded;
  return decoded;
}

std::shared_ptr<const image::PreparedFrame> FrameMemo::prepared(std::size_t frame,
                                                                const image::Preparation& preparation,
                                                                const Read& read) {
  if (preparation.head) {  // the head changes with each forest
    image::Preparation without = preparation;
    without.head = nullptr;
    return std::make_shared<const image::PreparedFrame>(prepared(frame, without, read)->with_scores(*preparation.head));
  }
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = frames_.find(frame);
        found != frames_.end() && found->second.prepared && found->second.preparation == preparation)
      return found->second.prepared;
  }
  auto prepared = std::make_shared<const image::PreparedFrame>(*decoded(frame, read), preparation);
  const std::lock_guard lock(mutex_);
  Kept& kept = frames_[frame];
  // A frame of another preparation is replaced: requests rarely change theirs.
  if (kept.prepared) budget_.give_back(std::exchange(kept.prepared, nullptr)->size_bytes());
  if (budget_.take(prepared->size_bytes())) {
    kept.prepared = prepared;
    kept.preparation = preparation;
  }
  return prepared;
}

}  // namespace fernwood::teach
