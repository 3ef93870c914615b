// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/prepare_on.h"

#include "fernwood/core/error.h"

namespace fernwood::image {

namespace {

HostPlanes prepare_on_cpu(const Frame& frame, const Preparation& preparation) {
  const PreparedFrame prepared(frame, preparation);
  HostPlanes result{prepared.view(), {}};
  const std::uint32_t* planes = result.layout.planes;
  result.planes.assign(planes, planes + prepared.size_bytes() / sizeof(std::uint32_t));
  result.layout.planes = nullptr;
  return result;
}

}  // namespace

std::vector<HostPlanes> prepare_on(Device device, std::span<const Frame> frames, const Preparation& preparation,
                                   bool looks_for_unknown) {
  if (!device.is_cpu()) return prepare_on_gpu(device.gpu, frames, preparation, looks_for_unknown);
  std::vector<HostPlanes> results;
  for (const Frame& frame : frames) results.push_back(prepare_on_cpu(frame, preparation));
  return results;
}

#if !FERNWOOD_HAS_CUDA

std::vector<HostPlanes> prepare_on_gpu(int, std::span<const Frame>, const Preparation&, bool) {
  throw Error(ErrorKind::kDevice, gpu_status().problem);
}

#endif

}  // namespace fernwood::image
