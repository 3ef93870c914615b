// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/record_source.h"

#include <sys/stat.h>

#include <thread>

#include "sentences.h"
#include "stream/source_folder.h"

namespace fernwood::stream {
namespace {

using testing::ElementsAre;

constexpr int kLines = 41;

/// Line of record i: class i * i % 5, attributes 1 to 1 + i / 10, some of them absent.
std::string line(int i) {
  std::string text = "c" + std::to_string(i * i % 5);
  for (int a = 1; a <= 1 + i / 10; ++a)
    if ((i + a) % 3 != 0 || a == 1 + i / 10) text += " " + std::to_string(a) + ":" + std::to_string(i + a) + ".5";
  return text + (i % 2 == 0 ? "\n" : "\r\n");
}

std::string lines(int begin, int end) {
  std::string text;
  for (int i = begin; i < end; ++i) text += line(i);
  return text;
}

class Sources : public SourceTest {
 protected:
  /// A folder with all lines, in files that end after the given line numbers.
  std::filesystem::path cut_into(const std::string& name, const std::vector<int>& ends) const {
    int begin = 0;
    for (const int end : ends) {
      write(name + "/" + std::to_string(100 + end), lines(begin, end));
      begin = end;
    }
    return folder_ / name;
  }
  std::filesystem::path file() const { return write("all.libsvm", lines(0, kLines)); }

  /// Batches read from a new pipe, while the text is written to it in pieces of 13 bytes.
  std::vector<records::RecordTable> through_pipe(const std::string& text, std::size_t max_records) {
    const std::filesystem::path pipe = folder_ / "pipe";
    EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] {
      std::ofstream out(pipe, std::ios::binary);
      for (std::size_t at = 0; at < text.size(); at += 13) out << text.substr(at, 13) << std::flush;
    });
    const auto source = open(pipe);
    EXPECT_FALSE(source->can_rewind());
    EXPECT_EQ(source->fraction_read(), std::nullopt);
    const std::vector<records::RecordTable> batches = batches_of(*source, max_records);
    writer.join();
    testdata::expect_sentence(refusal_of([&] { source->rewind(); }));
    std::filesystem::remove(pipe);
    return batches;
  }
};

TEST_F(Sources, BatchesAreTheSameHoweverTheTextIsCut) {
  const std::filesystem::path pieces = cut_into("pieces", {1, 2, 11, 12, 30, kLines});
  const std::filesystem::path halves = cut_into("halves", {20, kLines});
  for (const std::size_t size : {1, 3, 7, 10, 40, 41, 42, 1000}) {
    const std::vector<records::RecordTable> batches = batches_of(*open(file()), size);
    std::size_t left = kLines;
    for (const records::RecordTable& batch : batches) {
      EXPECT_EQ(batch.values.rows(), std::min(size, left));
      left -= batch.values.rows();
      EXPECT_EQ(batch.attributes.size(), 1 + (kLines - left - 1) / 10) << "as many as records have had up to its end";
    }
    EXPECT_EQ(left, 0u);
    EXPECT_TRUE(batches == batches_of(*open(pieces), size)) << size;
    EXPECT_TRUE(batches == batches_of(*open(halves), size)) << size;
    EXPECT_TRUE(batches == through_pipe(lines(0, kLines), size)) << size;
  }
}

TEST_F(Sources, ClassesAreNumberedInTheOrderInWhichTheyCome) {
  const auto batches = batches_of(*open(cut_into("pieces", {2, 3, kLines})), 2);
  EXPECT_THAT(batches[0].classes, ElementsAre("c0", "c1"));
  EXPECT_THAT(batches[1].classes, ElementsAre("c0", "c1", "c4"));  // records 2 and 3 have classes 4 and 9 % 5
  EXPECT_THAT(batches[1].labels, ElementsAre(2, 2));
  EXPECT_THAT(batches[2].classes, ElementsAre("c0", "c1", "c4"));
  EXPECT_THAT(batches[2].labels, ElementsAre(1, 0));
}

TEST_F(Sources, BatchesAreExactWhereAFileIsReadInPieces) {
  std::string text;
  constexpr int kMany = 70'000;
  const std::string number = "0." + std::string(60, '1');
  for (int i = 1; i <= kMany; ++i)
    text += "0 " + std::to_string(i > 65'000 ? 3 : i > 40'000 ? 2 : 1) + ":" + number + "\n";
  ASSERT_GT(text.size(), std::size_t{4} << 20);  // the size of a read
  const auto batches = batches_of(*open(write("long.libsvm", text)), 64'000);
  EXPECT_THAT(sizes_of(batches), ElementsAre(64'000u, 6'000u));
  EXPECT_THAT(batches[0].attributes, ElementsAre("1", "2"));
  EXPECT_THAT(batches[1].attributes, ElementsAre("1", "2", "3"));
}

TEST_F(Sources, RewindGivesTheSameAgain) {
  for (const auto& path : {file(), cut_into("pieces", {5, 23, kLines})}) {
    const auto source = open(path);
    ASSERT_TRUE(source->can_rewind());
    EXPECT_EQ(source->fraction_read(), 0.0);
    const auto first = batches_of(*source, 9);
    EXPECT_EQ(source->fraction_read(), 1.0);
    source->rewind();
    EXPECT_EQ(source->fraction_read(), 0.0);
    records::RecordTable part;
    ASSERT_TRUE(source->read(part, 30));
    source->rewind();  // from the middle
    EXPECT_TRUE(batches_of(*source, 9) == first);
    EXPECT_FALSE(source->read(part, 9));
    EXPECT_EQ(part.values.rows(), 0u);
  }
}

TEST_F(Sources, ALastLineWithoutItsBreakIsARecord) {
  EXPECT_THAT(sizes_of(batches_of(*open(write("a.csv", "x,class\n1,a\n2,b")), 10)), ElementsAre(2u));
  testdata::expect_sentence(refusal(write("b.csv", "x,y,class\n1,2,a\n2")));
}

TEST_F(Sources, TablesInMemoryAreBatchesToo) {
  const records::RecordTable table = batches_of(*open(file()), 1000)[0];
  const auto source = make_table_source("mine", table);
  EXPECT_EQ(source->name(), "mine");
  const auto batches = batches_of(*source, 30);
  EXPECT_THAT(sizes_of(batches), ElementsAre(30u, 11u));
  EXPECT_EQ(row(batches[1], 3), row(table, 33));
  EXPECT_EQ(batches[1].labels[3], table.labels[33]);
  EXPECT_EQ(batches[1].classes, table.classes);
  source->rewind();
  EXPECT_TRUE(batches_of(*source, 30) == batches);
}

TEST_F(Sources, WrongInputIsNamed) {
  testdata::expect_sentence(refusal(folder_ / "none"));
  testdata::expect_sentence(refusal(write("empty.csv", "")));
  records::TableOptions options;
  options.needs_class = true;
  testdata::expect_sentence(refusal(write("a.libsvm", "1 1:2\n1:3\n"), options));
  FolderOptions follow;
  follow.follow = true;
  testdata::expect_sentence(refusal(file(), {}, follow));
  records::RecordTable batch;
  testdata::expect_sentence(refusal_of([&] { open(file())->read(batch, 0); }));
}

}  // namespace
}  // namespace fernwood::stream
