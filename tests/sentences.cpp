// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "sentences.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <vector>

namespace fernwood::testdata {
namespace {

using Sentences = std::map<std::string, std::vector<std::string>>;  // by test

// "Suite.Test" at the beginning of a line, then its sentences, each indented by two spaces; further lines of one after
// "  | ".
Sentences read_snapshot() {
  Sentences sentences;
  std::ifstream file(FERNWOOD_SENTENCES);
  std::string test;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("  | ", 0) == 0)
      sentences[test].back() += '\n' + line.substr(4);
    else if (line.rfind("  ", 0) == 0)
      sentences[test].push_back(line.substr(2));
    else
      test = line;
  }
  return sentences;
}

void replace_all(std::string& text, const std::string& part, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size())
    text.replace(at, part.size(), by);
}

// Without what differs between machines and runs.
std::string plain(std::string text) {
  std::string folders = testing::TempDir();
  while (folders.size() > 1 && folders.back() == '/') folders.pop_back();
  folders += '/';
  for (std::size_t at = 0; (at = text.find(folders, at)) != std::string::npos; at += 6) {
    const std::size_t end = text.find_first_of("/:;, \"'\n", at + folders.size());
    text.replace(at, (end == std::string::npos ? text.size() : end) - at, "FOLDER");
  }
  replace_all(text, FERNWOOD_SOURCE_DIR, "SOURCE");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

void expect_sentence(const std::string& sentence) {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::string(test.test_suite_name()) + "." + test.name(), said = plain(sentence);
  if (std::getenv("FERNWOOD_REWRITE_SENTENCES")) {
    std::string path = FERNWOOD_SENTENCES, written = said;
    path.replace(path.size() - 3, 3, "new");  // sentences.txt: sentences.new
    replace_all(written, "\n", "\n  | ");
    // In one write, because tests run beside each other.
    std::ofstream(path, std::ios::app) << name + "\n  " + written + "\n" << std::flush;
    return;
  }
  static const Sentences snapshot = read_snapshot();
  // By test: its start, and the index of its next sentence.
  static std::map<std::string, std::pair<testing::TimeInMillis, std::size_t>> places;
  auto& [start, next] = places[name];
  if (start != test.result()->start_timestamp())
    start = test.result()->start_timestamp(), next = 0;  // another run of the test
  const auto expected = snapshot.find(name);
  const std::size_t index = next++;
  if (expected == snapshot.end() || index >= expected->second.size())
    ADD_FAILURE() << said << "\nis not in " FERNWOOD_SENTENCES "; scripts/sentences adds it";
  else
    EXPECT_EQ(said, expected->second[index]) << "scripts/sentences rewrites " FERNWOOD_SENTENCES;
}

void expect_refused(ErrorKind kind, const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    expect_sentence(error.what());
    return;
  }
  ADD_FAILURE() << "nothing was refused";
}

}  // namespace fernwood::testdata
