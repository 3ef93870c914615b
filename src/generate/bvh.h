// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "generate/scene.h"

namespace fernwood::generate {

/// A bounding volume hierarchy over a scene's parts: finds what a ray meets without asking every part.
class Bvh {
 public:
  struct Hit {
    int part = -1;  ///< -1: nothing.
    float t = 0;
  };

  /// @param parts  Must outlive the hierarchy.
  explicit Bvh(const std::vector<Part>& parts);

  Hit nearest(const Ray& ray, float t_min, float t_max) const;
  bool blocked(const Ray& ray, float t_min, float t_max) const;

 private:
  struct Node {
    Vec3 low, high;
    int first = 0;  // leaf: first entry of order_; inner: index of the second child, the first one follows the node
    int count = 0;  // leaf: number of parts; inner: 0
  };

  int build(int first, int count, int level);
  int sort_and_split(int first, int count);
  template <bool kAny>
  Hit walk(const Ray& ray, float t_min, float t_max) const;

  const std::vector<Part>& parts_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

}  // namespace fernwood::generate
