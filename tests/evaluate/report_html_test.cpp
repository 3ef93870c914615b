// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/example_report.h"

namespace fernwood::evaluate {
namespace {

using testdata::example_report;
using testing::HasSubstr;
using testing::Not;

TEST(ReportHtml, ShowsHeadlineBarsAndMatrix) {
  const std::string html = report_html(example_report());
  EXPECT_THAT(html, HasSubstr("<b>61.1 %</b><span class=\"soft\">pixel accuracy"));  // 11 / 18
  EXPECT_THAT(html, HasSubstr("<b>58.8 %</b><span class=\"soft\">class accuracy"));
  EXPECT_THAT(html, HasSubstr("background:#040506"));
  EXPECT_THAT(html, HasSubstr("style=\"width:37.5%\""));                  // accuracy of "door"
  EXPECT_THAT(html, HasSubstr("title=\"door as floor: 50.0 %\">50.0<"));  // truth first
  EXPECT_THAT(html, HasSubstr("title=\"floor as door: 10.0 %\">10.0<"));
  EXPECT_THAT(html, HasSubstr("title=\"door as void: 12.5 %\">12.5<"));
}

TEST(ReportHtml, EscapesEveryNameThatUsersChoose) {
  EvaluationReport report = example_report();
  report.model = "<m>";
  report.dataset = "<d>";
  report.classes.classes[1].name = "<c> & \"q\"";
  report.classes.background = 1;
  report.worst = {{"<w>", 0.1, {{"<p>", "image/png", {1, 2, 3}}}}};
  const std::string html = report_html(report);
  for (const char* raw : {"<m>", "<d>", "<c>", "<w>", "<p>\""}) EXPECT_THAT(html, Not(HasSubstr(raw)));
  EXPECT_THAT(html, HasSubstr("&lt;c&gt; &amp; &quot;q&quot; as floor"));
  EXPECT_THAT(html, HasSubstr("without background (&lt;c&gt; &amp; &quot;q&quot;)"));
  EXPECT_THAT(html, HasSubstr("&lt;w&gt;: 10.0 %"));
}

TEST(ReportHtml, HoldsItsPicturesAndLoadsNothing) {
  EvaluationReport report = example_report();
  EXPECT_THAT(report_html(report), Not(HasSubstr("Worst frames")));
  report.worst = {{"hall", 0.25, {{"truth", "image/png", {'a', 'b', 'c'}}}}};
  report.best = {{"attic", 0.75, {{"truth", "image/jpeg", {'a', 'b', 'd'}}}}};
  const std::string html = report_html(report);
  EXPECT_THAT(html, HasSubstr("src=\"data:image/png;base64,YWJj\""));
  EXPECT_THAT(html, HasSubstr("src=\"data:image/jpeg;base64,YWJk\""));
  EXPECT_LT(html.find("Worst frames"), html.find("hall: 25.0 %"));
  EXPECT_LT(html.find("hall: 25.0 %"), html.find("Best frames"));
  EXPECT_LT(html.find("Best frames"), html.find("attic: 75.0 %"));
  for (const char* loaded : {"http:", "https:", "<script", "<link"}) EXPECT_THAT(html, Not(HasSubstr(loaded)));
}

TEST(ReportHtml, LeavesNumbersOutOfALargeMatrix) {
  EXPECT_THAT(report_html(testdata::perfect_report(20)), HasSubstr("class 3 as class 3: 100.0 %\">100.0<"));
  EXPECT_THAT(report_html(testdata::perfect_report(21)), HasSubstr("class 3 as class 3: 100.0 %\"></td>"));
}

}  // namespace
}  // namespace fernwood::evaluate
