// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fernwood/evaluate/explain.h"
#include "fernwood/image/labels.h"
#include "fernwood/web/web_server.h"

namespace fernwood::web {

/// A file of a page, that is in the program.
struct PageFile {
  std::string_view address, text;  ///< "/page.js"; "/" is the page.
};

// The files of src/web/page: what all pages are made with, and the page of live.
extern const std::span<const PageFile> kCommonFiles, kLiveFiles;

/// The file of that address: one of the page's, or one that all pages have.
std::optional<WebAnswer> file_answer(std::span<const PageFile> page, std::string_view address);

/// A file of the viewer of maps, which report has: /map.html, /map.js or /map.css.
std::optional<WebAnswer> map_viewer_file(std::string_view address);
/// Of a map that a page shows: 3 MB, which it fetches when the map has changed.
inline constexpr std::size_t kMostMapPoints = 200'000;

/// JPEG, for looking at.
WebAnswer picture_answer(const Array2<image::Rgb>& picture);
WebAnswer png_answer(const Array2<image::Rgb>& picture);
/// PNG in the colours of classes, black where there is none.
WebAnswer labels_answer(const image::LabelImage& labels, const std::vector<image::ClassInfo>& classes);
/// The whole number between two parts of a text.
std::optional<std::uint64_t> number_between(std::string_view text, std::string_view before, std::string_view after);
/// The pixel that a query names, "?x=COLUMN&y=ROW". @throws Error(kUsage) when it names none of the frame's.
std::pair<std::int32_t, std::int32_t> pixel_of(const std::string& path, std::size_t cols, std::size_t rows);
/// In words, as JSON: {"pixel", "classes": [{"name", "color", "share"}], "trees": [{"answer", "tests": [{"channels",
/// "response", "side"}]}]}.
WebAnswer why_answer(const evaluate::PixelExplanation& why);

}  // namespace fernwood::web
