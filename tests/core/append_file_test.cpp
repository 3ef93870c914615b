// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/append_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/full_disk.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/file_stream.h"
#include "sentences.h"
#include "test_folder.h"

namespace fernwood {
namespace {

namespace fs = std::filesystem;

class AppendFileTest : public testing::Test {
 protected:
  platform::OpenFile opened() const { return {path(), platform::OpenFile::For::kAppend}; }
  fs::path path() const { return folder_ / "journal"; }

  const testdata::TestFolder folder_;
};

void expect_refused(AppendFile& file) {
  testdata::expect_refused(ErrorKind::kRuntime, [&] { file.append("lost\n"); });
}

TEST_F(AppendFileTest, GrowsByWhatIsAppended) {
  AppendFile file(path(), opened());
  file.append("one\n");
  file.append("two\n");
  EXPECT_EQ(read_text(path()), "one\ntwo\n");
}

TEST_F(AppendFileTest, ReadsTheFileThatIsOpenWhateverHasItsName) {
  AppendFile file(path(), opened());
  file.append("one\n");
  file.append("two\n");
  write_file_atomically(path(), NamedBy::kUser, [](std::ostream& out) { out << "another\n"; });
  EXPECT_EQ(file.read(), "one\ntwo\n");
  EXPECT_EQ(file.read(4), "two\n");
  EXPECT_EQ(file.read(8), "");
  EXPECT_EQ(file.size_bytes(), 8u);
}

TEST_F(AppendFileTest, KeepsWhatItCutsOff) {
  AppendFile file(path(), opened());
  file.append("one\ntw");
  file.cut_off(4);
  EXPECT_EQ(read_text(path()), "one\n");
  file.append("thre");
  file.cut_off(4);
  file.append("four\n");
  EXPECT_EQ(read_text(path()), "one\nfour\n");
  EXPECT_EQ(read_text(torn_path(path())), "tw\nthre\n");
}

TEST_F(AppendFileTest, ThatWasMovedTakesNothing) {
  AppendFile file(path(), opened());
  file.append("one\n");
  fs::rename(path(), folder_ / "moved");
  expect_refused(file);
  EXPECT_EQ(read_text(folder_ / "moved"), "one\n");
  EXPECT_FALSE(fs::exists(path()));
  fs::rename(folder_ / "moved", path());
  file.append("two\n");
  EXPECT_EQ(read_text(path()), "one\ntwo\n");
}

TEST_F(AppendFileTest, ThatWasRemovedTakesNothing) {
  AppendFile file(path(), opened());
  fs::remove_all(folder_.path());
  expect_refused(file);
}

TEST_F(AppendFileTest, ThatWasReplacedTakesNothing) {
  AppendFile file(path(), opened());
  file.append("one\n");
  // An editor saves by replacing the file; later, a link to /dev/null takes the place of the file.
  write_file_atomically(path(), NamedBy::kUser, [](std::ostream& out) { out << "edited\n"; });
  expect_refused(file);
  EXPECT_EQ(read_text(path()), "edited\n");
  fs::remove(path());
  fs::create_symlink("/dev/null", path());
  expect_refused(file);
}

TEST_F(AppendFileTest, ThatWasOverwrittenInPlaceTakesNothing) {
  AppendFile file(path(), opened());
  file.append("one\n");
  file.append("two\n");
  for (const std::string content : {"", "one\n", "one\ntwo\nthree\n"}) {
    OutputFile(path()) << content;  // as `: >` and `cp` do
    expect_refused(file);
    EXPECT_EQ(read_text(path()), content);
  }
  OutputFile(path()) << "one\ntwo\n";
  file.append("three\n");
  EXPECT_EQ(read_text(path()), "one\ntwo\nthree\n");
}

TEST_F(AppendFileTest, IsFoundWhereverTheProgramGoes) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  AppendFile file("journal", opened());
  fs::current_path("/");
  file.append("one\n");
  fs::current_path(before);
  EXPECT_EQ(read_text(path()), "one\n");
}

TEST_F(AppendFileTest, OnAFullDiskHasWhatItHad) {
  AppendFile file(path(), opened());
  file.append("one\n");
  testdata::expect_refused(ErrorKind::kResource, [&] {
    const FullDisk disk(6);
    file.append("lost\n");
  });
  EXPECT_EQ(read_text(path()), "one\n");
  file.append("two\n");
  EXPECT_EQ(read_text(path()), "one\ntwo\n");
}

}  // namespace
}  // namespace fernwood
