// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cuda/label_stages.h"

#include <limits>

#include "fernwood/core/error.h"

namespace fernwood::predict {

namespace {

/// Seconds of the fastest of some runs; the first, which loads the kernel, does not count.
double seconds_of(Layout layout, const LeafArgs& args, const cuda::Stream& stream) {
  constexpr int kRuns = 4;
  double least = std::numeric_limits<double>::max();
  for (int run = 0; run < kRuns; ++run) {
    cuda::Event start, end;
    start.record(stream);
    find_leaves(layout, args, stream);
    end.record(stream);
    end.synchronize();
    if (run > 0) least = std::min(least, end.seconds_since(start));
  }
  return least;
}

/// What a layout that was named has no room for, and what to give instead.
const char* why_not(const ForestView& forest) {
  if (forest.ferns.size > 0) return "a frame as large as this one; give auto or l1";
  return forest.packed ? "a frame or a forest as large as this one; give auto or packed"
                       : "trees as large as these, or for their channels; give auto or l1";
}

}  // namespace

LayoutChoice::LayoutChoice(const std::string& name) : is_auto_(name == "auto") {
  for (const LayoutName& known : layout_names())
    if (known.name == name) layout_ = known.layout;
}

std::string LayoutChoice::name() const {
  for (const LayoutName& known : layout_names())
    if (layout_ == known.layout) return std::string(known.name);
  return "auto";
}

void LayoutChoice::find_leaves(const LeafArgs& args, const cuda::Stream& stream) {
  if (is_auto_ && (!layout_ || !can_use(*layout_, args))) layout_ = fastest(args, stream);
  FW_CHECK(can_use(*layout_, args), Usage, "the layout \"" << name() << "\" has no room for " << why_not(args.forest));
  predict::find_leaves(*layout_, args, stream);
}

Layout LayoutChoice::fastest(const LeafArgs& args, const cuda::Stream& stream) const {
  Layout best = Layout::kL1;  // can always be used
  double least = std::numeric_limits<double>::max();
  for (const LayoutName& known : layout_names()) {
    if (!can_use(known.layout, args)) continue;
    const double seconds = seconds_of(known.layout, args, stream);
    if (seconds < least) {
      least = seconds;
      best = known.layout;
    }
  }
  return best;
}

}  // namespace fernwood::predict
