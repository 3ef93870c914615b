// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fernwood/evaluate/explain.h"
#include "fernwood/image/labels.h"
#include "fernwood/web/web_server.h"

namespace fernwood::web {

// The files of src/web/page.
extern const std::string_view kBaseCss, kPicturesJs, kLiveHtml, kLiveCss, kLiveJs;

WebAnswer html_answer(std::string_view text);
WebAnswer css_answer(std::string_view text);
WebAnswer script_answer(std::string_view text);
/// What all pages are made with: /base.css, /pictures.js.
std::optional<WebAnswer> common_answer(const std::string& address);

/// JPEG, for looking at.
WebAnswer picture_answer(const Array2<image::Rgb>& picture);
/// PNG in the colours of classes, black where there is none.
WebAnswer labels_answer(const image::LabelImage& labels, const std::vector<image::ClassInfo>& classes);
/// In words, as JSON: {"pixel", "classes": [{"name", "color", "share"}], "trees": [{"answer", "tests": [{"channels",
/// "response", "side"}]}]}.
WebAnswer why_answer(const evaluate::PixelExplanation& why);

}  // namespace fernwood::web
