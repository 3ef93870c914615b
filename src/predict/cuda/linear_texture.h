// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace fernwood::predict {

/// Owner of a texture object over linear memory: 32-bit words, one, two or four of them an element.
class LinearTexture {
 public:
  LinearTexture() = default;
  ~LinearTexture() { reset(); }
  LinearTexture(const LinearTexture&) = delete;
  LinearTexture& operator=(const LinearTexture&) = delete;

  /// Shows `size` elements of `words` words each, or nothing if the GPU in use cannot show as many; costs nothing when
  /// it shows them already.
  /// @param words  1, 2 or 4.
  void show(const void* memory, std::size_t size, int words);
  void reset() noexcept;
  /// 0: shows nothing.
  cudaTextureObject_t object() const { return texture_; }

 private:
  cudaTextureObject_t texture_ = 0;
  const void* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace fernwood::predict
