// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/label_transfer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fernwood/core/error.h"
#include "teach/label_carrier.h"

namespace fernwood::teach {

image::LabelImage transfer_from_neighbour(const image::LabelImage& labels, const image::DepthView& from,
                                          const image::DepthView& to, const image::RigidMotion& motion) {
  image::LabelImage transferred(to.depth_mm.rows(), to.depth_mm.cols(), image::kVoid);
  for (std::size_t row = 0; row < transferred.rows(); ++row)
    for (std::size_t col = 0; col < transferred.cols(); ++col) {
      if (to.depth_mm(row, col) == 0) continue;
      if (const auto seen = from.visible_pixel(motion(to.place(row, col))))
        transferred(row, col) = labels((*seen)[0], (*seen)[1]);
    }
  return transferred;
}

std::optional<std::size_t> nearest_taught(const Project& project, std::size_t frame) {
  for (std::size_t steps = 1; steps <= kMaxTransferSteps; ++steps) {
    if (steps <= frame && project.num_strokes(frame - steps) > 0) return frame - steps;
    if (frame + steps < project.num_frames() && project.num_strokes(frame + steps) > 0) return frame + steps;
  }
  return std::nullopt;
}

std::vector<FrameOnTheWay> way_between(const Project& project, std::size_t to, std::size_t from) {
  std::vector<FrameOnTheWay> way;
  for (std::size_t frame = to;; from < frame ? --frame : ++frame) {
    way.push_back({project.frame_name(frame), project.depth_reader(frame)});
    if (frame == from) return way;
  }
}

namespace {

image::Frame read_with_depth(const FrameOnTheWay& frame) {
  image::Frame found = frame.read();
  FW_CHECK(!found.depth_mm.empty(), Usage, frame.name << ": has no depth, by which labels are transferred; draw on it");
  return found;
}

double num_known(const image::LabelImage& labels) {
  return static_cast<double>(labels.size()) - static_cast<double>(std::ranges::count(labels, image::kVoid));
}

}  // namespace

TransferredLabels transfer_labels(const std::vector<FrameOnTheWay>& way, const image::LabelImage& labels) {
  const image::Frame last = read_with_depth(way.front());
  image::Frame here = last;
  image::RigidMotion motion;
  for (std::size_t i = 1; i < way.size(); ++i) {
    image::Frame there = read_with_depth(way[i]);
    const auto step = register_frames(depth_view(here), depth_view(there));
    FW_CHECK(step, Usage,
             way[i - 1].name << " and " << way[i].name
                             << " do not show the same room from places a little apart; draw on it");
    motion = then(motion, *step);
    here = std::move(there);
  }
  TransferredLabels transferred = {transfer_from_neighbour(labels, depth_view(here), depth_view(last), motion)};
  transferred.share = num_known(transferred.labels) / std::max(1.0, num_known(labels));
  return transferred;
}

TransferredLabels transfer_by_poses(const std::vector<PosedFrame>& from, const FrameOnTheWay& to,
                                    const image::RigidMotion& pose) {
  const image::Frame here = read_with_depth(to);
  std::vector<LabelledView> views;
  std::vector<const LabelledView*> asked;
  views.reserve(from.size());
  for (const PosedFrame& frame : from) {
    image::Frame there = frame.read();
    const image::Camera camera = depth_view(there).camera;
    asked.push_back(&views.emplace_back(frame.pose, camera, std::move(there.depth_mm), frame.labels()));
  }
  HandedLabels handed = carry_labels(asked, depth_view(here), pose);
  const auto most = std::ranges::max_element(handed.num_pixels);
  FW_CHECK(most != handed.num_pixels.end() && *most > 0, Usage,
           to.name << ": no frame with strokes shows what it shows; draw on it");
  const auto source = static_cast<std::size_t>(most - handed.num_pixels.begin());
  const double share = static_cast<double>(*most) / std::max(1.0, num_known(views[source].numbers));
  return {std::move(handed.numbers), std::min(1.0, share), source};
}

}  // namespace fernwood::teach
