// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "generate/random.h"
#include "generate/scene.h"

namespace fernwood::generate {
namespace {

constexpr float kMeanLight = 0.23f;  // target of automatic exposure: 122 of 255

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

/// Causes of missing depth at a pixel, each with a probability in [0, 1].
class Dropout {
 public:
  Dropout(const Rendering& seen, const Scene& scene, std::uint32_t seed)
      : seen_(seen), scene_(scene), seed_(seed), scale_(640.0f / static_cast<float>(seen.part.cols())) {}

  bool in_margin(std::size_t x, std::size_t y) const {
    const std::size_t cols = seen_.part.cols(), rows = seen_.part.rows();
    const std::size_t left = margin(3), right = margin(10), upper = margin(3);
    return x < left || x + right >= cols || y < upper || y + upper >= rows;
  }

  /// Order in which further depth is dropped, [0, 1): in blobs up to a tenth of the frame wide, earlier beside steps.
  float risk(std::size_t x, std::size_t y) const {
    const float px = static_cast<float>(x) * scale_, py = static_cast<float>(y) * scale_;
    const float blob =
        0.7f * smooth_noise(seed_ + 3, px / 50.0f, py / 50.0f) + 0.3f * smooth_noise(seed_ + 4, px / 12.0f, py / 12.0f);
    return at_step(x, y) ? 0.5f * blob : blob;
  }

  /// Patches a few pixels wide, so that holes look like those of a block matcher, not like single dots.
  bool in_hole(std::size_t x, std::size_t y) const {
    const float px = static_cast<float>(x) * scale_, py = static_cast<float>(y) * scale_;
    const float patch =
        0.7f * smooth_noise(seed_, px / 6.0f, py / 6.0f) + 0.3f * smooth_noise(seed_ + 1, px / 2.0f, py / 2.0f);
    return patch < hole_share(x, y) ||
           cell_noise(seed_ + 2, static_cast<int>(px / 2.5f), static_cast<int>(py / 2.5f)) < 0.0025f;
  }

  /// Probability that depth fails beside a step, where the matching window covers both sides; lower for coarser pixels.
  float step_loss() const { return 0.6f / std::max(1.0f, scale_); }

  bool at_step(std::size_t x, std::size_t y) const {
    const float here = seen_.depth_m(y, x), limit = 0.04f * here;
    const auto differs = [&](std::size_t nx, std::size_t ny) { return std::abs(seen_.depth_m(ny, nx) - here) > limit; };
    return (x > 0 && differs(x - 1, y)) || (x + 1 < seen_.part.cols() && differs(x + 1, y)) ||
           (y > 0 && differs(x, y - 1)) || (y + 1 < seen_.part.rows() && differs(x, y + 1));
  }

 private:
  std::size_t margin(int pixels_at_640) const {
    return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<float>(pixels_at_640) / scale_));
  }

  float hole_share(std::size_t x, std::size_t y) const {
    const float grazing = clamp01((0.22f - seen_.facing(y, x)) / 0.16f);
    const bool hides = scene_.parts[static_cast<std::size_t>(seen_.part(y, x))].material.hides_depth;
    return std::max({0.12f, grazing, hides ? 0.62f : 0.0f});
  }

  const Rendering& seen_;
  const Scene& scene_;
  std::uint32_t seed_;
  float scale_;  // from pixels to pixels at a width of 640
};

/// Pixels where the camera measures no depth: [rows][cols] 1, else 0.
Array2<std::uint8_t> find_missing(const Rendering& seen, const Scene& scene, const Dropout& dropout, const auto& unit) {
  const std::size_t rows = seen.depth_m.rows(), cols = seen.depth_m.cols();
  Array2<std::uint8_t> missing(rows, cols);
  for (std::size_t y = 0; y < rows; ++y) {
    cast_shadows(seen.depth_m.row(y), cols, scene.camera.focal_px, missing.row(y));
    for (std::size_t x = 0; x < cols; ++x)
      missing(y, x) = seen.part(y, x) < 0 || missing(y, x) || dropout.in_margin(x, y) || dropout.in_hole(x, y) ||
                      (dropout.at_step(x, y) && unit(x, y) < dropout.step_loss()) || !is_in_range(seen.depth_m(y, x));
  }
  return missing;
}

/// Changes the missing depth to a share of the frame: pixels that are missing already are dropped first and restored
/// last.
void set_share(double share, const Dropout& dropout, Array2<std::uint8_t>* missing) {
  std::vector<std::pair<float, std::size_t>> order;  // ascending: (risk, index), risk below 0 where depth is missing
  for (std::size_t y = 0; y < missing->rows(); ++y)
    for (std::size_t x = 0; x < missing->cols(); ++x)
      order.emplace_back(dropout.risk(x, y) - ((*missing)(y, x) ? 1.0f : 0.0f), order.size());
  const auto num_missing = static_cast<std::ptrdiff_t>(share * static_cast<double>(order.size()) + 0.5);
  std::nth_element(order.begin(), order.begin() + num_missing, order.end());
  std::fill(missing->begin(), missing->end(), std::uint8_t{0});
  for (std::ptrdiff_t i = 0; i < num_missing; ++i) missing->data()[order[static_cast<std::size_t>(i)].second] = 1;
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

std::uint16_t measured_depth_mm(float depth_m, float noise) {
  const float steps = std::floor(kDisparityConstant / depth_m + kDisparityNoise * noise + 0.5f);
  return static_cast<std::uint16_t>(1000.0f * kDisparityConstant / steps + 0.5f);
}

void cast_shadows(const float* depth_m, std::size_t cols, float focal_px, std::uint8_t* shadowed) {
  // The projector is to the right of the camera: the camera's position x corresponds to x - f b / z in the projector.
  const float shift = focal_px * kBaselineM;
  const int reach = static_cast<int>(shift / kNearestM) + 2, num = static_cast<int>(cols);
  std::vector<float> nearest(cols + static_cast<std::size_t>(reach) + 2, 1e9f);
  const auto column = [&](int x) { return static_cast<float>(x + reach) - shift / std::max(depth_m[x], kNearestM); };
  for (int x = 0; x < num; ++x) {
    if (depth_m[x] <= 0.0f) continue;
    const std::size_t at = static_cast<std::size_t>(column(x));
    for (const std::size_t i : {at, at + 1}) nearest[i] = std::min(nearest[i], depth_m[x]);
  }
  for (int x = 0; x < num; ++x) {
    const std::size_t at = static_cast<std::size_t>(column(x) + 0.5f);
    shadowed[x] = depth_m[x] <= 0.0f || nearest[at] < 0.95f * depth_m[x] ? 1 : 0;
  }
}

Array2<std::uint16_t> sense_depth(const Rendering& seen, const Scene& scene, const DepthNoise& noise) {
  const std::size_t rows = seen.depth_m.rows(), cols = seen.depth_m.cols();
  const Dropout dropout(seen, scene, draw(noise.seed, RngStream::kScene, 2, 0, noise.scene_index, noise.frame).word[0]);
  const auto draw_at = [&](std::size_t x, std::size_t y) {
    return pixel_draw(noise.seed, noise.scene_index, static_cast<std::uint32_t>(y * cols + x), noise.frame);
  };
  Array2<std::uint8_t> missing =
      find_missing(seen, scene, dropout, [&](std::size_t x, std::size_t y) { return draw_at(x, y).unit(3); });
  if (noise.holes) set_share(*noise.holes, dropout, &missing);
  Array2<std::uint16_t> depth_mm(rows, cols);
  for (std::size_t y = 0; y < rows; ++y)
    for (std::size_t x = 0; x < cols; ++x)
      if (!missing(y, x) && seen.depth_m(y, x) > 0.0f)
        depth_mm(y, x) = measured_depth_mm(seen.depth_m(y, x), gauss(draw_at(x, y).word[0]));
  return depth_mm;
}

}  // namespace fernwood::generate
