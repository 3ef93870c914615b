// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "page/page.h"
#include "report/example_report.h"
#include "report/pictures.h"

namespace fernwood::report {
namespace {

using evaluate::EvaluationReport;
using testdata::example_report;
using testing::HasSubstr;
using testing::Not;

/// Two floor pixels predicted as wall.
evaluate::ShownFrame shown_frame(const std::string& name, double accuracy) {
  return {name,
          accuracy,
          {Array2<image::Rgb>(1, 2, image::Rgb{9, 9, 9}), {}},
          image::LabelImage(1, 2, 0),
          image::LabelImage(1, 2, 2)};
}

TEST(EvaluationPage, ShowsHeadlineBarsAndMatrix) {
  const std::string html = evaluation_page(example_report());
  for (const char* part :
       {"<b>61.1 %</b>",                                                       // pixel accuracy, 11 / 18
        "style=\"width:37.5%\"",                                               // accuracy of "door"
        "title=\"door as floor: 50.0 %\"", "title=\"floor as door: 10.0 %\"",  // rows are true classes
        "title=\"door as void: 12.5 %\""})
    EXPECT_THAT(html, HasSubstr(part));
}

TEST(EvaluationPage, HasASectionOfObjectsWhereTheyWereEvaluated) {
  EvaluationReport report = example_report();
  EXPECT_THAT(evaluation_page(report), Not(HasSubstr("<h2>Objects</h2>")));
  report.panoptic = testdata::example_objects();
  for (const char* part :
       {"<h2>Objects</h2>", "In 2 frames with instances", "0.013 m", "things, true labels", "1.750 m²"})
    EXPECT_THAT(evaluation_page(report), HasSubstr(part));
}

TEST(EvaluationPage, EscapesEveryNameThatUsersChoose) {
  EvaluationReport report = example_report();
  report.panoptic = testdata::example_objects();
  report.model = "<m>";
  report.dataset = "<d>";
  report.classes.classes[1].name = "<c> & \"q\"";
  report.classes.background = 1;
  report.worst = {shown_frame("<w>", 0.1)};
  const std::string html = evaluation_page(report);
  for (const char* raw : {"<m>", "<d>", "<c>", "<w>"}) EXPECT_EQ(html.find(raw), std::string::npos) << raw;
  EXPECT_THAT(html, HasSubstr("&lt;c&gt; &amp; &quot;q&quot; as floor"));
}

TEST(EvaluationPage, HoldsItsPicturesAndLoadsNothing) {
  EvaluationReport report = example_report();
  report.worst = {shown_frame("hall", 0.25)};
  report.best = {shown_frame("attic", 0.75)};
  const std::string html = evaluation_page(report);
  EXPECT_THAT(html, HasSubstr(flat_picture(Array2<image::Rgb>(1, 2, image::Rgb{1, 2, 3}), "attic, truth")));
  EXPECT_THAT(html, HasSubstr(flat_picture(Array2<image::Rgb>(1, 2, image::Rgb{7, 8, 9}), "attic, prediction")));
  EXPECT_LT(html.find("hall: 25.0 %"), html.find("attic: 75.0 %")) << "the worst first";
  for (const char* part : {"hall, depth", "http:", "https:", "<script", "<link"})
    EXPECT_EQ(html.find(part), std::string::npos) << part;
}

TEST(EvaluationPage, ACellLeadsToTheFrameWhereItIsMostFrequent) {
  EvaluationReport report = example_report();
  const auto small = [](std::size_t frame, std::uint16_t second) {
    return evaluate::SmallFrame{frame, Array2<image::Rgb>(1, 2, image::Rgb{100, 100, 100}), image::LabelImage(1, 2, 1),
                                image::LabelImage(1, 2, second)};
  };
  report.small = {small(0, 1), small(1, 0)};
  report.small[0].predicted(0, 0) = 0;
  const std::string html = evaluation_page(report);
  EXPECT_THAT(html, HasSubstr("<a href=\"#as-1-0\">50.0</a>"));
  EXPECT_THAT(html, HasSubstr("door as floor is most frequent in <a href=\"#frame-1\">two</a>"));
  EXPECT_THAT(html, HasSubstr(flat_picture(Array2<image::Rgb>(1, 2, image::Rgb{230, 20, 30}), "two, door as floor")));
  Array2<image::Rgb> half_wrong(1, 2, image::Rgb{104, 104, 104});
  half_wrong(0, 0) = {230, 20, 30};
  EXPECT_THAT(html, HasSubstr("<figure id=\"frame-0\">" + flat_picture(half_wrong, "one, wrong")));
  EXPECT_THAT(html, Not(HasSubstr("#as-0-1"))) << "no frame has that";
}

TEST(EvaluationPage, LeavesNumbersOutOfALargeMatrix) {
  EXPECT_THAT(evaluation_page(testdata::perfect_report(20)), HasSubstr("class 3 as class 3: 100.0 %\">100.0<"));
  EXPECT_THAT(evaluation_page(testdata::perfect_report(21)), HasSubstr("class 3 as class 3: 100.0 %\"></td>"));
}

}  // namespace
}  // namespace fernwood::report
