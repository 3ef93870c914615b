// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The sections of an evaluation's page, each in report_html_<section>.cpp, and what they share.

#include <cmath>
#include <string>

#include "dataset/class_colors.h"
#include "evaluate/format.h"
#include "fernwood/core/html.h"
#include "fernwood/evaluate/report.h"

namespace fernwood::evaluate {

/// The accuracies in their variants, and by class.
std::string accuracy_section(const EvaluationReport& report);
std::string confusion_section(const EvaluationReport& report);
/// Which channels the splits read: by level (thesis figure 5.9) and by pair (figure A.1).
std::string features_section(const EvaluationReport& report);
/// Where the time of growing went, by level (thesis figure 5.5), or why that is not known.
std::string training_section(const EvaluationReport& report);

/// "61.1 %"; a dash for NaN.
inline std::string with_sign(double share) { return std::isnan(share) ? "–" : percent(share) + " %"; }
inline std::string swatch(const image::ClassInfo& info) { return html_swatch(dataset::to_hex(info.color)); }
inline std::string number_cell(const std::string& text) { return "<td class=\"num\">" + text + "</td>"; }
/// A bar beside its number. @param style  CSS of the bar, its length apart.
inline std::string bar_cell(double share, const std::string& style) {
  return "<td><span class=\"bar\"><i style=\"width:" + (std::isnan(share) ? "0" : percent(share)) + "%" + style +
         "\"></i></span><span class=\"value\">" + with_sign(share) + "</span></td>";
}

}  // namespace fernwood::evaluate
