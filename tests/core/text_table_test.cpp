// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/text_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <cmath>

#include "fernwood/core/text.h"

namespace fernwood {
namespace {

TEST(TextTable, AlignsCellsABlankApartAndCutsLongOnes) {
  TextTable table({left("name", 6), right("count", 5), left("what", 8)});
  table.row({"a", "12", "x"});
  table.row({"Küche und Bad", "1234567", "a long word"});
  table.row({"b", "3"});
  table.row({"c", "", "z"});
  table.line("and more");
  EXPECT_EQ(table.text(),
            "name   count what\n"
            "a         12 x\n"
            "Küche… 1234… a long …\n"
            "b          3\n"
            "c            z\n"
            "and more\n");
}

TEST(TextTable, ColoursCellsAndRowsOnlyWhenAsked) {
  TextTable table({left("a", 3), right("b", 3)}, {true}, 3);
  table.row({"x", {"1", "32"}}, "", "** ");
  EXPECT_EQ(table.text(),
            "   \x1b[1ma     b\x1b[0m\n"
            "** x     \x1b[32m1\x1b[0m\n");
  TextTable plain({left("", 3), right("", 3)});
  plain.row({"x", {"1", "32"}}, "1");
  EXPECT_EQ(plain.text(), "x     1\n");
}

TEST(TextTable, FactsWithoutAValueAreLeftOut) {
  EXPECT_EQ(facts({{"model", "m"}, {"device", ""}, {"frames", "12345"}}, 8, {}, 12), "model   m\nframes  123…\n");
  EXPECT_EQ(facts({{"a", "b"}}, 3, {true}), "\x1b[2ma  \x1b[0mb\n");
}

TEST(TextTable, LinesBreakBetweenWords) {
  EXPECT_EQ(wrapped("one two  three fourteen", 9), (std::vector<std::string>{"one two", "three", "fourteen"}));
  EXPECT_EQ(wrapped("", 9), std::vector<std::string>{""});
}

TEST(Format, NumbersForPeople) {
  EXPECT_EQ(format_count(0) + " " + format_count(999) + " " + format_count(1234567), "0 999 1,234,567");
  EXPECT_EQ(counted(1, "frame") + ", " + counted(1234, "frame"), "1 frame, 1,234 frames");
  EXPECT_EQ(counted(2, "box") + ", " + counted(3, "shelf") + ", " + counted(0, "bench"),
            "2 boxes, 3 shelves, 0 benches");
  EXPECT_EQ(percent(0.1234) + " " + percent(0.1234, 2) + " " + percent(std::nan("")), "12.3 12.34 -");
  EXPECT_EQ(points(0.0123) + " " + points(-0.0123) + " " + points(-0.0001), "+1.2 -1.2 0.0");
  EXPECT_EQ(format_rate(1234) + " " + format_rate(3.4e6) + " " + format_rate(5.6e9), "1.2 k 3.4 M 5.6 G");
  EXPECT_EQ(format_duration(4.21) + " " + format_duration(59.6) + " " + format_duration(3723),
            "4.2 s 1:00 min 1:02:03 h");
  EXPECT_EQ(format_seconds(1.2345) + " " + format_seconds(12), "1.234 s 12 s");
}

TEST(Text, ListsBreakBehindCommasAndBlanks) {
  EXPECT_EQ(broken_list("lab,depth,up and down,gradients", 9),
            (std::vector<std::string>{"lab,", "depth,up ", "and down,", "gradients"}));
  EXPECT_EQ(broken_list("lab,gradients", 5), (std::vector<std::string>{"lab,", "grad…"}));
  EXPECT_EQ(broken_list("", 5), (std::vector<std::string>{""}));
}

TEST(TextTable, OfALongListShowsTheFirstAndTheLast) {
  const auto shown = [](std::size_t count) {
    TextTable table({left("", 4)});
    add_first_and_last(table, count, "trees", [&](std::size_t i) { table.row({std::to_string(i)}); });
    return table.text();
  };
  EXPECT_EQ(shown(0), "");
  EXPECT_EQ(std::ranges::count(shown(12), '\n'), 12);
  EXPECT_EQ(shown(13), "0\n1\n2\n3\n4\n...     5 trees more\n10\n11\n12\n");
  EXPECT_EQ(shown(240), "0\n1\n2\n3\n4\n...     232 trees more\n237\n238\n239\n");
}

}  // namespace
}  // namespace fernwood
