// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <string>

#include "predict/cuda/find_leaves.h"

namespace fernwood::predict {

/// The layout that a user named, or for "auto" the fastest on the GPU in use: all are timed with the first frame.
class LayoutChoice {
 public:
  /// @param name  "auto" or one of layout_names().
  explicit LayoutChoice(const std::string& name);

  /// Finds leaves with the layout. @throws Error(kUsage) when it was named and cannot be used.
  void find_leaves(const LeafArgs& args, const cuda::Stream& stream);
  /// "auto" as long as it is not known.
  std::string name() const;

 private:
  Layout fastest(const LeafArgs& args, const cuda::Stream& stream) const;

  bool is_auto_;
  std::optional<Layout> layout_;
};

}  // namespace fernwood::predict
