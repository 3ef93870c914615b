// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"

#include <gtest/gtest.h>

#include <gmock/gmock.h>
#include <cerrno>
#include <locale>
#include <new>
#include <string>
#include <system_error>

#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/text.h"
#include "sentences.h"

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
  const auto error = thrown_by<OptionError>([] { require_option(false, "rate", 0.5, "use 1 or more"); });
  EXPECT_STREQ(error.what(), "--rate is 0.5; use 1 or more");
  EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  EXPECT_EQ(error.option() + "|" + error.value() + "|" + error.rule().on_command_line(), "rate|0.5|use 1 or more");
  EXPECT_NO_THROW(require_option(true, "rate", 1, "use 1 or more"));
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
  EXPECT_STREQ(near.what(), "--preset is \"fats\" (did you mean fast?); use fast or best");
  EXPECT_EQ(near.value() + "|" + near.meant(), "\"fats\"|fast");
  const auto far = thrown_by<OptionError>([] { find_name("preset", "thesis", {"fast", "best"}); });
  EXPECT_STREQ(far.what(), "--preset is \"thesis\"; use fast or best");
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
    require_together(false, "{} asks about pixels that {} leaves out; use one of them, or {}",
                     {{"stride", "4"}, {"interpolate", "true"}, {"interpolate", "false"}});
  });
  EXPECT_STREQ(error.what(),
               "--stride 4 asks about pixels that --interpolate leaves out; use one of them, or --no-interpolate");
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
             file << " takes " << 7 << " GB; use " << named_option("device", "cpu") << ", or fewer "
                  << named_option("trees"));
  });
  EXPECT_STREQ(error.what(), "rgb/{}.png --label takes 7 GB; use --device cpu, or fewer --trees");
  EXPECT_EQ(error.sentence().worded(bracketed), "rgb/{}.png --label takes 7 GB; use [device cpu], or fewer [trees]");
}

TEST(OptionSentence, SentencesAreJoinedWithTheirOptions) {
  const OptionSentence remedy = "use " + named_option("device", "cpu");
  const OptionSentence joined = std::string("a.png") + ": " + remedy + " or " + named_option("prune", "false") + ".";
  EXPECT_EQ(joined.worded(bracketed), "a.png: use [device cpu] or [prune false].");
  EXPECT_EQ(joined.on_command_line(), "a.png: use --device cpu or --no-prune.");
  SentenceOutput output;
  output << "1 " << joined << " 2";
  EXPECT_EQ(output.take().worded(bracketed), "1 a.png: use [device cpu] or [prune false]. 2");
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
    require_option(false, "threads", 5000, "use fewer");
  } catch (const OptionError& error) {
    value = error.value();
  }
  std::locale::global(before);
  EXPECT_EQ(value, "5000");
}

template <typename Exception>
Failure failure_of(const Exception& exception) {
  try {
    throw exception;
  } catch (...) {
    return failure_in_hand();
  }
}

std::system_error system_refusal(int number) { return {number, std::system_category()}; }

TEST(Failure, WhatTheSystemRefusesIsAResource) {
  for (const Failure& failure :
       {failure_of(std::bad_alloc()), failure_of(system_refusal(ENOMEM)), failure_of(system_refusal(EAGAIN)),
        failure_of(system_refusal(EMFILE)), failure_of(system_refusal(ENFILE)),
        failure_of(std::filesystem::filesystem_error("open", "a.png", system_refusal(EMFILE).code()))}) {
    EXPECT_EQ(failure.kind, ErrorKind::kResource);
    EXPECT_TRUE(failure.is_expected);
    testdata::expect_sentence(failure.sentence.on_command_line());
  }
}

TEST(Failure, OfAFileTellsWhichAndWhy) {
  const Failure gone = failure_of(std::filesystem::filesystem_error("open", "a.png", system_refusal(ENOENT).code()));
  EXPECT_EQ(gone.kind, ErrorKind::kRuntime);
  EXPECT_EQ(gone.error_number, ENOENT);
  EXPECT_EQ(gone.path, "a.png");
  testdata::expect_sentence(gone.sentence.on_command_line());
  const Failure read = failure_of(FileError(ErrorKind::kData, "b.png", EISDIR, "is a folder"));
  EXPECT_EQ(read.kind, ErrorKind::kData);
  EXPECT_EQ(read.error_number, EISDIR);
  EXPECT_EQ(read.sentence.on_command_line(), "b.png is a folder");
}

TEST(Failure, OfOurOwnIsAsItWasThrownAndOthersAreUnexpected) {
  const Failure own = failure_of(Error(ErrorKind::kModel, "a.fernwood is damaged"));
  EXPECT_EQ(own.kind, ErrorKind::kModel);
  EXPECT_EQ(own.sentence.on_command_line(), "a.fernwood is damaged");
  EXPECT_TRUE(own.is_expected);
  EXPECT_FALSE(failure_of(std::out_of_range("at")).is_expected);
  EXPECT_FALSE(failure_of(system_refusal(EPERM)).is_expected);
  EXPECT_FALSE(failure_of(7).is_expected);
}

}  // namespace
}  // namespace fernwood
