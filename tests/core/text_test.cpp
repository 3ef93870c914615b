// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood {
namespace {

TEST(FormatText, WritesLikePrintf) {
  EXPECT_EQ(format_text("%s: %5.1f %%, %d", "floor", 12.34, -7), "floor:  12.3 %, -7");
}

TEST(FormatText, CutsWhatIsTooLong) {
  const std::string text(600, 'x');
  EXPECT_EQ(format_text("%s", text.c_str()), text.substr(0, 511));
}

std::size_t parse_bytes_of(const std::string& text) { return parse_bytes(text, "memory"); }

TEST(NumberOfWord, IsThatOfAWholeWord) {
  EXPECT_EQ(number_of_word("1.5"), 1.5);
  EXPECT_EQ(number_of_word("+1.5e-2"), 0.015);
  EXPECT_EQ(number_of_word("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(number_of_word("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number_of_word("1e-999"), 0);
  EXPECT_TRUE(std::isnan(number_of_word("nan").value()));
  for (const char* word : {"", "+", "1,5", "1.5m", "0x10", "1e", "+-1", "1 2", " 1"})
    EXPECT_FALSE(number_of_word(word)) << word;
}

TEST(TakeNumber, ReadsAWordAndRefusesOneThatIsANumberOnlyInPart) {
  TextInput words("1.5 2,5 3");
  double number = 0;
  EXPECT_TRUE(take_number(words, number));
  EXPECT_EQ(number, 1.5);
  EXPECT_FALSE(take_number(words, number));
  EXPECT_TRUE(take_number(words, number));
  EXPECT_EQ(number, 3);
  EXPECT_FALSE(take_number(words, number)) << "no word is left";
}

TEST(ParseBytes, KnowsDecimalAndBinaryUnits) {
  EXPECT_EQ(parse_bytes_of("0"), 0u);
  EXPECT_EQ(parse_bytes_of("123B"), 123u);
  EXPECT_EQ(parse_bytes_of("900MB"), 900000000u);
  EXPECT_EQ(parse_bytes_of("1.5 GB"), 1500000000u);
  EXPECT_EQ(parse_bytes_of("4GiB"), 4294967296u);
  EXPECT_EQ(parse_bytes_of("0.5KiB"), 512u);
  EXPECT_EQ(parse_bytes_of("2TiB"), 2199023255552u);
}

TEST(ParseBytes, KnowsUnitsAsOtherProgramsWriteThem) {
  EXPECT_EQ(parse_bytes_of("4gb"), 4000000000u);
  EXPECT_EQ(parse_bytes_of("4gib"), 4294967296u);
  for (const char* text : {"4G", "4g", "4 G"}) EXPECT_EQ(parse_bytes_of(text), 4294967296u) << text;
  EXPECT_EQ(parse_bytes_of("512k"), 524288u);
}

void expect_no_bytes(const std::string& text, std::size_t least_bytes = 1) {
  testdata::expect_refused(ErrorKind::kUsage, [&] { parse_bytes(text, "memory", least_bytes); });
}

TEST(ParseBytes, TakesANumberForBytesOnlyWhereNothingElseCanBeMeant) {
  for (const char* text : {"1", "4", "0.5", "64", "4096", "1048575"}) expect_no_bytes(text);
  EXPECT_EQ(parse_bytes_of("1048576"), 1048576u);
  EXPECT_EQ(parse_bytes_of("4294967296"), 4294967296u);
}

TEST(ParseBytes, RefusesLessThanWhatIsNeeded) {
  expect_no_bytes("1023KiB", 1 << 20);
  EXPECT_EQ(parse_bytes("1MiB", "memory", 1 << 20), std::size_t{1} << 20);
  EXPECT_EQ(parse_bytes("0", "memory", 1 << 20), 0u) << "nothing asked for";
}

TEST(ParseBytes, RefusesTheRestWithAnExample) {
  for (const char* text :
       {"", "GB", "-1", "4 apples", "1e30", "nan", "inf", "4GiBs", "1,5GB", "0x10", "4i", "4bb", "4iB"})
    expect_no_bytes(text);
}

TEST(FormatBytes, TakesTheUnitThatFits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1610612736), "1.5 GiB");
  EXPECT_EQ(format_bytes(std::size_t{1} << 50), "1024.0 TiB");
}

constexpr std::array<std::string_view, 4> kCommands = {"train", "predict", "describe", "dataset"};

TEST(Printable, LeavesNothingThatTerminalsObey) {
  EXPECT_EQ(printable("Wände\tüber 5 %"), "Wände\tüber 5 %");
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m\r\a\x7f"), "?[31mred?[0m???");
  EXPECT_EQ(printable("a\xC2\x9B"
                      "31m \xC2\xA0\xC2"),
            "a?31m \xC2\xA0\xC2");
}

TEST(Printable, IsOneLineInOneDirection) {
  EXPECT_EQ(printable("chair\nerror: none"), "chair?error: none");
  EXPECT_EQ(printable("a\u2028b\u202ec\u2066d\u2069"), "a?b?c?d?");
  EXPECT_EQ(printable("\u2027\u202f\u2065\u206a"), "\u2027\u202f\u2065\u206a") << "their neighbours";
}

TEST(Printable, KeepsWhatFollowsABrokenLetter) { EXPECT_EQ(printable("\xC2\n\xC2z"), "\xC2?\xC2z"); }

TEST(LineOfLongKey, FindsKeysOfManyParts) {
  const auto key = [](const std::string& part, int count) {
    std::string text = part;
    for (int i = 1; i < count; ++i) text += "." + part;
    return text;
  };
  EXPECT_EQ(line_of_long_key(""), 0u);
  EXPECT_EQ(line_of_long_key("a = 1\n\n" + key("a", 32) + " = 1\n"), 0u);
  EXPECT_EQ(line_of_long_key("a = 1\n\n" + key("a", 33) + " = 1\n"), 3u);
  for (const std::string part : {"\"a b\"", "'!'", "\"\\\"\"", " a\t", "\"\""})
    EXPECT_EQ(line_of_long_key("x = 1\n[" + key(part, 200000) + "]"), 2u) << part;
  EXPECT_EQ(line_of_long_key("up = [" + key("0.5, ", 100) + "]"), 0u);
  EXPECT_EQ(line_of_long_key("name = \"" + key("a", 100) + "\""), 0u);
  EXPECT_EQ(line_of_long_key("name = \"cut off"), 0u);
  // Quotes in multi-line strings and comments do not open a string, and do not hide keys after the end of these.
  const std::vector<std::string> hiding = {R"("""\n ' """)", R"("""\n """")", R"("""\""" """"")", R"(''' " ''')",
                                           R"(1, # it's)"};
  for (const std::string& text : hiding)
    EXPECT_EQ(line_of_long_key("x = {y = " + text + "\n, " + key("a", 33) + " = 1}"), 2u) << text;
  EXPECT_EQ(line_of_long_key("x = {y = " + hiding[0] + ", " + key("a", 33) + " = 1}"), 1u);
  EXPECT_EQ(line_of_long_key("x = \"\"\"\n'\"\"\", " + key("a", 33)), 2u);
  EXPECT_EQ(line_of_long_key("# " + key("a", 100) + "\nx = '''" + key("b", 100) + "'''\n"), 0u);
}

TEST(NearestName, NeedsTheFewestEdits) {
  EXPECT_EQ(nearest_name("trian", kCommands), "train");       // two letters replaced
  EXPECT_EQ(nearest_name("predic", kCommands), "predict");    // one inserted
  EXPECT_EQ(nearest_name("dattaset", kCommands), "dataset");  // one removed
  EXPECT_EQ(nearest_name("describe", kCommands), "describe");
}

TEST(NearestName, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("label", kCommands), "");
  EXPECT_EQ(nearest_name("", kCommands), "");
  EXPECT_EQ(nearest_name("train", {}), "");
}

TEST(NearestName, OfAShortWordKeepsHalfOfIt) {
  constexpr std::array<std::string_view, 2> kShort = {"xyz", "ay"};
  EXPECT_EQ(nearest_name("ab", kShort), "ay");  // 1 edit of 2 letters
  EXPECT_EQ(nearest_name("a", kShort), "");     // even "ay" takes 1 edit of a name of 1 letter
}

TEST(NearestName, OfSeveralIsTheFirst) {
  constexpr std::array<std::string_view, 2> kTied = {"tray", "trap"};
  EXPECT_EQ(nearest_name("trax", kTied), "tray");
}

TEST(Text, EscapesWhatMarkupMeansSomethingElseBy) {
  EXPECT_EQ(escape("a<b> & \"c\" d'"), "a&lt;b&gt; &amp; &quot;c&quot; d'");
  EXPECT_EQ(escape("&amp;"), "&amp;amp;");
  EXPECT_EQ(escape(""), "");
}

TEST(Utf8, KnowsTextFromOtherBytes) {
  for (const std::string text : {"", "floor", "Fußboden", "床", "\U0001F6CB", "\xF4\x8F\xBF\xBF"})
    EXPECT_TRUE(is_utf8(text)) << text;
  for (const std::string bytes : {"Fu\xDF"
                                  "boden",
                                  "\xC3", "\x80", "\xC0\xAF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                                  "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82"})
    EXPECT_FALSE(is_utf8(bytes)) << bytes;
}

/// nlohmann::json, which writes headers of models, rejects the same texts. Otherwise a name could pass the check, but
/// fail after training.
TEST(Utf8, AgreesWithTheWriterOfHeaders) {
  const auto is_written = [](const std::string& text) {
    try {
      return !nlohmann::json(text).dump().empty();
    } catch (const nlohmann::json::exception&) {
      return false;
    }
  };
  const unsigned char edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2,
                                 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF};
  for (const unsigned char a : edges)
    for (const unsigned char b : edges)
      for (const unsigned char c : edges)
        for (const unsigned char d : edges) {
          const std::string text = {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c),
                                    static_cast<char>(d)};
          ASSERT_EQ(is_utf8(text), is_written(text)) << nlohmann::json(std::vector<int>{a, b, c, d});
        }
}

}  // namespace
}  // namespace fernwood
