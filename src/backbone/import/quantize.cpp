// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>

#include "backbone/import/float_network.h"
#include "fernwood/core/error.h"

namespace fernwood::backbone {

namespace {

/// The value represented by an activation of 255 after ReLU6.
constexpr float kMaxClipped = 6;
/// Quantile of the magnitudes of a block's outputs at which they are clipped.
constexpr double kQuantile = 0.9998;
/// Deviations from the mean for the limit of outputs if there are no images.
constexpr float kDeviations = 3;

/// One output of a dense layer for a pixel. @param input  [kernel][kernel][in]
float dense_sum(const FloatLayer& layer, std::size_t out, const float* input) {
  const std::size_t count = layer.weights.size() / static_cast<std::size_t>(layer.out);
  const float* weights = layer.weights.data() + out * count;
  constexpr std::size_t kSums = 8;  // each over every eighth product, for vectorisation
  float sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums)
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += weights[i + k] * input[i + k];
  for (; i < count; ++i) sums[0] += weights[i] * input[i];
  return layer.bias[out] + ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

float clipped(float value) { return std::clamp(value, 0.0f, kMaxClipped); }

struct FloatMaps {
  std::int32_t rows, cols;
  std::vector<float> values;  // [rows][cols][channels]
};

/// @param in  Values outside the image are 0.
FloatMaps run_dense(const FloatLayer& layer, const FloatMaps& in, bool clips) {
  FloatMaps out = {strided(in.rows, layer.stride), strided(in.cols, layer.stride), {}};
  std::vector<float> patch(static_cast<std::size_t>(layer.kernel * layer.kernel * layer.in));
  out.values.reserve(static_cast<std::size_t>(out.rows) * static_cast<std::size_t>(out.cols * layer.out));
  for (std::int32_t y = 0; y < out.rows; ++y)
    for (std::int32_t x = 0; x < out.cols; ++x) {
      float* next = patch.data();
      for (std::int32_t i = 0; i < layer.kernel; ++i)
        for (std::int32_t j = 0; j < layer.kernel; ++j, next += layer.in) {
          const std::int32_t row = y * layer.stride - layer.before + i, col = x * layer.stride - layer.before + j;
          const bool inside = row >= 0 && row < in.rows && col >= 0 && col < in.cols;
          if (inside)
            std::copy_n(in.values.data() + (static_cast<std::ptrdiff_t>(row) * in.cols + col) * layer.in, layer.in,
                        next);
          else
            std::fill_n(next, layer.in, 0.0f);
        }
      for (std::size_t c = 0; c < static_cast<std::size_t>(layer.out); ++c) {
        const float sum = dense_sum(layer, c, patch.data());
        out.values.push_back(clips ? clipped(sum) : sum);
      }
    }
  return out;
}

FloatMaps run_depthwise(const FloatLayer& layer, const FloatMaps& in) {
  FloatMaps out = {strided(in.rows, layer.stride), strided(in.cols, layer.stride), {}};
  const std::int32_t taps = layer.kernel * layer.kernel;
  std::vector<float> by_tap(layer.weights.size());  // [tap][channel]
  for (std::int32_t c = 0; c < layer.out; ++c)
    for (std::int32_t t = 0; t < taps; ++t)
      by_tap[static_cast<std::size_t>(t * layer.out + c)] = layer.weights[static_cast<std::size_t>(c * taps + t)];
  out.values.resize(static_cast<std::size_t>(out.rows) * static_cast<std::size_t>(out.cols * layer.out));
  for (std::int32_t y = 0; y < out.rows; ++y)
    for (std::int32_t x = 0; x < out.cols; ++x) {
      float* sums = out.values.data() + (static_cast<std::ptrdiff_t>(y) * out.cols + x) * layer.out;
      std::ranges::copy(layer.bias, sums);
      for (std::int32_t t = 0; t < taps; ++t) {
        const std::int32_t row = y * layer.stride - layer.before + t / layer.kernel;
        const std::int32_t col = x * layer.stride - layer.before + t % layer.kernel;
        if (row < 0 || row >= in.rows || col < 0 || col >= in.cols) continue;
        const float* from = in.values.data() + (static_cast<std::ptrdiff_t>(row) * in.cols + col) * layer.out;
        const float* weights = by_tap.data() + static_cast<std::ptrdiff_t>(t) * layer.out;
        for (std::int32_t c = 0; c < layer.out; ++c) sums[c] += weights[c] * from[c];
      }
      for (std::int32_t c = 0; c < layer.out; ++c) sums[c] = clipped(sums[c]);
    }
  return out;
}

float quantile_of_magnitudes(std::vector<float> values) {
  for (float& value : values) value = std::abs(value);
  const auto at = static_cast<std::ptrdiff_t>(kQuantile * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, values.begin() + at);
  return values[static_cast<std::size_t>(at)];
}

/// Represents a factor by whole numbers, rounded. @param factor  Above 0.
void set_factor(double factor, Rescaling& by) {
  int exponent;
  std::frexp(factor, &exponent);  // factor in [2^(exponent - 1), 2^exponent)
  // Sums keep 15 bits before the multiplication: 255 outputs are 2^15 of them where factor * 2^first_shift is 1/128.
  by.first_shift = std::clamp(-6 - exponent, 0, 24);
  const double rest = std::ldexp(factor, by.first_shift);
  std::frexp(rest, &exponent);
  by.shift = std::clamp(15 - exponent, 1, 22);
  const double multiplier = std::round(std::ldexp(rest, by.shift));
  by.multiplier = static_cast<std::int32_t>(std::clamp(multiplier, 1.0, 32767.0));
}

/// Weights and rescaling of a layer.
struct QuantizedLayer {
  std::vector<std::int8_t> weights;
  std::vector<Rescaling> rescaling;
  std::vector<double> sum_scales;  // [out] Value represented by 1 in a sum.
};

/// @param in_scale, in_zero, out_scale  Of activations.
QuantizedLayer quantize_layer(const FloatLayer& layer, double in_scale, int in_zero, double out_scale,
                              const ErrorContext& place) {
  QuantizedLayer quantized;
  const std::size_t count = layer.weights.size() / static_cast<std::size_t>(layer.out);
  for (std::size_t c = 0; c < static_cast<std::size_t>(layer.out); ++c) {
    const float* weights = layer.weights.data() + c * count;
    double most = 0;
    bool finite = std::isfinite(layer.bias[c]);
    for (std::size_t i = 0; i < count; ++i) {
      most = std::max(most, std::abs(static_cast<double>(weights[i])));
      finite &= std::isfinite(weights[i]);
    }
    FW_CHECK(finite, Data, place.file << ": a weight or a bias is not a finite number" << place.remedy);
    const double scale = most > 0 ? most / kMaxWeight : 1.0;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto weight = static_cast<std::int8_t>(std::lround(static_cast<double>(weights[i]) / scale));
      quantized.weights.push_back(weight);
      sum += weight;
    }
    const double sum_scale = scale * in_scale;
    Rescaling by;
    const double bias = std::round(static_cast<double>(layer.bias[c]) / sum_scale) - static_cast<double>(sum * in_zero);
    by.bias =
        static_cast<std::int32_t>(std::clamp(bias, -static_cast<double>(kMaxBias), static_cast<double>(kMaxBias)));
    set_factor(sum_scale / out_scale, by);
    quantized.rescaling.push_back(by);
    quantized.sum_scales.push_back(sum_scale);
  }
  return quantized;
}

}  // namespace

std::vector<float> with_inputs_last(const FloatLayer& layer, const std::vector<float>& weights) {
  const auto in = static_cast<std::size_t>(layer.in), out = static_cast<std::size_t>(layer.out);
  const std::size_t taps = weights.size() / (in * out);
  std::vector<float> ordered(weights.size());
  for (std::size_t o = 0; o < out; ++o)
    for (std::size_t i = 0; i < in; ++i)
      for (std::size_t t = 0; t < taps; ++t) ordered[(o * taps + t) * in + i] = weights[(o * in + i) * taps + t];
  return ordered;
}

void check_layers(const FloatNetwork& network, const ErrorContext& place) {
  int in = 3;
  for (const FloatBlock& block : network.blocks) {
    const int wide = block.expand.out, kernel = &block == &network.blocks.front() ? 3 : 1;
    FW_CHECK(block.expand.in == in && block.expand.kernel == kernel && block.depthwise.in == 1 &&
                 block.depthwise.out == wide && block.project.in == wide && block.project.kernel == 1 &&
                 std::max(wide, block.project.out) <= kMaxChannels,
             Data,
             place.file << ": the layers of block " << &block - network.blocks.data()
                        << " do not fit each other, or have more than " << kMaxChannels << " channels" << place.remedy);
    in = block.project.out;
  }
}

std::vector<std::vector<float>> run_float(const FloatNetwork& network, const Picture& picture) {
  FloatMaps in = {picture.rows, picture.cols, {}};
  for (const std::uint8_t color : picture.colors)
    in.values.push_back((static_cast<float>(color) - network.input_zero) * network.input_scale);
  std::vector<std::vector<float>> outputs;
  for (const FloatBlock& block : network.blocks) {
    FloatMaps out = run_dense(block.project, run_depthwise(block.depthwise, run_dense(block.expand, in, true)), false);
    if (block.residual)
      for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] += in.values[i];
    outputs.push_back(out.values);
    in = std::move(out);
  }
  return outputs;
}

std::vector<float> output_limits(const FloatNetwork& network, const std::vector<Picture>& pictures, ThreadPool& pool) {
  const std::size_t num_blocks = network.blocks.size();
  std::vector<float> limits(num_blocks, 0);
  if (pictures.empty()) {
    std::vector<float> means, variances;
    for (std::size_t b = 0; b < num_blocks; ++b) {
      const FloatBlock& block = network.blocks[b];
      const auto out = static_cast<std::size_t>(block.project.out);
      if (!block.residual) means.assign(out, 0), variances.assign(out, 0);
      for (std::size_t c = 0; c < out; ++c) {
        means[c] += block.project.mean[c];
        variances[c] += block.project.deviation[c] * block.project.deviation[c];
        limits[b] = std::max(limits[b], std::abs(means[c]) + kDeviations * std::sqrt(variances[c]));
      }
    }
  }
  std::vector<std::vector<float>> of_pictures(pictures.size());
  pool.for_each(pictures.size(), [&](std::size_t i, int) {
    for (std::vector<float>& values : run_float(network, pictures[i]))
      of_pictures[i].push_back(quantile_of_magnitudes(std::move(values)));
  });
  for (const std::vector<float>& of_picture : of_pictures)
    for (std::size_t b = 0; b < num_blocks; ++b) limits[b] = std::max(limits[b], of_picture[b]);
  for (float& limit : limits)
    if (!(limit > 0)) limit = 1;  // for a network whose outputs are all 0
  return limits;
}

Network quantize(const FloatNetwork& network, const std::vector<float>& limits, const ErrorContext& place) {
  constexpr double kClippedScale = static_cast<double>(kMaxClipped) / 255;
  Network quantized;
  quantized.name = network.name;
  quantized.input_zero = static_cast<std::uint8_t>(network.input_zero);
  double in_scale = static_cast<double>(network.input_scale);
  int in_zero = quantized.input_zero;
  for (std::size_t b = 0; b < network.blocks.size(); ++b) {
    const FloatBlock& from = network.blocks[b];
    const double out_scale = static_cast<double>(limits[b]) / 127;
    const auto dense = [&](const FloatLayer& layer, QuantizedLayer& numbers) {
      return Dense{layer.in,
                   layer.out,
                   layer.kernel,
                   layer.stride,
                   layer.before,
                   std::move(numbers.weights),
                   std::move(numbers.rescaling)};
    };
    QuantizedLayer expand = quantize_layer(from.expand, in_scale, in_zero, kClippedScale, place);
    QuantizedLayer depthwise = quantize_layer(from.depthwise, kClippedScale, 0, kClippedScale, place);
    QuantizedLayer project = quantize_layer(from.project, kClippedScale, 0, out_scale, place);
    Block block;
    if (from.residual)
      for (std::size_t c = 0; c < project.sum_scales.size(); ++c) {
        const double factor = std::clamp(std::round(in_scale / project.sum_scales[c]), 0.0, double{kMaxResidual});
        block.residual.push_back(static_cast<std::int32_t>(factor));
        project.rescaling[c].bias -= block.residual.back() * in_zero;
      }
    block.expand = dense(from.expand, expand);
    block.depthwise = {from.depthwise.out,    from.depthwise.kernel,        from.depthwise.stride,
                       from.depthwise.before, std::move(depthwise.weights), std::move(depthwise.rescaling)};
    block.project = dense(from.project, project);
    block.is_map = from.is_map;
    quantized.blocks.push_back(std::move(block));
    in_scale = out_scale, in_zero = kLinearZero;
  }
  return quantized;
}

}  // namespace fernwood::backbone
