// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <atomic>
#include <cmath>

#include "sentences.h"
#include "stream/source_folder.h"

namespace fernwood::stream {
namespace {

using testing::ElementsAre;

class FolderSourceTest : public SourceTest {
 protected:
  /// The first attribute of each record.
  std::vector<float> values(const records::TableOptions& options = {}, const FolderOptions& folder_options = {}) {
    const auto source = open(folder_, options, folder_options);
    std::vector<float> found;
    for (const records::RecordTable& batch : batches_of(*source, 2))
      for (std::size_t i = 0; i < batch.values.rows(); ++i) found.push_back(batch.values(i, 0));
    return found;
  }
  static FolderOptions following() {
    FolderOptions options;
    options.follow = true;
    options.poll_ms = 5;
    return options;
  }
  /// Moves a complete file into the folder, as producers should.
  void move_in(const std::string& name, const std::string& text) const {
    std::filesystem::rename(write(name + ".part", text), folder_ / name);
  }
};

TEST_F(FolderSourceTest, FilesAreReadInOrderOfTheBytesOfTheirNames) {
  write("b", "0 1:4\n");
  write("a9", "0 1:3\n");
  write("a10", "0 1:2\n");
  write("\xC3\xA4", "0 1:5\n");
  write("Z", "0 1:1\n");
  EXPECT_THAT(values(), ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(FolderSourceTest, WhatIsNotCompleteOrHasNoRecordsIsPassedOver) {
  for (const char* name : {".hidden", "a.part", "a.tmp", "a.lock", "end", "within/a"}) write(name, "no records\n");
  write("b", "");
  write("c.svm", "# nothing today\n\n");
  testdata::expect_sentence(refusal(folder_));
  write("d", "0 1:7\n");
  write("part12", "0 1:8\n");
  write("x.part1", "0 1:9\n");  // such as those of a table in parts
  write("x.part1y", "0 1:10\n");
  EXPECT_THAT(values(), ElementsAre(7, 8, 9, 10));
}

TEST_F(FolderSourceTest, ClassesOfFilesAreOneNumbering) {
  write("a", "1 1:1\n2 1:2\n");
  write("b", "3 1:3\n2.0 1:4\n+1 1:5\n1:6\n");
  const auto batches = batches_of(*open(folder_), 4);
  EXPECT_THAT(batches[1].classes, ElementsAre("1", "2", "3"));
  EXPECT_THAT(batches[0].labels, ElementsAre(0, 1, 2, 1));
  EXPECT_THAT(batches[1].labels, ElementsAre(0, records::kNoClass));
  records::TableOptions known;
  known.classes = {"3", "2", "1"};
  EXPECT_THAT(batches_of(*open(folder_, known), 4)[0].labels, ElementsAre(2, 1, 0, 1));
  known.classes = {"1", "2"};
  testdata::expect_sentence(refusal(folder_, known));
}

TEST_F(FolderSourceTest, AttributesOfLibsvmFilesMayGrowAndLackLater) {
  write("a", "0 1:1\n");
  write("b", "0 3:2\n");
  write("c", "0 1:3\n");
  records::TableOptions options;
  options.absent_is_unknown = true;
  const auto batches = batches_of(*open(folder_, options), 1);
  EXPECT_THAT(row(batches[0], 0), ElementsAre(1));
  EXPECT_THAT(row(batches[1], 0), ElementsAre(testing::IsNan(), testing::IsNan(), 2));
  EXPECT_THAT(row(batches[2], 0), ElementsAre(3, testing::IsNan(), testing::IsNan()));
}

TEST_F(FolderSourceTest, FilesWithOtherColumnsAreRefused) {
  write("a.csv", "x,y,class\n1,2,p\n");
  write("b.csv", "x,y,class\n3,4,q\n");
  EXPECT_THAT(values(), ElementsAre(1, 3));
  write("c.csv", "x,z,class\n3,4,q\n");
  testdata::expect_sentence(refusal(folder_));
  write("c.csv", "x,y,z,class\n3,4,5,q\n");
  testdata::expect_sentence(refusal(folder_));
  write("c.csv", "3,4,q\n");  // has no header
  testdata::expect_sentence(refusal(folder_));
  write("c.csv", "q 1:3 2:4\n");  // all files must have the format of the first one
  testdata::expect_sentence(refusal(folder_));
}

TEST_F(FolderSourceTest, AFollowedFolderIsWaitedForUntilItsEnd) {
  write("1", "0 1:1\n0 1:2\n0 1:3\n");
  // Called whenever nothing new is found, before and during the wait.
  std::atomic<int> asked = 0, next = 2;
  FolderOptions options = following();
  options.should_stop = [&] {
    if (++asked % 5 != 0) return false;
    const int i = next++;
    if (i <= 4)
      move_in(std::to_string(i), "0 1:" + std::to_string(10 * i) + "\n0 " + std::to_string(i) + ":1\n");
    else
      write("end", "");
    return false;
  };
  const auto source = open(folder_, {}, options);
  EXPECT_EQ(source->fraction_read(), std::nullopt);
  const auto batches = batches_of(*source, 2);
  EXPECT_THAT(sizes_of(batches), ElementsAre(2, 2, 2, 2, 1));
  EXPECT_TRUE(batches == batches_of(*open(folder_), 2)) << "as without waiting";
  source->rewind();
  EXPECT_TRUE(batches == batches_of(*source, 2));
}

TEST_F(FolderSourceTest, AFileThatComesTooLateIsRefused) {
  write("5", "0 1:5\n");
  const auto source = open(folder_, {}, following());
  records::RecordTable batch;
  ASSERT_TRUE(source->read(batch, 1));
  move_in("4", "0 1:4\n");
  testdata::expect_sentence(refusal_of([&] { source->read(batch, 1); }));
}

TEST_F(FolderSourceTest, AWishToStopEndsTheStreamBehindTheRecordsThatCame) {
  write("1", "0 1:1\n0 1:2\n0 1:3\n");
  std::atomic<int> asked = 0;
  FolderOptions options = following();
  options.should_stop = [&] { return ++asked > 3; };  // ends the wait
  const auto source = open(folder_, {}, options);
  records::RecordTable batch;
  ASSERT_TRUE(source->read(batch, 2));
  ASSERT_TRUE(source->read(batch, 2));
  EXPECT_THAT(row(batch, 0), ElementsAre(3));
  EXPECT_EQ(batch.values.rows(), 1u);
  EXPECT_FALSE(source->read(batch, 2));
  options.should_stop = [] { return true; };
  std::filesystem::remove(folder_ / "1");
  EXPECT_FALSE(open(folder_, {}, options)->read(batch, 2)) << "no complaint that there were no records";
}

TEST_F(FolderSourceTest, AFolderWithoutRecordsIsRefusedAtItsEnd) {
  write("end", "");
  testdata::expect_sentence(refusal(folder_, {}, following()));
  FolderOptions wrong;
  wrong.poll_ms = 0;
  testdata::expect_sentence(refusal(folder_, {}, wrong));
}

}  // namespace
}  // namespace fernwood::stream
