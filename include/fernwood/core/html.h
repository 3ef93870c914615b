// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace fernwood {

/// `text` with &, <, > and " replaced, for HTML content and attributes.
std::string html_escape(const std::string& text);
/// A complete page that opens offline: title, the house style sheet, `body` as it is.
std::string html_page(const std::string& title, const std::string& body);
/// An <img> with the picture inside the page. @param mime  For example "image/png".
std::string html_image(std::span<const std::uint8_t> encoded, const std::string& mime, const std::string& alt);

}  // namespace fernwood
