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

/// A file of a page, compiled into the program.
struct PageFile {
  std::string_view address, text;  ///< Address: "/page.js"; "/" for the page itself.
};

// The files in src/web/page: those that all pages share, and the page of `fernwood live`.
extern const std::span<const PageFile> kCommonFiles, kLiveFiles;

/// The file with that address, of the page or of those that all pages share; empty if neither has it.
std::optional<WebAnswer> file_answer(std::span<const PageFile> page, std::string_view address);

/// A file of the map viewer, which fernwood::report provides: /map.html, /map.js or /map.css.
std::optional<WebAnswer> map_viewer_file(std::string_view address);
/// Points of a map that a page displays: 3 MB, fetched again when the map has changed.
inline constexpr std::size_t kMaxMapPoints = 200'000;

/// JPEG, for display.
WebAnswer picture_answer(const Array2<image::Rgb>& picture);
WebAnswer png_answer(const Array2<image::Rgb>& picture);
/// PNG in the colours of the classes; black where a pixel has no class.
WebAnswer labels_answer(const image::LabelImage& labels, const std::vector<image::ClassInfo>& classes);
/// The whole number between two parts of a text; empty if they do not occur in this form.
std::optional<std::uint64_t> number_between(std::string_view text, std::string_view before, std::string_view after);
/// The pixel in a query "?x=COLUMN&y=ROW". @throws Error(kUsage) if it is not a pixel of the frame.
std::pair<std::int32_t, std::int32_t> pixel_of(const std::string& path, std::size_t cols, std::size_t rows);
/// The explanation in words, see report::explanation_words_json().
WebAnswer why_answer(const evaluate::PixelExplanation& why);

}  // namespace fernwood::web
