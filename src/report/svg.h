// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Pieces of SVG.

#include <string>

#include "fernwood/report/format.h"
#include "report/page.h"

namespace fernwood::report::svg {

inline std::string number(double value) { return fixed(value, 2); }

/// A blank, and the attribute.
inline std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + value + "\"";
}
inline std::string attribute(const std::string& name, double value) { return attribute(name, number(value)); }

/// @param attributes  Such as attribute() gives.
inline std::string text(double x, double y, const std::string& attributes, const std::string& content) {
  return "<text" + attribute("x", x) + attribute("y", y) + attributes + ">" + escape(content) + "</text>";
}

/// What the mouse shows over an element.
inline std::string tooltip(const std::string& text) { return "<title>" + escape(text) + "</title>"; }

struct ViewBox {
  double x = 0, y = 0, width = 0, height = 0;
};

inline std::string drawing(const std::string& css_class, const ViewBox& box, const std::string& content) {
  return "<svg" + attribute("class", css_class) + " viewBox=\"" + number(box.x) + " " + number(box.y) + " " +
         number(box.width) + " " + number(box.height) + "\" role=\"img\">" + content + "</svg>";
}

}  // namespace fernwood::report::svg
