// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "generate/camera.h"

#include <algorithm>
#include <cmath>

#include "generate/random.h"

namespace fernwood::generate {
namespace {

constexpr float kMeanLight = 0.23f;  // target of automatic exposure: 122 of 255

/// The camera's settings for one image.
struct CameraSettings {
  Vec3 gain;
  float noise;     ///< Standard deviation, in 8-bit steps.
  float vignette;  ///< Loss of light in the corners.
};

CameraSettings draw_settings(const Array2<Vec3>& light, Dice& dice) {
  double sum = 0;
  for (const Vec3& c : light) sum += static_cast<double>(0.3f * c.x + 0.6f * c.y + 0.1f * c.z);
  const float mean = static_cast<float>(sum / static_cast<double>(light.size()));
  const float exposure = kMeanLight / std::max(mean, 0.01f) * dice.range(0.85f, 1.4f);
  const Vec3 balance{dice.range(0.9f, 1.1f), 1.0f, dice.range(0.88f, 1.12f)};
  const float noise = dice.range(1.5f, 3.5f), vignette = dice.range(0.1f, 0.3f);
  return {balance * exposure, noise, vignette};
}

/// Blurs by [1 2 1] / 4 along rows and columns; border pixels are repeated.
Array2<Vec3> blurred(const Array2<Vec3>& in) {
  Array2<Vec3> across(in.rows(), in.cols()), out(in.rows(), in.cols());
  for (std::size_t y = 0; y < in.rows(); ++y)
    for (std::size_t x = 0; x < in.cols(); ++x)
      across(y, x) = (in(y, x > 0 ? x - 1 : 0) + in(y, x) * 2.0f + in(y, std::min(x + 1, in.cols() - 1))) * 0.25f;
  for (std::size_t y = 0; y < in.rows(); ++y)
    for (std::size_t x = 0; x < in.cols(); ++x)
      out(y, x) =
          (across(y > 0 ? y - 1 : 0, x) + across(y, x) * 2.0f + across(std::min(y + 1, in.rows() - 1), x)) * 0.25f;
  return out;
}

std::uint8_t to_byte(float light, float noise) {
  const float value = 255.0f * std::sqrt(clamp01(light)) + noise + 0.5f;
  return static_cast<std::uint8_t>(std::clamp(value, 0.0f, 255.0f));
}

/// Noise of one channel from 16 bits: a coarse triangular distribution with a standard deviation of about 1.
float triangle(std::uint32_t word) {
  const float sum = static_cast<float>(word & 255) + static_cast<float>((word >> 8) & 255);
  return (sum - 255.0f) * (1.0f / 104.5f);
}

}  // namespace

Array2<image::Rgb> sense_color(const Array2<Vec3>& light, std::uint64_t seed, std::uint32_t scene,
                               std::uint32_t frame) {
  Dice dice(seed, scene, Topic::kLook);
  const CameraSettings settings = draw_settings(light, dice);
  const Array2<Vec3> soft = blurred(light);
  Array2<image::Rgb> out(light.rows(), light.cols());
  const float half_w = 0.5f * static_cast<float>(light.cols()), half_h = 0.5f * static_cast<float>(light.rows());
  for (std::size_t y = 0; y < light.rows(); ++y)
    for (std::size_t x = 0; x < light.cols(); ++x) {
      const float dx = (static_cast<float>(x) - half_w) / half_w, dy = (static_cast<float>(y) - half_h) / half_h;
      const Vec3 c = soft(y, x) * settings.gain * (1.0f - 0.5f * settings.vignette * (dx * dx + dy * dy));
      const Draw d = pixel_draw(seed, scene, static_cast<std::uint32_t>(y * light.cols() + x), frame);
      const float grey = settings.noise * gauss(d.word[1]), tint = 0.6f * settings.noise;
      out(y, x) = {to_byte(c.x, grey + tint * triangle(d.word[2])), to_byte(c.y, grey),
                   to_byte(c.z, grey + tint * triangle(d.word[2] >> 16))};
    }
  return out;
}

}  // namespace fernwood::generate
