// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/error.h"

#include <gtest/gtest.h>

#include <locale>
#include <string>

#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/text.h"

namespace fernwood {
namespace {

template <typename Expected, typename Work>
Expected thrown_by(const Work& work) {
  try {
    work();
  } catch (const Expected& error) {
    return error;
  }
  throw std::logic_error("nothing was thrown");
}

std::string bracketed(const NamedOption& option) {
  return "[" + option.name + (option.value.empty() ? "" : " " + option.value) + "]";
}

TEST(OptionError, KeepsItsPartsAndIsWordedForTheCommandLine) {
  const auto error = thrown_by<OptionError>([] { require_option(false, "rate", 0.5, "give 1 or more"); });
  EXPECT_STREQ(error.what(), "--rate is 0.5; give 1 or more");
  EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  EXPECT_EQ(error.option() + "|" + error.value() + "|" + error.rule().on_command_line(), "rate|0.5|give 1 or more");
  EXPECT_NO_THROW(require_option(true, "rate", 1, "give 1 or more"));
}

TEST(OptionError, ValuesThatOnlyTheLibraryChecksHavePartsToo) {
  EXPECT_EQ(thrown_by<OptionError>([] { ThreadPool(-1); }).value(), "-1");
  const auto memory = thrown_by<OptionError>([] { parse_bytes("lots", "memory-budget"); });
  EXPECT_EQ(memory.option() + "|" + memory.value(), "memory-budget|\"lots\"");
}

TEST(OptionError, ARuleMayNameOtherOptions) {
  const auto error = thrown_by<OptionError>([] {
    require_option(false, "prune", "true", OptionSentence{"leave it out with {}", {{"task", "regression"}}});
  });
  EXPECT_STREQ(error.what(), "--prune is true; leave it out with --task regression");
  EXPECT_EQ(error.rule().on_command_line(), "leave it out with --task regression");
  EXPECT_EQ(error.rule().worded(bracketed), "leave it out with [task regression]");
  EXPECT_EQ(error.sentence().worded(bracketed), "[prune] is true; leave it out with [task regression]");
}

TEST(OptionError, AWrongChoiceKeepsWhatWasWrittenAndWhatWasMeant) {
  const auto near = thrown_by<OptionError>([] { find_name("preset", "fats", {"fast", "best"}); });
  EXPECT_STREQ(near.what(), "--preset is \"fats\" (did you mean fast?); give fast or best");
  EXPECT_EQ(near.value() + "|" + near.meant(), "\"fats\"|fast");
  const auto far = thrown_by<OptionError>([] { find_name("preset", "thesis", {"fast", "best"}); });
  EXPECT_STREQ(far.what(), "--preset is \"thesis\"; give fast or best");
  EXPECT_EQ(far.meant(), "");
}

TEST(OptionHelp, NamesOtherOptionsInBraces) {
  const OptionSentence help = help_sentence("Best with {smooth}; 0: off with {no-such}, 'rgb/{}.jpg'");
  EXPECT_EQ(help.on_command_line(), "Best with --smooth; 0: off with --no-such, 'rgb/{}.jpg'");
  EXPECT_EQ(help.worded(bracketed), "Best with [smooth]; 0: off with [no-such], 'rgb/{}.jpg'");
  EXPECT_EQ(help_sentence("{smooth}").worded(bracketed), "[smooth]");
  EXPECT_EQ(help_sentence("").on_command_line(), "");
}

TEST(ContradictingOptions, AreKeptAndWordedForTheCommandLine) {
  const auto error = thrown_by<Error>([] {
    require_together(false, "{} asks about pixels that {} leaves out; give one of them, or {}",
                     {{"stride", "4"}, {"interpolate", "true"}, {"interpolate", "false"}});
  });
  EXPECT_STREQ(error.what(),
               "--stride 4 asks about pixels that --interpolate leaves out; give one of them, or --no-interpolate");
  EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  const std::vector<NamedOption> named = {{"stride", "4"}, {"interpolate", "true"}, {"interpolate", "false"}};
  EXPECT_EQ(error.sentence().options(), named);
  EXPECT_NO_THROW(require_together(true, "{} needs {}", {{"a"}, {"b"}}));
}

TEST(UnknownOptionError, KeepsWhatWasWrittenAndWhatWasMeant) {
  const auto near = thrown_by<UnknownOptionError>([] { fail_unknown_option("max_dept", {"trees", "max-depth"}); });
  EXPECT_STREQ(near.what(), "there is no option \"max-dept\" (did you mean max-depth?)");
  EXPECT_EQ(near.option() + "|" + near.meant(), "max-dept|max-depth");
  const auto far = thrown_by<UnknownOptionError>([] { fail_unknown_option("x", {"trees"}); });
  EXPECT_STREQ(far.what(), "there is no option \"x\"");
}

TEST(OptionSentence, EveryErrorCarriesTheOptionsThatItsTextNames) {
  const auto error = thrown_by<Error>([] {
    const std::string file = "rgb/{}.png --label";
    FW_CHECK(false, Resource,
             file << ": takes " << 7 << " GB; give " << named_option("device", "cpu") << ", or fewer "
                  << named_option("trees"));
  });
  EXPECT_STREQ(error.what(), "rgb/{}.png --label: takes 7 GB; give --device cpu, or fewer --trees");
  EXPECT_EQ(error.sentence().worded(bracketed), "rgb/{}.png --label: takes 7 GB; give [device cpu], or fewer [trees]");
}

TEST(OptionSentence, SentencesAreJoinedWithTheirOptions) {
  const OptionSentence remedy = "give " + named_option("device", "cpu");
  const OptionSentence joined = std::string("a.png") + ": " + remedy + " or " + named_option("prune", "false") + ".";
  EXPECT_EQ(joined.worded(bracketed), "a.png: give [device cpu] or [prune false].");
  EXPECT_EQ(joined.on_command_line(), "a.png: give --device cpu or --no-prune.");
  SentenceOutput output;
  output << "1 " << joined << " 2";
  EXPECT_EQ(output.take().worded(bracketed), "1 a.png: give [device cpu] or [prune false]. 2");
  EXPECT_TRUE(output.take().empty());
  TextOutput text;
  text << joined;
  EXPECT_EQ(text.str(), joined.on_command_line());
  EXPECT_TRUE(OptionSentence().empty());
  EXPECT_FALSE(remedy.empty());
}

/// Format of numbers in German locales: 1.234.567.
class GroupsOfThree : public std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(OptionError, NumbersAreThoseOfTheCommandLineInAnyLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new GroupsOfThree));
  std::string value;
  try {
    require_option(false, "threads", 5000, "give fewer");
  } catch (const OptionError& error) {
    value = error.value();
  }
  std::locale::global(before);
  EXPECT_EQ(value, "5000");
}

}  // namespace
}  // namespace fernwood
