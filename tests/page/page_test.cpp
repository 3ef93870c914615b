// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "page/page.h"

#include <gtest/gtest.h>

#include <vector>

namespace fernwood::page {
namespace {

TEST(Page, HoldsItsImages) {
  EXPECT_EQ(data_address(std::vector<std::uint8_t>{102, 111}, "image/png"), "data:image/png;base64,Zm8=");
}

TEST(Page, ShortRowsOfATableReachToItsEnd) {
  HtmlTable table({{"a & b"}, number_column("c"), {""}}, "wide");
  table.row({"1", "2", "3"});
  table.row({"<b>4</b>", "5"}, "group");
  EXPECT_EQ(table.html(),
            "<div class=\"scroll\"><table class=\"wide\"><thead><tr><th>a &amp; b</th><th class=\"num\">c</th>"
            "<th></th></tr></thead>\n<tbody>\n<tr><td>1</td><td class=\"num\">2</td><td>3</td></tr>\n"
            "<tr class=\"group\"><td><b>4</b></td><td class=\"num\" colspan=\"2\">5</td></tr>\n"
            "</tbody></table></div>\n");
}

TEST(Page, PageIsCompleteAndNeedsNothingElse) {
  const std::string html = html_page({"A & B", "", "", {{"<1>", "fact"}}}, "<p>body</p>");
  EXPECT_TRUE(html.starts_with("<!doctype html>") && html.ends_with("</html>\n")) << html;
  for (const char* part : {"<title>A &amp; B</title>", "&lt;1&gt;", "<p>body</p>", "charset=\"utf-8\""})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  for (const char* part : {"http", "url(", "@import"}) EXPECT_EQ(html.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace fernwood::page
