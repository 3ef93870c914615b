// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace fernwood {

/// `text` with &, <, > and " replaced, for HTML content and attributes.
std::string html_escape(const std::string& text);
/// A complete page that opens offline: title, the house style sheet, `body` as it is. The sheet knows these classes:
/// `soft` text; `num` cells; `scroll` around wide tables; `swatch` (with a background); `bar` with an inner <i> (with a
/// width); `facts` of <div><b>value</b> name</div>; `problems` lists of `error` and `warning`; `good`, `bad`; `sheet`
/// (also `wide`) of figures, with a `row` of pictures and `none` where one is missing.
std::string html_page(const std::string& title, const std::string& body);
/// A small square that shows a colour beside its meaning. @param color  As CSS names it.
std::string html_swatch(const std::string& color);
/// A picture as an address, to be used where HTML or SVG wants one. @param mime  For example "image/png".
std::string data_address(std::span<const std::uint8_t> encoded, const std::string& mime);
/// An <img> with the picture inside the page. @param mime  For example "image/png".
std::string html_image(std::span<const std::uint8_t> encoded, const std::string& mime, const std::string& alt);

}  // namespace fernwood
