// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/cuda/frame_preparer.h"

#include <algorithm>
#include <string>

#include "fernwood/core/error.h"
#include "image/cuda/column_sums.h"
#include "image/cuda/fill_depth.h"

namespace fernwood::image {

namespace {

ChannelKind kind_of(std::string_view set_name) {
  if (set_name == "lab") return ChannelKind::kLab;
  if (set_name == "rgb") return ChannelKind::kRgb;
  if (set_name == "gradient") return ChannelKind::kGradient;
  if (set_name == "height") return ChannelKind::kHeight;
  if (set_name == "upright") return ChannelKind::kUpright;
  if (set_name == "facing") return ChannelKind::kFacing;
  FW_CHECK(set_name == "depth", Usage,
           "the channels \"" << set_name << "\" cannot be computed on a GPU yet; give --device cpu");
  return ChannelKind::kDepth;
}

}  // namespace

FramePreparer::FramePreparer(const Preparation& preparation, bool fill_depth, std::size_t stride_step)
    : channels_(preparation.channels),
      fills_(fill_depth && fills_depth(preparation) && preparation.depth_filling == DepthFilling::kSimple),
      stride_step_(stride_step) {
  for (const ChannelSet* set : channels_.sets()) kinds_.push_back(kind_of(set->name));
  FW_CHECK(kinds_.size() < kMaxChannelTasks, Usage,
           kinds_.size() << " channel sets are chosen, a GPU computes at most " << kMaxChannelTasks - 1
                         << "; give --device cpu");
  lab_tables_.resize(1);
  const cuda::Stream stream;
  cuda::copy_to_gpu(&lab_tables(), 1, lab_tables_.data(), stream);
  stream.synchronize();
}

PlaneLayout FramePreparer::layout(std::int32_t rows, std::int32_t cols, bool depth_complete) const {
  return layout_planes(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), channels_,
                       depth_complete || !channels_.needs_depth(), stride_step_);
}

std::size_t FramePreparer::num_sums(std::int32_t rows, std::int32_t cols, bool depth_complete) const {
  return layout(rows, cols, depth_complete).num_sums;
}

std::size_t FramePreparer::plane_size(std::int32_t rows, std::int32_t cols) const {
  return static_cast<std::size_t>(layout(rows, cols, true).view.plane_size);
}

DepthSource FramePreparer::fill(const RawFrame& frame, const cuda::Stream& stream) {
  filled_.resize(static_cast<std::size_t>(frame.rows) * static_cast<std::size_t>(frame.cols));
  row_known_.resize(static_cast<std::size_t>(frame.rows));
  fill_depth_rows({frame.depth_mm, filled_.data(), row_known_.data(), frame.rows, frame.cols}, stream);
  return {filled_.data(), row_known_.data()};
}

FrameView FramePreparer::prepare(const RawFrame& frame, std::uint32_t* planes, const cuda::Stream& stream) {
  const PlaneLayout layout = this->layout(frame.rows, frame.cols, frame.depth_complete);
  ChannelRowsArgs args = {.layout = layout.view,
                          .color = frame.color,
                          .depth = {frame.depth_mm, nullptr},
                          .geometry = {},
                          .lab_tables = lab_tables_.data(),
                          .planes = planes,
                          .tasks = {},
                          .num_tasks = static_cast<std::int32_t>(kinds_.size())};
  if (fills_) args.depth = fill(frame, stream);
  if (channels_.needs_geometry())
    args.geometry = geometry_.measure(args.depth, frame.rows, frame.cols, frame.camera, frame.up, stream);
  std::int32_t plane = 0;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    args.tasks[i] = {kinds_[i], plane};
    plane += static_cast<std::int32_t>(channels_.sets()[i]->channels.size());
  }
  if (layout.num_planes() > channels_.num_channels())
    args.tasks[args.num_tasks++] = {ChannelKind::kKnown, channels_.num_channels()};
  channel_rows(args, stream);
  // Context planes come later, from a stage that reads these.
  column_sums(layout.view, planes, channels_.context_channel(), stream);
  const std::int32_t counts = layout.num_planes() - channels_.num_channels();
  if (counts > 0)
    column_sums(layout.view, planes + static_cast<std::size_t>(channels_.num_channels()) * layout.view.plane_size,
                counts, stream);
  FrameView view = layout.view;
  view.planes = planes;
  return view;
}

}  // namespace fernwood::image
