// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/cuda/prepare_on_gpu.h"

#include <utility>

#include "image/cuda/frame_preparer.h"
#include "image/cuda/frame_upload.h"

namespace fernwood::image {

std::vector<HostPlanes> prepare_on_gpu(int gpu, std::span<const Frame> frames, const Preparation& preparation,
                                       bool looks_for_unknown) {
  cuda::use_gpu(gpu);
  const cuda::Stream stream;
  FrameUpload uploads;
  FramePreparer preparer(preparation, true);
  cuda::GpuBuffer<std::uint32_t> planes;
  std::vector<HostPlanes> results;
  for (const Frame& frame : frames) {
    RawFrame raw = uploads.upload(frame, preparation, stream);
    raw.depth_complete &= looks_for_unknown;
    planes.resize(preparer.num_sums(raw.rows, raw.cols, raw.depth_complete));
    HostPlanes result{preparer.prepare(raw, planes.data(), stream), std::vector<std::uint32_t>(planes.size())};
    result.layout.planes = nullptr;
    cuda::copy_to_host(planes.data(), planes.size(), result.planes.data(), stream);
    stream.synchronize();
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace fernwood::image
