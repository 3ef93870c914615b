// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cuda/linear_texture.h"

#include "core/cuda/runtime.h"

namespace fernwood::predict {

void LinearTexture::show(const void* memory, std::size_t size, int words) {
  if (memory == memory_ && size == size_) return;
  reset();
  memory_ = memory;
  size_ = size;
  int gpu = 0;
  std::size_t most = 0;
  const cudaChannelFormatDesc format = words == 4   ? cudaCreateChannelDesc<uint4>()
                                       : words == 2 ? cudaCreateChannelDesc<uint2>()
                                                    : cudaCreateChannelDesc<unsigned>();
  cuda::check(cudaGetDevice(&gpu), "asking for the GPU");
  cuda::check(cudaDeviceGetTexture1DLinearMaxWidth(&most, &format, gpu), "asking about the GPU");
  if (size == 0 || size > most) return;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<void*>(memory);
  resource.res.linear.desc = format;
  resource.res.linear.sizeInBytes = size * static_cast<std::size_t>(words) * sizeof(unsigned);
  cudaTextureDesc description = {};
  description.readMode = cudaReadModeElementType;
  cuda::check(cudaCreateTextureObject(&texture_, &resource, &description, nullptr), "making a texture");
}

void LinearTexture::reset() noexcept {
  if (texture_) cudaDestroyTextureObject(texture_);
  texture_ = 0;
  memory_ = nullptr;
  size_ = 0;
}

}  // namespace fernwood::predict
