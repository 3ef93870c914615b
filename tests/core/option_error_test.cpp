// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/option_error.h"

#include <gtest/gtest.h>

#include <locale>
#include <string>

#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"

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

TEST(OptionError, KeepsItsPartsAndIsWordedForTheCommandLine) {
  const auto error = thrown_by<OptionError>([] { require_option(false, "rate", 0.5, "give 1 or more"); });
  EXPECT_STREQ(error.what(), "--rate is 0.5; give 1 or more");
  EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  EXPECT_EQ(error.option() + "|" + error.value() + "|" + error.rule(), "rate|0.5|give 1 or more");
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
  EXPECT_EQ(error.rule(), "leave it out with --task regression");
  EXPECT_EQ(error.sentence().text, "leave it out with {}");
  EXPECT_EQ(error.sentence().options.at(0).name, "task");
}

TEST(ContradictionError, KeepsTheOptionsAndIsWordedForTheCommandLine) {
  const auto error = thrown_by<ContradictionError>([] {
    require_together(false, "{} asks about pixels that {} leaves out; give one of them, or {}",
                     {{"stride", "4"}, {"interpolate", "true"}, {"interpolate", "false"}});
  });
  EXPECT_STREQ(error.what(),
               "--stride 4 asks about pixels that --interpolate leaves out; give one of them, or --no-interpolate");
  EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  ASSERT_EQ(error.sentence().options.size(), 3u);
  EXPECT_EQ(error.sentence().options[0].name + "|" + error.sentence().options[0].value, "stride|4");
  EXPECT_NO_THROW(require_together(true, "{} needs {}", {{"a"}, {"b"}}));
}

TEST(UnknownOptionError, KeepsWhatWasWrittenAndWhatWasMeant) {
  const auto near = thrown_by<UnknownOptionError>([] { fail_unknown_option("max_dept", {"trees", "max-depth"}); });
  EXPECT_STREQ(near.what(), "there is no option \"max-dept\" (did you mean max-depth?)");
  EXPECT_EQ(near.option() + "|" + near.meant(), "max-dept|max-depth");
  const auto far = thrown_by<UnknownOptionError>([] { fail_unknown_option("x", {"trees"}); });
  EXPECT_STREQ(far.what(), "there is no option \"x\"");
}

/// As numbers are written in Germany.
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
