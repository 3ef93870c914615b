// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/pose_agreement.h"

#include <utility>

#include "fernwood/core/statistics.h"
#include "fernwood/core/text.h"
#include "image/registration.h"

namespace fernwood::image {

namespace {

constexpr std::size_t kPointStep = 8;    // pixels between sampled points
constexpr double kMinAgreement = 0.35;   // of two frames with correct poses
constexpr std::size_t kMinMeasured = 3;  // minimum number of pairs for a scale
constexpr double kMinMotion_m = 0.005;   // minimum motion of such a pair, by depth
// Limits for consistent poses: half of the points at the same depth, and lengths that differ by at most a quarter.
constexpr double kMinMedianShare = 0.5, kMinScale = 0.8, kMaxScale = 1.25;

/// Share of a frame's points that lie where another frame sees a surface.
struct SharedView {
  std::size_t asked = 0, seen = 0, agreed = 0;  ///< Sampled points; those in view with known depth; those at its depth.

  /// Whether enough points are in view for agreed / seen to be meaningful.
  bool is_telling() const { return 10 * seen >= asked && seen > 0; }
  double share() const { return static_cast<double>(agreed) / static_cast<double>(seen); }
};

/// @param motion  Maps coordinates of `frame` to those of `other`.
SharedView shared_view(const Frame& frame, const Frame& other, const RigidMotion& motion) {
  SharedView shared;
  const DepthView from = depth_view(frame), to = depth_view(other);
  for (std::size_t row = kPointStep / 2; row < frame.depth_mm.rows(); row += kPointStep)
    for (std::size_t col = kPointStep / 2; col < frame.depth_mm.cols(); col += kPointStep) {
      if (frame.depth_mm(row, col) == 0) continue;
      ++shared.asked;
      const Vector3 place = motion(from.place(row, col));
      const auto pixel = to.pixel(place);
      if (!pixel || other.depth_mm((*pixel)[0], (*pixel)[1]) == 0) continue;
      ++shared.seen;
      if (to.visible_pixel(place)) ++shared.agreed;
    }
  return shared;
}

}  // namespace

std::string PoseAgreement::scale_problem(const std::string& source) const {
  if (!scale || (*scale >= kMinScale && *scale <= kMaxScale)) return {};
  return source + ": the camera moves " + format_text("%.3g", *scale) +
         " times as far by its poses as by depth; check the units of both: metres for poses, millimetres for depth";
}

std::vector<std::string> PoseAgreement::problems(const std::string& source) const {
  std::vector<std::string> sentences;
  if (std::string sentence = scale_problem(source); !sentence.empty()) sentences.push_back(std::move(sentence));
  if (median_share < kMinMedianShare)
    sentences.push_back(source + ": poses and depth disagree: only " + format_text("%.0f", 100 * median_share) +
                        " % of the points of a frame lie where the frame before saw them; check poses and camera");
  return sentences;
}

bool PoseMeter::add(std::shared_ptr<const Frame> frame, const RigidMotion& pose) {
  // Compared with the immediately preceding frame even if that did not fit, so that one jump rejects only one frame.
  const std::shared_ptr<const Frame> last = std::exchange(last_, std::move(frame));
  const RigidMotion last_pose = std::exchange(last_pose_, pose);
  if (!last) return true;
  const RigidMotion motion = then(pose, inverse(last_pose));
  if (num_pairs_++ % pairs_per_scale_ == 0)
    if (const auto by_depth = register_frames(depth_view(*last_), depth_view(*last))) {
      const double square = dot(by_depth->translation, by_depth->translation);
      if (square >= kMinMotion_m * kMinMotion_m)
        scales_.push_back(dot(by_depth->translation, motion.translation) / square);
    }
  const SharedView shared = shared_view(*last_, *last, motion);
  if (!shared.is_telling()) return true;
  shares_.push_back(shared.share());
  return shared.share() >= kMinAgreement;
}

PoseAgreement PoseMeter::agreement() const {
  PoseAgreement agreement{median_of(shares_), {}};
  // The median, because for a fast-turning camera the motion estimated from depth alone may be far off.
  if (scales_.size() >= kMinMeasured) agreement.scale = median_of(scales_);
  return agreement;
}

}  // namespace fernwood::image
