// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/label_transfer.h"

#include <algorithm>
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
    way.push_back({project.frame(frame).name, project.depth_reader(frame)});
    if (frame == from) return way;
  }
}

namespace {

using nlohmann::json;

image::Frame read_with_depth(const FrameOnTheWay& frame) {
  image::Frame found = frame.read();
  FW_CHECK(!found.depth_mm.empty(), Usage, frame.name << " has no depth, by which labels are transferred; draw on it");
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

void Suggestions::transfer(std::size_t frame, std::function<void(json rest)> answer) {
  std::vector<std::size_t> sources;
  std::function<TransferredLabels()> work;
  if (const auto pose = project_.frame(frame).pose) {
    std::vector<PosedFrame> frames;
    for (std::size_t other = 0; other < project_.num_frames(); ++other) {
      const auto there = project_.frame(other).pose;
      if (other == frame || project_.num_strokes(other) == 0 || !there || there->room != pose->room) continue;
      frames.push_back({project_.depth_reader(other), there->pose, truth_.drawn_reader(other)});
      sources.push_back(other);
    }
    FW_CHECK(!frames.empty(), Usage, "no other frame of the same room has strokes; draw on one first");
    work = [frames, to = FrameOnTheWay{project_.frame(frame).name, project_.depth_reader(frame)}, pose = pose->pose] {
      return transfer_by_poses(frames, to, pose);
    };
  } else {
    const auto known = nearest_taught(project_, frame);
    FW_CHECK(known, Usage,
             "none of the " << kMaxTransferSteps << " frames before and after has strokes; draw on a neighbour first");
    sources.push_back(*known);
    work = [way = way_between(project_, frame, *known), read = truth_.drawn_reader(*known)] {
      return transfer_labels(way, read());
    };
  }
  server_.do_aside([this, frame, sources, work, answer = std::move(answer),
                    classes = project_.class_numbers()]() -> std::function<void()> {
    try {
      const TransferredLabels found = work();
      return [this, frame, answer, classes, from = sources[found.from], share = found.share,
              labels = PackedLabels(found.labels)] {
        if (classes != project_.class_numbers())
          return answer({{"failed", "classes were changed meanwhile; transfer again"}});
        labels_[frame] = labels;
        answer({{"suggested", frame}, {"from", from}, {"share", share}, {"done", true}});
      };
    } catch (const Error& error) {
      return [answer, failed = std::string(error.what())] { answer({{"failed", failed}}); };
    }
  });
}

const PackedLabels& Suggestions::of(std::size_t frame) const {
  const auto found = labels_.find(frame);
  FW_CHECK(found != labels_.end(), Usage, "nothing is suggested for the frame");
  return found->second;
}

}  // namespace fernwood::teach
