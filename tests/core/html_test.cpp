// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/html.h"

#include <gmock/gmock.h>

#include <vector>

namespace fernwood {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string image_of(const std::string& bytes) {
  return html_image(std::vector<std::uint8_t>(bytes.begin(), bytes.end()), "image/png", "x");
}

TEST(Html, EscapesWhatHtmlReads) {
  EXPECT_EQ(html_escape("a<b> & \"c\" d'"), "a&lt;b&gt; &amp; &quot;c&quot; d'");
  EXPECT_EQ(html_escape("&amp;"), "&amp;amp;");
  EXPECT_EQ(html_escape(""), "");
}

TEST(Html, EncodesImagesInBase64) {
  // The examples of RFC 4648, section 10.
  EXPECT_THAT(image_of(""), HasSubstr("base64,\""));
  EXPECT_THAT(image_of("f"), HasSubstr("base64,Zg==\""));
  EXPECT_THAT(image_of("fo"), HasSubstr("base64,Zm8=\""));
  EXPECT_THAT(image_of("foo"), HasSubstr("base64,Zm9v\""));
  EXPECT_THAT(image_of("foob"), HasSubstr("base64,Zm9vYg==\""));
  EXPECT_THAT(image_of("fooba"), HasSubstr("base64,Zm9vYmE=\""));
  EXPECT_THAT(image_of("foobar"), HasSubstr("base64,Zm9vYmFy\""));
  EXPECT_THAT(image_of("\xfb\xff\xbf"), HasSubstr("base64,+/+/\""));  // 62, 63, 62, 63
}

TEST(Html, ImageNamesItsTypeAndContent) {
  EXPECT_EQ(html_image({}, "image/jpeg", "a \"b\""), "<img alt=\"a &quot;b&quot;\" src=\"data:image/jpeg;base64,\">");
}

TEST(Html, PageIsCompleteAndNeedsNothingElse) {
  const std::string page = html_page("A & B", "<h1>body</h1>");
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_THAT(page, EndsWith("</html>\n"));
  EXPECT_THAT(page, HasSubstr("<title>A &amp; B</title>"));
  EXPECT_THAT(page, HasSubstr("<h1>body</h1>"));
  EXPECT_THAT(page, HasSubstr("charset=\"utf-8\""));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
}

}  // namespace
}  // namespace fernwood
