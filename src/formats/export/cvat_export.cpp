// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// CVAT: "CVAT for images 1.1", an XML file with masks.

#include <algorithm>

#include "dataset/dataset_folder.h"
#include "dataset/export/formats.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

std::string xml_problem(const std::string& name) {
  const auto is_control = [](unsigned char c) { return c < 0x20 && c != '\t' && c != '\n' && c != '\r'; };
  const auto control = std::ranges::find_if(name, is_control);
  const bool has_noncharacter =
      name.find("\xEF\xBF\xBE") != std::string::npos || name.find("\xEF\xBF\xBF") != std::string::npos;
  if (control == name.end() && !has_noncharacter) return {};
  const auto code = control != name.end() ? static_cast<unsigned>(static_cast<unsigned char>(*control)) : 0xFFFEu;
  return format_text("holds the character U+%04X", code) + (control == name.end() ? " or U+FFFF" : "") +
         ", which XML cannot; rename it, or take the format coco";
}

namespace {

/// Escapes the value of an attribute; XML parsers turn other white space into blanks unless it is a character
/// reference.
std::string xml_text(const std::string& name) {
  std::string text;
  for (const char c : escape(name))
    text += c == '\t' || c == '\n' || c == '\r' ? "&#" + std::to_string(int{c}) + ";" : std::string(1, c);
  return text;
}

}  // namespace

std::string cvat_part(const ExportedFrame& frame, std::size_t index, const image::ClassMap& classes) {
  std::string part = "  <image id=\"" + std::to_string(index) + "\" name=\"" + xml_text(frame.file_name) +
                     "\" width=\"" + std::to_string(frame.labels.cols()) + "\" height=\"" +
                     std::to_string(frame.labels.rows()) + "\">\n";
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const ClassBox& box = frame.boxes[c];
    if (box.area == 0) continue;
    part += "    <mask label=\"" + xml_text(classes.classes[c].name) + "\" source=\"manual\" occluded=\"0\" rle=\"" +
            cvat_runs(frame.labels, static_cast<std::uint16_t>(c), box) + "\" left=\"" + std::to_string(box.left) +
            "\" top=\"" + std::to_string(box.top) + "\" width=\"" + std::to_string(box.width()) + "\" height=\"" +
            std::to_string(box.height()) + "\" z_order=\"0\">\n    </mask>\n";
  }
  return part + "  </image>\n";
}

std::string cvat_whole(const std::vector<std::string>& parts, const image::ClassMap& classes) {
  std::string labels;
  for (const image::ClassInfo& info : classes.classes)
    labels += "        <label>\n          <name>" + xml_text(info.name) + "</name>\n          <color>" +
              to_hex(info.color) +
              "</color>\n          <type>any</type>\n          <attributes></attributes>\n        </label>\n";
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n  <version>1.1</version>\n  <meta>\n    <task>\n  "
         "    "
         "<labels>\n" +
         labels + "      </labels>\n    </task>\n  </meta>\n" + join(parts, "") + "</annotations>\n";
}

}  // namespace fernwood::dataset
