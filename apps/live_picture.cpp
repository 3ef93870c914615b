// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "live_picture.h"

#include <algorithm>
#include <cmath>

#include "fernwood/dataset/dataset.h"
#include "panel.h"
#include "window.h"

namespace fernwood {

namespace {

constexpr Rgb kPaper{255, 255, 255}, kInk{40, 40, 40}, kFaint{180, 180, 180};
constexpr std::size_t kLineHeight = 22, kEntryWidth = 150, kSwatch = 14, kMargin = 8;
/// The status and the keys need so much.
constexpr std::size_t kLeastWidth = 640;
/// Characters of a class's name that an entry of the legend has room for.
constexpr std::size_t kLongestName = 13;
constexpr int kEscape = 27;

LabelImage without_hidden(LabelImage labels, const std::vector<bool>& hidden) {
  for (std::uint16_t& label : labels)
    if (label != kVoid && label < hidden.size() && hidden[label]) label = kVoid;
  return labels;
}

/// White is certainty.
Array2<Rgb> grey_of(const Array2<float>& probability) {
  Array2<Rgb> picture(probability.rows(), probability.cols());
  std::transform(probability.begin(), probability.end(), picture.begin(), [](float p) {
    const auto grey = static_cast<std::uint8_t>(std::lround(255 * std::clamp(p, 0.0f, 1.0f)));
    return Rgb{grey, grey, grey};
  });
  return picture;
}

std::vector<Array2<Rgb>> views_of(const Frame& frame, const Prediction& prediction, const ClassMap& classes,
                                  const LiveChoice& choice) {
  using View = LiveChoice::View;
  const auto wants = [&](View view) { return choice.view == view || choice.view == View::kAll; };
  const auto probability_of = static_cast<std::size_t>(choice.probability_of);
  const bool shows_probability = choice.probability_of >= 0 && probability_of < prediction.probabilities.size();
  std::vector<Array2<Rgb>> views;
  if (wants(View::kColor) && !frame.color.empty()) views.push_back(frame.color);
  if (wants(View::kDepth) && !frame.depth_mm.empty()) views.push_back(colorize_depth(frame.depth_mm));
  if (choice.view == View::kLabels)
    views.push_back(colorize_labels(without_hidden(prediction.labels, choice.hidden), classes));
  if (wants(View::kOverlay) || views.empty())
    views.push_back(shows_probability
                        ? grey_of(prediction.probabilities[probability_of])
                        : overlay_labels(frame, without_hidden(prediction.labels, choice.hidden), classes));
  return views;
}

void fill(Array2<Rgb>& picture, std::size_t row, std::size_t col, std::size_t size, Rgb color) {
  for (std::size_t y = row; y < row + size; ++y) std::fill_n(picture.row(y) + col, size, color);
}

/// Draws the legend from `row` on and adds its names to `texts`.
void add_legend(Array2<Rgb>& picture, std::size_t row, const ClassMap& classes, const LiveChoice& choice,
                std::vector<Text>& texts) {
  const std::size_t per_line = std::max<std::size_t>(1, (picture.cols() - kMargin) / kEntryWidth);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const bool hidden = c < choice.hidden.size() && choice.hidden[c];
    const std::size_t x = kMargin + c % per_line * kEntryWidth, y = row + c / per_line * kLineHeight;
    fill(picture, y + (kLineHeight - kSwatch) / 2, x, kSwatch, hidden ? kFaint : classes.classes[c].color);
    const bool chosen = static_cast<int>(c) == choice.probability_of;
    const std::string name = classes.classes[c].name.substr(0, kLongestName);
    texts.push_back({static_cast<int>(x + kSwatch + kMargin), static_cast<int>(y + kLineHeight - 7),
                     std::to_string(c + 1) + (chosen ? " > " : " ") + name, hidden ? kFaint : kInk});
  }
}

}  // namespace

void LiveChoice::press(int key, std::size_t num_classes) {
  hidden.resize(num_classes);
  switch (key) {
    case ' ':
      paused = !paused;
      break;
    case 'n':
      paused = step = true;
      break;
    case 's':
      save = true;
      break;
    case 'v':
      view = static_cast<View>((static_cast<int>(view) + 1) % 5);
      break;
    case 'p':
      probability_of = probability_of + 1 < static_cast<int>(num_classes) ? probability_of + 1 : -1;
      break;
    case 'q':
    case kEscape:
      quit = true;
      break;
    default:
      if (key < '0' || key > '9') break;
      const auto c = static_cast<std::size_t>(key == '0' ? 9 : key - '1');
      if (c < num_classes) hidden[c] = !hidden[c];
  }
}

Array2<Rgb> make_live_picture(const CapturedFrame& captured, const Prediction& prediction, const ClassMap& classes,
                              const LiveChoice& choice, const std::string& status) {
  const Array2<Rgb> views = side_by_side(views_of(*captured.frame, prediction, classes, choice));
  const std::size_t cols = std::max(views.cols(), kLeastWidth);
  const std::size_t per_line = std::max<std::size_t>(1, (cols - kMargin) / kEntryWidth);
  const std::size_t num_lines = 2 + (classes.size() + per_line - 1) / per_line;
  Array2<Rgb> picture(views.rows() + num_lines * kLineHeight, cols, kPaper);
  for (std::size_t row = 0; row < views.rows(); ++row) std::copy_n(views.row(row), views.cols(), picture.row(row));
  std::vector<Text> texts;
  const auto base_line = [&](std::size_t line) {
    return static_cast<int>(views.rows() + (line + 1) * kLineHeight - 7);
  };
  texts.push_back({static_cast<int>(kMargin), base_line(0), status, kInk});
  texts.push_back({static_cast<int>(kMargin), base_line(1), kLiveKeys, kFaint});
  add_legend(picture, views.rows() + 2 * kLineHeight, classes, choice, texts);
  draw_texts(&picture, texts);
  return picture;
}

}  // namespace fernwood
