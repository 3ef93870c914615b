// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "page/page.h"

#include <gmock/gmock.h>

#include <vector>

namespace fernwood::page {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string image_of(const std::string& bytes) {
  return data_address(std::vector<std::uint8_t>(bytes.begin(), bytes.end()), "image/png");
}

TEST(Page, EncodesImagesInBase64) {
  // The examples of RFC 4648, section 10.
  EXPECT_THAT(image_of(""), EndsWith("base64,"));
  EXPECT_THAT(image_of("f"), EndsWith("base64,Zg=="));
  EXPECT_THAT(image_of("fo"), EndsWith("base64,Zm8="));
  EXPECT_THAT(image_of("foo"), EndsWith("base64,Zm9v"));
  EXPECT_THAT(image_of("foob"), EndsWith("base64,Zm9vYg=="));
  EXPECT_THAT(image_of("fooba"), EndsWith("base64,Zm9vYmE="));
  EXPECT_THAT(image_of("foobar"), EndsWith("base64,Zm9vYmFy"));
  EXPECT_THAT(image_of("\xfb\xff\xbf"), EndsWith("base64,+/+/"));  // 62, 63, 62, 63
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
  EXPECT_THAT(html, StartsWith("<!doctype html>"));
  EXPECT_THAT(html, EndsWith("</html>\n"));
  EXPECT_THAT(html, HasSubstr("<title>A &amp; B</title>"));
  EXPECT_THAT(html, HasSubstr("<h1>A &amp; B</h1>"));
  EXPECT_THAT(html, HasSubstr("<b>&lt;1&gt;</b><span class=\"soft\">fact</span>"));
  EXPECT_THAT(html, HasSubstr("<p>body</p>"));
  EXPECT_THAT(html, HasSubstr("charset=\"utf-8\""));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(html, Not(HasSubstr("http")));
  EXPECT_THAT(html, Not(HasSubstr("url(")));
  EXPECT_THAT(html, Not(HasSubstr("@import")));
}

}  // namespace
}  // namespace fernwood::page
