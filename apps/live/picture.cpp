// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/live/picture.h"

#include <algorithm>
#include <cmath>

#include "apps/live/window.h"
#include "apps/shell/panel.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::apps {

namespace {

constexpr int kEscape = 27;

/// Cyclic: `last` is followed by `first`.
int next_of(int value, int first, int last) { return value < last ? value + 1 : first; }

using View = LiveChoice::View;

constexpr std::size_t kEntryWidth = 150;
/// Minimum width for the status and the keys.
constexpr std::size_t kMinWidth = 640;
constexpr double kPixelsPerCharacter = 7.2;
/// Maximum length of a class's name in the legend.
constexpr std::size_t kLongestClassName = 13;

image::LabelImage without_hidden(image::LabelImage labels, const std::vector<bool>& hidden) {
  for (std::uint16_t& label : labels)
    if (label != image::kVoid && label < hidden.size() && hidden[label]) label = image::kVoid;
  return labels;
}

/// White is certainty.
Array2<image::Rgb> grey_of(const Array2<float>& probability) {
  Array2<image::Rgb> picture(probability.rows(), probability.cols());
  std::transform(probability.begin(), probability.end(), picture.begin(), [](float p) {
    const auto grey = static_cast<std::uint8_t>(std::lround(255 * std::clamp(p, 0.0f, 1.0f)));
    return image::Rgb{grey, grey, grey};
  });
  return picture;
}

/// From left to right.
std::vector<View> views_of(const image::Frame& frame, View chosen) {
  const auto wants = [&](View view) { return chosen == view || chosen == View::kAll; };
  std::vector<View> views;
  if (wants(View::kColor) && !frame.color.empty()) views.push_back(View::kColor);
  if (wants(View::kDepth) && !frame.depth_mm.empty()) views.push_back(View::kDepth);
  if (chosen == View::kLabels) views.push_back(View::kLabels);
  if (wants(View::kOverlay) || views.empty()) views.push_back(View::kOverlay);
  return views;
}

Array2<image::Rgb> draw_view(View view, const LiveScene& scene) {
  const image::Frame& frame = *scene.frame.captured.frame;
  const predict::Prediction& prediction = scene.frame.prediction;
  const auto labels = [&] { return without_hidden(prediction.labels, scene.choice.hidden); };
  if (view == View::kColor) return frame.color;
  if (view == View::kDepth) return dataset::colorize_depth(frame.depth_mm);
  if (view == View::kLabels) return dataset::colorize_labels(labels(), scene.classes);
  const auto probability_of = static_cast<std::size_t>(scene.choice.probability_of);
  if (scene.choice.probability_of >= 0 && probability_of < prediction.probabilities.size())
    return grey_of(prediction.probabilities[probability_of]);
  return dataset::overlay_labels(frame, labels(), scene.classes);
}

/// Marks tests on the view that they read; if it is not shown, on the views that are.
void explain_view(Array2<image::Rgb>* picture, View view, const LiveScene& scene) {
  if (scene.choice.view != View::kAll)
    scene.explanation->mark(picture, {});
  else if (view == View::kOverlay)
    scene.explanation->mark_pixel_alone(picture);
  else
    scene.explanation->mark(picture, view == View::kColor ? image::FrameImage::kColor : image::FrameImage::kDepth);
}

Array2<image::Rgb> draw_views(const LiveScene& scene) {
  if (!scene.frame.captured.frame) return {};
  std::vector<Array2<image::Rgb>> pictures;
  for (const View view : views_of(*scene.frame.captured.frame, scene.choice.view)) {
    pictures.push_back(draw_view(view, scene));
    if (scene.explanation) explain_view(&pictures.back(), view, scene);
  }
  return side_by_side(pictures);
}

/// Lines of at most `longest` characters, broken at spaces.
std::vector<std::string> wrapped(std::string text, std::size_t longest) {
  std::vector<std::string> lines;
  while (text.size() > longest) {
    const std::size_t space = text.rfind(' ', longest);
    const std::size_t end = space == std::string::npos || space == 0 ? longest : space;
    lines.push_back(text.substr(0, end));
    text.erase(0, end + (end == space));
  }
  lines.push_back(text);
  return lines;
}

std::size_t entries_per_line(std::size_t cols) { return std::max<std::size_t>(1, (cols - kMargin) / kEntryWidth); }

std::size_t legend_rows(std::size_t cols, std::size_t num_classes) {
  const std::size_t per_line = entries_per_line(cols);
  return (num_classes + per_line - 1) / per_line * kLineHeight;
}

/// Draws the legend from `row` on and adds its names to `texts`.
void add_legend(Array2<image::Rgb>* picture, std::size_t row, const LiveScene& scene, std::vector<Text>* texts) {
  const std::size_t per_line = entries_per_line(picture->cols());
  for (std::size_t c = 0; c < scene.classes.size(); ++c) {
    const image::ClassInfo& info = scene.classes.classes[c];
    const bool hidden = scene.choice.hidden[c], chosen = static_cast<int>(c) == scene.choice.probability_of;
    const int x = static_cast<int>(kMargin + c % per_line * kEntryWidth);
    const int y = static_cast<int>(row + c / per_line * kLineHeight);
    fill_box(picture, {x, y + kSwatchAt, kSwatch, kSwatch}, hidden ? kFaint : info.color);
    texts->push_back({x + kSwatch + static_cast<int>(kMargin), y + kBaseLine,
                      std::to_string(c + 1) + (chosen ? " > " : " ") + info.name.substr(0, kLongestClassName),
                      hidden ? kFaint : kInk});
  }
}

}  // namespace

void LiveChoice::press(int key) {
  const int num_classes = static_cast<int>(hidden.size());
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
      probability_of = next_of(probability_of, -1, num_classes - 1);
      break;
    case 'e':
      // With a single tree, "one tree" would equal "all trees".
      explained_by = next_of(explained_by, kNoTree, num_trees > 1 ? static_cast<int>(num_trees) : kAllTrees);
      break;
    case 't':
      single = !single;
      break;
    case 'q':
    case kEscape:
      quit = true;
      break;
    default:
      if (key < '0' || key > '9') break;
      const int c = key == '0' ? 9 : key - '1';
      if (c < num_classes) hidden[static_cast<std::size_t>(c)] = !hidden[static_cast<std::size_t>(c)];
  }
}

Array2<image::Rgb> make_live_picture(const LiveScene& scene) {
  const Array2<image::Rgb> views = draw_views(scene);
  const std::size_t cols = std::max(views.cols(), kMinWidth);
  const auto longest = static_cast<std::size_t>(static_cast<double>(cols - 2 * kMargin) / kPixelsPerCharacter);
  const std::vector<std::string> status = wrapped(scene.status, longest);
  const std::size_t legend_at = views.rows() + (status.size() + 1) * kLineHeight;
  const std::size_t panel_at = legend_at + legend_rows(cols, scene.classes.size());
  const Array2<image::Rgb>* const panel = scene.explanation ? &scene.explanation->panel(cols) : nullptr;

  Array2<image::Rgb> picture(panel_at + (panel ? panel->rows() : 0), cols, kPaper);
  draw_picture(&picture, 0, 0, views);
  if (panel) draw_picture(&picture, 0, static_cast<int>(panel_at), *panel);
  std::vector<Text> texts;
  int base_line = static_cast<int>(views.rows()) + kBaseLine;
  const auto add_line = [&](const std::string& text, image::Rgb color) {
    texts.push_back({static_cast<int>(kMargin), base_line, text, color});
    base_line += static_cast<int>(kLineHeight);
  };
  for (const std::string& line : status) add_line(line, kInk);
  add_line(kLiveKeys, kFaint);
  add_legend(&picture, legend_at, scene, &texts);
  draw_texts(&picture, texts);
  return picture;
}

std::optional<Place> pixel_at(const predict::LiveFrame& frame, const LiveChoice& choice, Place place) {
  if (!frame.captured.frame || place.x < 0 || place.y < 0) return std::nullopt;
  const image::Frame& shown = *frame.captured.frame;
  const auto x = static_cast<std::size_t>(place.x), y = static_cast<std::size_t>(place.y);
  const std::size_t view = x / (shown.cols() + kPanelGap), within = x % (shown.cols() + kPanelGap);
  if (y >= shown.rows() || within >= shown.cols() || view >= views_of(shown, choice.view).size()) return std::nullopt;
  return Place{static_cast<int>(within), place.y};
}

}  // namespace fernwood::apps
