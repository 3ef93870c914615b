// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/table_reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

using testing::ElementsAre;
using Names = std::vector<std::string>;

class TableReaderTest : public testing::Test {
 protected:
  TableReaderTest()
      : folder_(std::filesystem::path(testing::TempDir()) / ("fernwood_tables_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~TableReaderTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  RecordTable table(const std::string& name, const std::string& text, const TableOptions& options = {}) {
    return read_table(write(name, text), options, pool_);
  }
  /// "kind: message" of the error, without the folder; "read" if there is none.
  std::string refusal(const std::string& name, const std::string& text, const TableOptions& options = {}) {
    try {
      read_table(write(name, text), options, pool_);
    } catch (const Error& problem) {
      const std::string message = problem.what(), place = (folder_ / "").string();
      return std::to_string(static_cast<int>(problem.kind())) + ": " +
             (message.starts_with(place) ? message.substr(place.size()) : message);
    }
    return "read";
  }
  static std::vector<float> row(const RecordTable& table, std::size_t i) {
    return {table.values.row(i), table.values.row(i) + table.values.cols()};
  }
  static TableOptions model(Names attributes, Names classes) {
    TableOptions options;
    options.attributes = std::move(attributes);
    options.classes = std::move(classes);
    return options;
  }

  std::filesystem::path folder_;
  ThreadPool pool_{2};
};

TEST_F(TableReaderTest, TextsOfAModelBecomeTheirCategories) {
  TableOptions options = model({"size", "colour", "code"}, {"no", "yes"});
  options.text_attributes = {1, 2};
  const RecordTable t =
      table("a.csv", "code,colour,size,label\n17,\"dark, red\",1.5,yes\n-0,,NA,no\nnan,NA,2,no\n", options);
  const auto row_of = [](float size, const char* colour, const char* code) {
    return std::vector<std::int32_t>{bits_of(size), bits_of(value_of_category(category_of_text(colour))),
                                     bits_of(value_of_category(category_of_text(code)))};
  };
  const auto bits = [&](std::size_t i) {
    std::vector<std::int32_t> found;
    for (const float value : row(t, i)) found.push_back(bits_of(value));
    return found;
  };
  EXPECT_EQ(bits(0), row_of(1.5f, "dark, red", "17"));
  EXPECT_EQ(bits(1), row_of(std::nanf(""), "", "-0"));
  EXPECT_EQ(bits(2), row_of(2, "NA", "nan"));
  testdata::expect_sentence(refusal("a.libsvm", "yes 1:2\n", options));
}

TEST_F(TableReaderTest, LibsvmCountsFromOneAndFillsWhatIsAbsent) {
  const std::string text = "# made by hand\n+1 1:0.5 3:-2e1 # note\n\n-1 qid:7 2:inf 3:nan\n1.0\n";
  const RecordTable t = table("a.libsvm", text);
  EXPECT_THAT(t.classes, ElementsAre("-1", "+1"));  // ordered by value; 1.0 is +1
  EXPECT_THAT(t.attributes, ElementsAre("1", "2", "3"));
  EXPECT_THAT(t.labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(row(t, 0), ElementsAre(0.5f, 0.0f, -20.0f));
  EXPECT_EQ(t.values(1, 1), INFINITY);
  EXPECT_TRUE(std::isnan(t.values(1, 2)));
  TableOptions unknown;
  unknown.absent_is_unknown = true;
  EXPECT_TRUE(std::isnan(table("a.libsvm", text, unknown).values(2, 0)));
}

TEST_F(TableReaderTest, WaitingForASilentPipeCanBeGivenUp) {
  const std::string pipe = testing::TempDir() + "fernwood_silent_pipe" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int silent = ::open(pipe.c_str(), O_RDWR);  // a writer that stays silent
  int calls = 0;
  TableOptions options;
  options.while_waiting = [&] {
    if (++calls == 2) throw Error(ErrorKind::kInterrupted, "enough");
  };
  ThreadPool pool(1);
  TableReader reader(pipe, options, pool);
  RecordTable block;
  EXPECT_THROW(reader.read(block, 1), Error);
  EXPECT_EQ(calls, 2);
  ::close(silent);
  ::unlink(pipe.c_str());
}

TEST_F(TableReaderTest, CsvKnowsHeadersSeparatorsQuotesAndUnknownValues) {
  const RecordTable t = table("a.csv", "\xEF\xBB\xBF\"the \"\"a\"\"\";Class;b\r\n1;\"x;y\";?\r\n NA ;z;\"-0.25\"");
  EXPECT_THAT(t.attributes, ElementsAre("the \"a\"", "b"));
  EXPECT_THAT(t.classes, ElementsAre("x;y", "z"));
  EXPECT_THAT(t.labels, ElementsAre(0, 1));
  EXPECT_EQ(t.values(0, 0), 1.0f);
  EXPECT_TRUE(std::isnan(t.values(0, 1)));
  EXPECT_TRUE(std::isnan(t.values(1, 0)));
  EXPECT_EQ(t.values(1, 1), -0.25f);
}

TEST_F(TableReaderTest, ASeparatorThatIsNamedIsTaken) {
  const auto attributes = [&](const std::string& separator, const std::string& text) {
    TableOptions options;
    options.separator = separator;
    return table("a.csv", text, options).attributes;
  };
  EXPECT_THAT(attributes(",", "a;b,c,class\n1,2,x\n"), ElementsAre("a;b", "c")) << "not the semicolon, which is found";
  EXPECT_THAT(attributes("|", "a|b|class\n1|2|x\n"), ElementsAre("a", "b"));
  for (const char* tab : {"tab", "\\t", "\t", ""})
    EXPECT_THAT(attributes(tab, "a;b\tc\tclass\n1\t2\tx\n"), ElementsAre("a;b", "c"));
  for (const char* none : {"ab", "\"", "0", ".", "+", "-"}) {
    TableOptions options;
    options.separator = none;
    testdata::expect_sentence(refusal("a.csv", "1,2,x\n", options));
  }
}

TEST_F(TableReaderTest, OptionsOfTheOtherFormatAreRefused) {
  const auto refused = [&](const char* file, const char* text, const std::function<void(TableOptions&)>& set) {
    TableOptions options;
    set(options);
    return refusal(file, text, options);
  };
  const char* const libsvm = "1 1:2\n";
  testdata::expect_sentence(refused("a.libsvm", libsvm, [](TableOptions& o) { o.label_column = "class"; }));
  testdata::expect_sentence(refused("data", libsvm, [](TableOptions& o) { o.separator = ","; }));
  testdata::expect_sentence(refused("data", libsvm, [](TableOptions& o) { o.header = Header::kNo; }));
  testdata::expect_sentence(refused("a.csv", "1,x\n", [](TableOptions& o) { o.absent_is_unknown = true; }));
  TableOptions none;
  none.label_column = "none";
  EXPECT_THAT(row(table("a.libsvm", libsvm, none), 0), ElementsAre(2.0f)) << "a file of any format can lack labels";
  TableOptions other;
  other.label_column = "class";
  other.header = Header::kYes;
  other.may_be_of_other_format = true;
  EXPECT_THAT(row(table("a.libsvm", libsvm, other), 0), ElementsAre(2.0f));
}

TEST_F(TableReaderTest, WithoutAHeaderTheLastColumnIsTheClassUnlessToldOtherwise) {
  const RecordTable last = table("a.csv", "1,2,10\n3,4,9\n");
  EXPECT_THAT(last.attributes, ElementsAre("1", "2"));
  EXPECT_THAT(last.classes, ElementsAre("9", "10"));
  TableOptions first;
  first.label_column = "1";
  EXPECT_THAT(row(table("a.csv", "1,2,10\n3,4,9\n", first), 1), ElementsAre(4.0f, 9.0f));
  TableOptions none;
  none.label_column = "none";
  EXPECT_THAT(table("a.csv", "1,2,10\n", none).labels, ElementsAre(kNoClass));
}

TEST_F(TableReaderTest, ContentTellsTheFormatWhereTheNameDoesNot) {
  EXPECT_THAT(table("data", "1\n2 1:4\n").attributes, ElementsAre("1"));
  EXPECT_THAT(table("data", "a\tlabel\n3\tx\n").classes, ElementsAre("x"));
}

TEST_F(TableReaderTest, NumbersAreRoundedAsTheCompilerRoundsThem) {
  const RecordTable t =
      table("a.csv", "0.1,16777216,16777217,123456.789,1e-50,3.4028235e38,-0.0,.5,+7,9007199254740993,x\n");
  EXPECT_THAT(row(t, 0), ElementsAre(0.1f, 16777216.0f, 16777216.0f, 123456.789f, 0.0f, 3.4028235e38f, 0.0f, 0.5f, 7.0f,
                                     9007199254740992.0f));
}

TEST_F(TableReaderTest, ModelsTakeColumnsByNameAndClassesByValue) {
  const TableOptions known = model({"a", "b"}, {"0", "1"});
  const RecordTable t = table("a.csv", "b,id,a,class\n2,99,1,1.0\n4,98,3,\n", known);
  EXPECT_THAT(t.attributes, ElementsAre("a", "b"));
  EXPECT_THAT(row(t, 0), ElementsAre(1.0f, 2.0f));
  EXPECT_THAT(t.labels, ElementsAre(1, kNoClass));
  EXPECT_THAT(table("b.csv", "1,2\n3,4\n", known).labels, ElementsAre(kNoClass, kNoClass));
  EXPECT_THAT(row(table("b.libsvm", "0 2:5\n", known), 0), ElementsAre(0.0f, 5.0f));
  testdata::expect_sentence(refusal("a.csv", "a,c\n1,2\n", known));
  testdata::expect_sentence(refusal("a.csv", "1,2,3,4\n", known));
  testdata::expect_sentence(refusal("a.csv", "a,b,class\n1,2,7\n", known));
  testdata::expect_sentence(refusal("a.libsvm", "1 3:1\n", known));
  const TableOptions same = model({"a", "a"}, {"0", "1"});
  testdata::expect_sentence(refusal("a.csv", "a,b,class\n1,2,1\n", same));
  EXPECT_THAT(row(table("c.csv", "1,2\n", same), 0), ElementsAre(1.0f, 2.0f)) << "taken by place";
}

TEST_F(TableReaderTest, AModelFindsItsAttributesWithoutANameByTheSameNumbers) {
  const std::string text = ",a,label,\n0,5,x,7\n1,6,y,8\n";
  const RecordTable trained = table("a.csv", text);
  EXPECT_THAT(trained.attributes, ElementsAre("1", "a", "3"));
  const TableOptions known = model(trained.attributes, trained.classes);
  EXPECT_THAT(row(table("a.csv", text, known), 1), ElementsAre(1.0f, 6.0f, 8.0f));
  EXPECT_THAT(row(table("b.csv", ",a,\n0,5,7\n", known), 0), ElementsAre(0.0f, 5.0f, 7.0f));
}

TEST_F(TableReaderTest, AnotherColumnIsNotAModelsTarget) {
  TableOptions known = model({"a", "b"}, {});
  known.labels = LabelKind::kTarget;
  known.target = "y";
  EXPECT_THAT(table("a.csv", "a,b,id\n1,2,17\n", known).targets, ElementsAre(testing::IsNan()));
  EXPECT_THAT(table("a.csv", "y,a,b,id\n3,1,2,17\n", known).targets, ElementsAre(3));
  known.target = "target0";  // of a model that does not know the name
  EXPECT_THAT(table("a.csv", "a,b,price\n1,2,17\n", known).targets, ElementsAre(17));
}

TEST_F(TableReaderTest, LabelsMayBeIgnored) {
  TableOptions known = model({"a", "b"}, {"0", "1"});
  known.labels = LabelKind::kIgnored;
  for (const char* text : {"a,b,id\n1,2,k17\n", "1,2,k17\n"}) {
    const RecordTable t = table("a.csv", text, known);
    EXPECT_THAT(row(t, 0), ElementsAre(1.0f, 2.0f));
    EXPECT_TRUE(t.labels.empty() && t.targets.empty());
  }
  EXPECT_THAT(row(table("a.libsvm", "17 2:5\n", known), 0), ElementsAre(0.0f, 5.0f));
}

TEST_F(TableReaderTest, ReadsInBlocksWhatItReadsAtOnce) {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += std::to_string(i % 7) + " 1:" + std::to_string(i) + (i == 2500 ? " 4:1\n" : "\n");
  const std::filesystem::path path = write("long.libsvm", text);
  TableReader reader(path, {}, pool_);
  RecordTable block;
  std::vector<std::size_t> sizes;
  std::size_t next = 0;
  while (reader.read(block, 1100)) {
    sizes.push_back(block.values.rows());
    for (std::size_t i = 0; i < block.values.rows(); ++i) ASSERT_EQ(block.values(i, 0), static_cast<float>(next++));
  }
  EXPECT_THAT(sizes, ElementsAre(1100, 1100, 800));
  EXPECT_EQ(reader.bytes_read(), text.size());
  const RecordTable whole = read_table(path, {}, pool_);
  EXPECT_EQ(whole.values.cols(), 4u);
  EXPECT_EQ(whole.values(0, 3), 0.0f);
  EXPECT_EQ(whole.values(2500, 3), 1.0f);
}

TEST_F(TableReaderTest, NamesLineRuleAndRemedyOfWhatItRefuses) {
  // Fields are counted while a line is split, as stored fields take forty times their bytes.
  const std::string many = std::string(300000, ',') + "\n", too_many = std::string(70000, ',') + "\n";
  for (const std::string& text :
       {std::string(), std::string("a,class\n"), many, too_many, "1,2,x\n" + std::string(3000000, ',') + "\n",
        std::string("1,2,x\n\n3,y\n"), std::string("a,b,class\n1,x1,y\n"), std::string("1e39,2,x\n"),
        std::string("1,2,x\n1,\"2,x\n"), std::string("a,a,class\n1,2,3\n"), std::string("x\ny\n"),
        std::string("1,2\n1,\0002\n", 9)})
    testdata::expect_sentence(refusal("a.csv", text));
  for (const char* text :
       {"1 1:2\n1 0:2\n", "1 2:2 2:3\n", "1 3:2 2:3\n", "1 65537:1\n", "1 1:2x\n", "1 one:2\n", "1,3 1:2\n", "1\n2\n"})
    testdata::expect_sentence(refusal("a.libsvm", text));
  testdata::expect_sentence(refusal("a.csv.gz", "\x1f\x8b\x08"));
  const std::string zero(1, '\0'), zip = "PK\x03\x04" + std::string(26, '\0');
  testdata::expect_sentence(refusal("a.zip", zip + "a.csv"));
  testdata::expect_sentence(refusal("a.xlsx", zip + "[Content_Types].xml"));
  testdata::expect_sentence(refusal("a", zip + "docProps/app.xml"));
  testdata::expect_sentence(refusal("a.ods", zip + "mimetypeapplication/vnd.oasis.opendocument.spreadsheet"));
  testdata::expect_sentence(refusal("a.npz", zip + "arr_0.npy"));
  testdata::expect_sentence(refusal("a.csv", "PAR1\x15" + zero));
  testdata::expect_sentence(refusal("a.feather", "ARROW1" + zero));
  testdata::expect_sentence(refusal("a.csv", "PAR1,b\n1,x\n1\n"));  // a name of a column
  testdata::expect_sentence(refusal("b", "\x01\x02,3\n4,5\n"));
  TableOptions labelled;
  labelled.needs_class = true;
  testdata::expect_sentence(refusal("a.csv", "1,x\n2,\n", labelled));
  TableOptions options;
  options.memory_budget_bytes = 8;
  testdata::expect_sentence(refusal("a.csv", "1,2,x\n", options));
  testdata::expect_sentence(refusal("", ""));
}

TEST_F(TableReaderTest, TheFirstWrongLineIsNamedWhicheverThreadIsFaster) {
  std::string text = "1,2,x\n";
  for (int i = 0; i < 5000; ++i) text += i % 1000 == 999 ? "1,wrong,x\n" : "1,2,x\n";
  const std::string told = refusal("a.csv", text);
  testdata::expect_sentence(told);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(refusal("a.csv", text), told);
}

TEST_F(TableReaderTest, NamesThatAModelFileCannotHoldAreRefusedWhereTheyAreRead) {
  testdata::expect_sentence(refusal("t.csv",
                                    "gr\xf6\xdf"
                                    "e,class\n1,a\n"));
  testdata::expect_sentence(refusal("t.csv", "x,class\n1,a\n2,b\n3,\xe4\n"));
  testdata::expect_sentence(refusal("t.libsvm", "a 1:2\n\xe4 1:3\n"));
  testdata::expect_sentence(refusal("t.csv", "x\ry,class\n1,2,a\n"));
  testdata::expect_sentence(refusal("t.csv", std::string(5000, 'x') + ",class\n1,a\n"));
  testdata::expect_sentence(refusal("t.csv", std::string("\xff\xfex\0,\0y\0\n\0", 10)));
  EXPECT_EQ(table("t.csv",
                  "\xef\xbb\xbf"
                  "gr\xc3\xb6\xc3\x9f"
                  "e,class\n1,a\n")
                .attributes,
            Names{"gr\xc3\xb6\xc3\x9f"
                  "e"});
}

TEST_F(TableReaderTest, ColumnsThatNoModelAsksForMayHaveAnyName) {
  EXPECT_EQ(row(table("t.csv", "x,\xe4,class\n1,2,a\n", model({"x"}, {"a"})), 0), std::vector<float>{1});
}

TEST_F(TableReaderTest, SpacesAreUnderscoresWhereTheModelSaysSo) {
  TableOptions options = model({"a_b", "c"}, {"k"});
  testdata::expect_sentence(refusal("t.csv", "c,a b,class\n1,2,k\n", options));
  options.spaces_are_underscores = true;
  EXPECT_EQ(row(table("t.csv", "c,a b,class\n1,2,k\n", options), 0), (std::vector<float>{2, 1}));
  testdata::expect_sentence(refusal("t.csv", "c,a b,a_b,class\n1,2,3,k\n", options));
}

TEST_F(TableReaderTest, LabelsMayBeNumbersToPredict) {
  TableOptions options;
  options.labels = LabelKind::kTarget;
  const RecordTable csv = table("t.csv", "size,price,rooms\n1,2.5,3\n2,+1e-3,4\n3,NA,5\n4,-1e-400,6\n", [&] {
    TableOptions o = options;
    o.label_column = "price";
    return o;
  }());
  EXPECT_EQ(csv.target, "price");
  EXPECT_EQ(csv.attributes, (Names{"size", "rooms"}));
  EXPECT_TRUE(csv.labels.empty());
  EXPECT_TRUE(csv.classes.empty());
  EXPECT_THAT(csv.targets, ElementsAre(2.5, 0.001, testing::IsNan(), 0.0));
  const RecordTable libsvm = table("t.libsvm", "16777217.0000001 1:3\n? 2:5\n", options);
  EXPECT_EQ(libsvm.target, "");
  EXPECT_THAT(libsvm.targets, ElementsAre(16777217.0000001, testing::IsNan()));  // with 64 bits
  std::string many;
  for (int i = 0; i < 70'000; ++i) many += std::to_string(i) + " 1:1\n";
  const RecordTable joined = table("many.libsvm", many, options);
  ASSERT_EQ(joined.targets.size(), 70'000u);
  for (int i = 0; i < 70'000; ++i) ASSERT_EQ(joined.targets[static_cast<std::size_t>(i)], i);
}

TEST_F(TableReaderTest, ATargetThatIsNoFiniteNumberIsNamedWithItsLine) {
  TableOptions options;
  options.labels = LabelKind::kTarget;
  testdata::expect_sentence(refusal("t.csv", "a,target\n1,2\n3,dear\n", options));
  testdata::expect_sentence(refusal("t.csv", "a,target\n1,1.5x\n", options));
  for (const char* const infinite : {"inf", "-Infinity", "1e400"})
    testdata::expect_sentence(refusal("t.libsvm", std::string(infinite) + " 1:2\n", options));
  EXPECT_EQ(refusal("t.libsvm", "nan 1:2\n", options), "read");
  options.needs_class = true;
  testdata::expect_sentence(refusal("t.libsvm", "1 1:2\nnan 1:2\n", options));
}

}  // namespace
}  // namespace fernwood::records
