// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/report/evaluation.h"
#include "web/page.h"

namespace fernwood::web {

namespace {

using nlohmann::json;

constexpr int kJpegQuality = 92;
constexpr std::size_t kClassesOfATree = 3;

std::string text_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

WebAnswer html_answer(std::string_view text) { return {200, "text/html; charset=utf-8", std::string(text)}; }
WebAnswer css_answer(std::string_view text) { return {200, "text/css; charset=utf-8", std::string(text)}; }
WebAnswer script_answer(std::string_view text) { return {200, "text/javascript; charset=utf-8", std::string(text)}; }

std::optional<WebAnswer> common_answer(const std::string& address) {
  if (address == "/base.css") return css_answer(kBaseCss);
  if (address == "/pictures.js") return script_answer(kPicturesJs);
  return std::nullopt;
}

WebAnswer picture_answer(const Array2<image::Rgb>& picture) {
  return {200, "image/jpeg", text_of(dataset::encode_jpeg(picture, kJpegQuality))};
}

WebAnswer labels_answer(const image::LabelImage& labels, const std::vector<image::ClassInfo>& classes) {
  return {200, "image/png", text_of(dataset::encode_png(dataset::colorize_labels(labels, {classes, {}, {}})))};
}

WebAnswer why_answer(const evaluate::PixelExplanation& why) {
  const report::ExplanationWords words = report::explanation_words(why, kClassesOfATree);
  json answer = {{"pixel", words.pixel}, {"classes", json::array()}, {"trees", json::array()}};
  for (std::size_t c = 0; c < why.classes.size(); ++c) {
    const image::ClassInfo& info = why.classes.classes[c];
    answer["classes"].push_back(
        {{"name", info.name}, {"color", {info.color.r, info.color.g, info.color.b}}, {"share", why.probabilities[c]}});
  }
  for (const report::ExplanationWords::Tree& tree : words.trees) {
    json tests = json::array();
    for (const report::ExplanationWords::Test& test : tree.tests)
      tests.push_back({{"channels", test.channels}, {"response", test.response}, {"side", test.side}});
    answer["trees"].push_back({{"answer", tree.answer}, {"tests", std::move(tests)}});
  }
  return {200, "application/json", answer.dump(-1, ' ', true, json::error_handler_t::replace)};
}

}  // namespace fernwood::web
