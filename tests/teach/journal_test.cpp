// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "dataset/test_files.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "sentences.h"

namespace fernwood::teach {
namespace {

std::vector<std::string> texts_of(const std::filesystem::path& path, std::size_t* torn_bytes = nullptr) {
  std::vector<std::string> texts;
  const Journal journal(path, "a title 1", [&](const std::string& text, std::size_t) { texts.push_back(text); });
  if (torn_bytes) *torn_bytes = journal.torn_bytes();
  return texts;
}

void append(const std::filesystem::path& path, const std::vector<std::string>& texts) {
  Journal journal(path, "a title 1", [](const std::string&, std::size_t) {});
  for (const std::string& text : texts) journal.append(text);
  EXPECT_EQ(journal.size_bytes(), std::filesystem::file_size(path));
}

std::string refused(const std::filesystem::path& path, ErrorKind kind = ErrorKind::kData) {
  try {
    texts_of(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "";
}

/// During its lifetime, files of this process cannot exceed this size, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uintmax_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit = {static_cast<rlim_t>(bytes), old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit old_;
};

TEST(Journal, WhatWasAppendedIsThereAgain) {
  const dataset::TestFolder folder;
  append(folder / "a", {"one", "", "three and more"});
  append(folder / "a", {"four"});
  EXPECT_EQ(texts_of(folder / "a"), (std::vector<std::string>{"one", "", "three and more", "four"}));
}

TEST(Journal, ATornEndIsCutOffWhereverItIsTorn) {
  const dataset::TestFolder folder;
  append(folder / "a", {"one", "two", "three"});
  const std::string whole = read_text(folder / "a");
  append(folder / "b", {"one", "two"});
  const std::size_t two_bytes = read_text(folder / "b").size();
  for (std::size_t size = two_bytes; size < whole.size(); ++size) {
    const std::filesystem::path torn = folder.write("torn", whole.substr(0, size));
    std::size_t torn_bytes = 0;
    EXPECT_EQ(texts_of(torn, &torn_bytes), (std::vector<std::string>{"one", "two"})) << size;
    EXPECT_EQ(torn_bytes, size - two_bytes);
    const std::string kept = torn_bytes > 0 ? read_text(torn_path(torn)) : "\n";
    EXPECT_TRUE(kept.ends_with(whole.substr(two_bytes, torn_bytes) + "\n")) << size;
    append(torn, {"four"});
    EXPECT_EQ(texts_of(torn), (std::vector<std::string>{"one", "two", "four"})) << size;
  }
}

TEST(Journal, ALastLineOfWhichABlockIsMissingIsCutOff) {
  const dataset::TestFolder folder;
  append(folder / "a", {"one", "two"});
  std::string content = read_text(folder / "a");
  content[content.size() - 3] = '\0';
  EXPECT_EQ(texts_of(folder.write("b", content)), (std::vector<std::string>{"one"}));
}

TEST(Journal, AFileMadeAMomentBeforeTheEndIsBegunAnew) {
  const dataset::TestFolder folder;
  for (const std::string begin : {"", "a ti"}) {
    const std::filesystem::path path = folder.write("a", begin);
    EXPECT_TRUE(texts_of(path).empty());
    append(path, {"one"});
    EXPECT_EQ(texts_of(path), std::vector<std::string>{"one"});
  }
}

TEST(Journal, DamageIsToldWithItsLine) {
  const dataset::TestFolder folder;
  append(folder / "a", {"one", "two", "three"});
  const std::string content = read_text(folder / "a");
  std::string changed = content;
  changed[content.find("two")] = 'T';
  testdata::expect_sentence(refused(folder.write("changed", changed)));
  const std::size_t second = content.find('\n') + 1, third = content.find('\n', second) + 1;
  testdata::expect_sentence(refused(folder.write("missing", content.substr(0, second) + content.substr(third))));
  testdata::expect_sentence(refused(folder.write("other", std::string("a title 2\n"))));
  testdata::expect_sentence(refused(folder.write("text", std::string("hello"))));
  testdata::expect_sentence(refused(folder / "none" / "file", ErrorKind::kRuntime));
}

TEST(Journal, OneHasItAtATime) {
  const dataset::TestFolder folder;
  const Journal first(folder / "a", "a title 1", [](const std::string&, std::size_t) {});
  testdata::expect_sentence(refused(folder / "a", ErrorKind::kUsage));
}

TEST(Journal, ThatWasRemovedOrReplacedAcknowledgesNothing) {
  const dataset::TestFolder folder;
  Journal journal(folder / "a", "a title 1", [](const std::string&, std::size_t) {});
  journal.append("one");
  std::filesystem::rename(folder / "a", folder / "b");
  EXPECT_THROW(journal.append("two"), Error);
  EXPECT_THROW(journal.check_named(), Error);
  folder.write("a", std::string("a title 1\n"));
  EXPECT_THROW(journal.append("two"), Error);
  EXPECT_THROW(journal.check_named(), Error);
  std::filesystem::rename(folder / "b", folder / "a");
  EXPECT_NO_THROW(journal.check_named());
  journal.append("three");
  EXPECT_EQ(journal.size_bytes(), std::filesystem::file_size(folder / "a"));
}

TEST(Journal, AFullDiskLeavesWhatWasThere) {
  const dataset::TestFolder folder;
  append(folder / "a", {"one"});
  const auto size = std::filesystem::file_size(folder / "a");
  {
    Journal journal(folder / "a", "a title 1", [](const std::string&, std::size_t) {});
    const FileSizeLimit limit(size + 5);
    try {
      journal.append("something that is too long");
      ADD_FAILURE() << "written";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kResource) << error.what();
    }
    EXPECT_EQ(std::filesystem::file_size(folder / "a"), size);
  }
  append(folder / "a", {"two"});
  EXPECT_EQ(texts_of(folder / "a"), (std::vector<std::string>{"one", "two"}));
}

}  // namespace
}  // namespace fernwood::teach
