// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/frame_store.h"

#include <algorithm>

namespace fernwood {

LoadedFrame FrameStore::load(std::uint32_t index) const {
  LoadedFrame loaded;
  loaded.labels = dataset_.read_labels(index, classes_);
  loaded.prepared = PreparedFrame(dataset_.read_frame(index), preparation_);
  return loaded;
}

void FrameStore::visit(const std::vector<std::uint32_t>& indices, ThreadPool& pool, const Visit& visit) {
  pool.for_each(indices.size(), [&](std::size_t i, int worker) {
    std::unique_ptr<const LoadedFrame>& kept = kept_[indices[i]];
    if (kept) return visit(i, *kept, worker);
    auto loaded = std::make_unique<const LoadedFrame>(load(indices[i]));
    ++num_decoded_;
    visit(i, *loaded, worker);
    const std::size_t size_bytes = loaded->size_bytes();
    if (kept_bytes_.fetch_add(size_bytes) + size_bytes <= budget_bytes_)
      kept = std::move(loaded);
    else
      kept_bytes_ -= size_bytes;
  });
}

std::size_t FrameStore::num_kept() const {
  return static_cast<std::size_t>(
      std::count_if(kept_.begin(), kept_.end(), [](const auto& frame) { return frame != nullptr; }));
}

}  // namespace fernwood
