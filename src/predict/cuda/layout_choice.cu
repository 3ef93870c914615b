// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cuda/label_stages.h"

#include <limits>

#include "fernwood/core/error.h"

namespace fernwood::predict {

namespace {

/// Shortest time of several runs in seconds; the first run, which loads the kernel, does not count.
double seconds_of(const Layout& layout, const LeafArgs& args, const cuda::Stream& stream) {
  constexpr int kRuns = 4;
  double least = std::numeric_limits<double>::max();
  for (int run = 0; run < kRuns; ++run) {
    cuda::Event start, end;
    start.record(stream);
    layout.find_leaves(args, stream);
    end.record(stream);
    end.synchronize();
    if (run > 0) least = std::min(least, end.seconds_since(start));
  }
  return least;
}

/// What does not fit in the selected layout, and which layouts to use instead.
const char* why_not(const ForestView& forest) {
  if (forest.ferns.size > 0) return "a frame as large as this one; give auto or l1";
  return forest.packed ? "a frame or a forest as large as this one; give auto or packed"
                       : "trees as large as these, or for their channels; give auto or l1";
}

const Layout& fastest(const LeafArgs& args, const cuda::Stream& stream) {
  const Layout* best = nullptr;
  double least = std::numeric_limits<double>::max();
  for (const Layout& layout : layouts()) {
    if (!layout.can_use(args)) continue;
    const double seconds = seconds_of(layout, args, stream);
    if (best == nullptr || seconds < least) least = seconds, best = &layout;
  }
  return *best;  // the layout with loads can always be used
}

}  // namespace

LayoutChoice::LayoutChoice(const std::string& name) : is_auto_(name == "auto") {
  for (const Layout& layout : layouts())
    if (layout.name == name) layout_ = &layout;
}

std::string LayoutChoice::name() const { return layout_ != nullptr ? std::string(layout_->name) : "auto"; }

void LayoutChoice::find_leaves(const LeafArgs& args, const cuda::Stream& stream) {
  if (is_auto_ && (layout_ == nullptr || !layout_->can_use(args))) layout_ = &fastest(args, stream);
  FW_CHECK(layout_->can_use(args), Usage, "the layout \"" << name() << "\" has no room for " << why_not(args.forest));
  layout_->find_leaves(args, stream);
}

}  // namespace fernwood::predict
