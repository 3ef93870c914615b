// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <charconv>

#include "fernwood/core/error.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/report/evaluation.h"
#include "report/map_points.h"
#include "web/page.h"

namespace fernwood::web {

namespace {

constexpr int kJpegQuality = 92;

std::string text_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

std::string type_of(std::string_view address) {
  if (address.ends_with(".css")) return "text/css";
  return address.ends_with(".js") ? "text/javascript" : "text/html";
}

WebAnswer file_of_page(const PageFile& file) {
  return {200, type_of(file.address) + "; charset=utf-8", std::string(file.text)};
}

}  // namespace

std::optional<WebAnswer> file_answer(std::span<const PageFile> page, std::string_view address) {
  for (const auto& files : {page, kCommonFiles})
    for (const PageFile& file : files)
      if (file.address == address) return file_of_page(file);
  return std::nullopt;
}

std::optional<WebAnswer> map_viewer_file(std::string_view address) {
  static const std::string viewer = report::map_viewer_html("");
  const PageFile files[] = {{"/map.html", viewer}, {"/map.js", report::kMapScript}, {"/map.css", report::kMapStyle}};
  for (const PageFile& file : files)
    if (file.address == address) return file_of_page(file);
  return std::nullopt;
}

WebAnswer picture_answer(const Array2<image::Rgb>& picture) {
  return {200, "image/jpeg", text_of(dataset::encode_jpeg(picture, kJpegQuality))};
}

WebAnswer png_answer(const Array2<image::Rgb>& picture) {
  return {200, "image/png", text_of(dataset::encode_png(picture))};
}

WebAnswer labels_answer(const image::LabelImage& labels, const std::vector<image::ClassInfo>& classes) {
  return png_answer(dataset::colorize_labels(labels, {classes, {}, {}}));
}

std::optional<std::uint64_t> number_between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t start = text.find(before);
  if (start == std::string_view::npos) return std::nullopt;
  text.remove_prefix(start + before.size());
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (failure != std::errc{} || !text.starts_with(after)) return std::nullopt;
  return number;
}

std::pair<std::int32_t, std::int32_t> pixel_of(const std::string& path, std::size_t cols, std::size_t rows) {
  const auto x = number_between(path, "x=", "&"), y = number_between(path, "y=", "");
  FW_CHECK(x && y && *x < cols && *y < rows, Usage, "no pixel of the frame is named; ask for why?x=COLUMN&y=ROW");
  return {static_cast<std::int32_t>(*x), static_cast<std::int32_t>(*y)};
}

WebAnswer why_answer(const evaluate::PixelExplanation& why) {
  return {200, "application/json", report::explanation_words_json(why)};
}

}  // namespace fernwood::web
