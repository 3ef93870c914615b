// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "evaluate/example_report.h"

namespace fernwood::evaluate {
namespace {

using testdata::example_report;
using testdata::perfect_report;
using testing::HasSubstr;
using testing::Not;

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) {
    std::size_t width = 0;
    for (const char c : line) width += (c & 0xC0) != 0x80;
    widest = std::max(widest, width);
  }
  return widest;
}

TEST(ReportTable, ShowsEveryFigureInPercent) {
  // Shares of the example: pixels 10 / 18 and 8 / 18; IoU 8 / 14 and 3 / 9; precision 8 / 12 and 3 / 4; void 8 / 26;
  // totals 11 / 18, 13 / 26, 13 / 20; rows of the matrix 8 1 1 0 of 10 and 4 3 0 1 of 8.
  EXPECT_EQ(report_table(example_report(), false),
            "model     rooms.fernwood\n"
            "data set  rooms/test\n"
            "frames    2, 4.0 a second; mean pixel accuracy of a frame 50.0 %\n"
            "pixels    18 labelled, 30.8 % of all are void\n"
            "\n"
            "class   pixels %   accuracy     IoU   precision\n"
            "floor       55.6       80.0    57.1        66.7\n"
            "door        44.4       37.5    33.3        75.0\n"
            "wall         0.0          -       -           -\n"
            "\n"
            "accuracy %                                  pixel    class  mean IoU\n"
            "without void                                 61.1     58.8      45.2\n"
            "with void as a class                         50.0     47.5\n"
            "without background (void)                    65.0     58.8\n"
            "\n"
            "confusion: of the pixels of a row's class, % predicted as the column's class\n"
            "       floor   door   wall   void\n"
            "floor   80.0   10.0   10.0    0.0\n"
            "door    50.0   37.5    0.0   12.5\n"
            "wall       -      -      -      -\n");
}

TEST(ReportTable, NamesTheBackgroundOrLeavesItsLineOut) {
  EvaluationReport report = example_report();
  report.classes.background = 1;
  report.metrics = compute_metrics(report.confusion, 1);
  EXPECT_THAT(report_table(report, false), HasSubstr("without background (door)                    61.9"));  // 13 / 21
  EXPECT_THAT(report_table(perfect_report(2), false), Not(HasSubstr("background")));
}

TEST(ReportTable, ColorsOnlyWhenAskedAndChangesNoOtherCharacter) {
  const EvaluationReport report = example_report();
  const std::string plain = report_table(report, false), colored = report_table(report, true);
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  EXPECT_THAT(colored, HasSubstr("\x1b[48;2;4;5;6m  \x1b[0m door"));  // the swatch
  std::string stripped = std::regex_replace(colored, std::regex("\x1b\\[[0-9;]*m"), "");
  // What is left are three more columns for swatches in front of the lines of classes.
  stripped = std::regex_replace(stripped, std::regex("\n   (class|floor|door |wall |     )"), "\n$1");
  EXPECT_EQ(stripped, plain);
}

TEST(ReportTable, NamesTheDeviceIfItIsKnown) {
  EvaluationReport report = perfect_report(2);
  EXPECT_THAT(report_table(report, false), Not(HasSubstr("device")));
  report.device = "cuda:0, packed";
  EXPECT_THAT(report_table(report, false), HasSubstr("device    cuda:0, packed\n"));
}

TEST(ReportTable, FitsIntoAHundredColumns) {
  for (const std::size_t num_classes : {1u, 4u, 12u, 13u, 60u}) {
    EvaluationReport report = perfect_report(num_classes);
    report.dataset = std::string(300, 'x');
    report.classes.classes[0].name = "Küchengerät " + std::string(100, 'y');
    report.classes.background = 0;
    report.confusion.add(image::LabelImage(1, 1, 0), image::LabelImage(1, 1, image::kVoid));
    report.metrics = compute_metrics(report.confusion, 0);
    EXPECT_LE(widest_line(report_table(report, false)), 100u) << num_classes;
    const std::string colored = report_table(report, true);
    EXPECT_LE(widest_line(std::regex_replace(colored, std::regex("\x1b\\[[0-9;]*m"), "")), 100u) << num_classes;
  }
}

TEST(ReportTable, HasTheMatrixUpToTwelveClasses) {
  EXPECT_THAT(report_table(perfect_report(12), false), HasSubstr("confusion:"));
  const std::string many = report_table(perfect_report(13), false);
  EXPECT_THAT(many, Not(HasSubstr("confusion:")));
  EXPECT_THAT(many, HasSubstr("class 12        7.7      100.0   100.0       100.0\n"));  // 1 of 13 pixels
}

}  // namespace
}  // namespace fernwood::evaluate
