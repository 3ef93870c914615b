// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <stdlib.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/full_disk.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file_stream.h"
#include "fernwood/core/text.h"
#include "sentences.h"
#include "test_folder.h"

namespace fernwood {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

class File : public testing::Test {
 protected:
  std::size_t num_files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const testdata::TestFolder temporary_;
  const fs::path& folder_ = temporary_.path();
};

std::string text_of(const fs::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  return {bytes.begin(), bytes.end()};
}

void write_text(const fs::path& path, const std::string& text) {
  write_file_atomically(path, NamedBy::kUser, [&](std::ostream& out) { out << text; });
}

TEST_F(File, ComesBackByteForByteAndReplacesTheOldOne) {
  const std::string bytes("\0\r\n\xff\x1a", 5);
  write_text(folder_ / "a", "an older and longer text");
  write_text(folder_ / "a", bytes);
  EXPECT_EQ(text_of(folder_ / "a"), bytes);
  write_text(folder_ / "a", "");
  EXPECT_EQ(text_of(folder_ / "a"), "");
  EXPECT_EQ(num_files(), 1u);  // no temporary file remains
}

TEST_F(File, OldFileStaysWhenTheWriterThrows) {
  write_text(folder_ / "a", "old");
  EXPECT_THROW(write_file_atomically(folder_ / "a", NamedBy::kUser,
                                     [](std::ostream& out) {
                                       out << "half of the new" << std::flush;
                                       throw std::invalid_argument("no");
                                     }),
               std::invalid_argument);
  EXPECT_EQ(text_of(folder_ / "a"), "old");
  EXPECT_EQ(num_files(), 1u);
}

TEST_F(File, OldFileStaysWhenTheStreamFails) {
  write_text(folder_ / "a", "old");
  EXPECT_THROW(
      write_file_atomically(folder_ / "a", NamedBy::kUser, [](std::ostream& out) { out.setstate(std::ios::badbit); }),
      Error);
  EXPECT_EQ(text_of(folder_ / "a"), "old");
  EXPECT_EQ(num_files(), 1u);
}

TEST_F(File, NobodySeesTheNewFileBeforeItIsWhole) {
  write_text(folder_ / "a", "old");
  write_file_atomically(folder_ / "a", NamedBy::kUser, [&](std::ostream& out) {
    out << "new" << std::flush;
    EXPECT_EQ(text_of(folder_ / "a"), "old");
  });
  EXPECT_EQ(text_of(folder_ / "a"), "new");
}

TEST_F(File, AFullDiskIsAResourceError) {
  const fs::path path = folder_ / "a";
  write_text(path, "old");
  for (const std::size_t size : {2000, 2000000}) {  // the error occurs on closing, and while writing
    const auto write = [&](std::ostream& out) { out << std::string(size, 'x'), errno = ENOENT; };  // of a later failure
    testdata::expect_refused(ErrorKind::kResource, [&] {
      const FullDisk disk(1000);
      write_file_atomically(path, NamedBy::kUser, write);
    });
  }
  EXPECT_EQ(text_of(path), "old");
  EXPECT_EQ(num_files(), 1u);
}

TEST_F(File, WhatAKilledProcessLeftIsTakenOver) {
  std::ofstream(folder_ / "a.part") << "half of something that was longer";
  write_text(folder_ / "a", "new");
  EXPECT_EQ(text_of(folder_ / "a"), "new");
  EXPECT_EQ(num_files(), 1u);
}

TEST_F(File, LinksInTheWayAreNotFollowed) {
  write_text(folder_ / "precious", "mine");
  const std::string in_the_way = (folder_ / "a.part").string();
  fs::create_symlink(folder_ / "precious", in_the_way);
  testdata::expect_refused(ErrorKind::kRuntime, [&] { write_text(folder_ / "a", "new"); });
  fs::remove(in_the_way);
  fs::create_hard_link(folder_ / "precious", in_the_way);
  testdata::expect_refused(ErrorKind::kRuntime, [&] { write_text(folder_ / "a", "new"); });
  fs::remove(in_the_way);
  ASSERT_EQ(::mkfifo(in_the_way.c_str(), 0666), 0);
  testdata::expect_refused(ErrorKind::kRuntime, [&] { write_text(folder_ / "a", "new"); });
  EXPECT_EQ(text_of(folder_ / "precious"), "mine");
  EXPECT_FALSE(fs::exists(folder_ / "a"));
}

TEST_F(File, PermissionsAndLinksStay) {
  write_text(folder_ / "a", "old");
  fs::permissions(folder_ / "a", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(folder_ / "a", folder_ / "link");
  write_text(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_of(folder_ / "a"), "new");
  EXPECT_EQ(fs::status(folder_ / "a").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const mode_t mask = ::umask(027);
  write_text(folder_ / "b", "new");
  ::umask(mask);
  EXPECT_EQ(static_cast<int>(fs::status(folder_ / "b").permissions()), 0640);
}

TEST_F(File, AReplacedFileKeepsItsOwnerAndGroupButRunsAsNobodyElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "files of other users are made by root alone";
  write_text(folder_ / "a", "old");
  ASSERT_EQ(::chown((folder_ / "a").c_str(), 1234, 5678), 0);
  ASSERT_EQ(::chmod((folder_ / "a").c_str(), 06755), 0);
  write_text(folder_ / "a", "new");
  struct stat about;
  ASSERT_EQ(::stat((folder_ / "a").c_str(), &about), 0);
  EXPECT_EQ(about.st_uid, 1234u);
  EXPECT_EQ(about.st_gid, 5678u);
  EXPECT_EQ(about.st_mode & 07777u, 0755u);
}

TEST_F(File, ManyMayWriteTheSameFile) {
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i)
    writers.emplace_back([this, i] {
      for (int j = 0; j < 20; ++j) write_text(folder_ / "a", std::string(10000, static_cast<char>('a' + i)));
    });
  for (std::thread& writer : writers) writer.join();
  const std::string text = text_of(folder_ / "a");
  EXPECT_EQ(text, std::string(10000, text[0]));
  EXPECT_EQ(num_files(), 1u);
}

TEST_F(File, MissingFilesAndFoldersAreNamed) {
  const fs::path missing = folder_ / "missing";
  testdata::expect_refused(ErrorKind::kRuntime, [&] { read_file(missing); });
  testdata::expect_refused(ErrorKind::kRuntime, [&] { read_file(folder_); });
  testdata::expect_refused(ErrorKind::kRuntime, [&] { write_text(missing / "a", "x"); });
}

TEST_F(File, WhatTheSystemRefusesHasItsPathAndNumber) {
  const auto number_of = [](const fs::path& path, const std::function<void()>& action) {
    try {
      action();
    } catch (const FileError& error) {
      return error.path() == path ? error.error_number() : 0;
    }
    return 0;
  };
  const fs::path missing = folder_ / "missing";
  write_text(folder_ / "a", "a file");
  EXPECT_EQ(number_of(missing, [&] { read_file(missing); }), ENOENT);
  EXPECT_EQ(number_of(folder_, [&] { read_file(folder_); }), EISDIR);
  EXPECT_EQ(number_of(missing / "a", [&] { write_text(missing / "a", "x"); }), ENOENT);
  EXPECT_EQ(number_of(missing / "a", [&] { check_writable(missing / "a", NamedBy::kUser); }), ENOENT);
  EXPECT_EQ(number_of(folder_, [&] { check_writable(folder_, NamedBy::kUser); }), EISDIR);
  EXPECT_EQ(number_of(folder_ / "a" / "b", [&] { make_folder(folder_ / "a" / "b"); }), ENOTDIR);
}

TEST_F(File, PipesAreRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0666), 0);
  testdata::expect_refused(ErrorKind::kRuntime, [&] { read_file(folder_ / "pipe"); });
}

TEST_F(File, WhatIsNoRegularFileIsNotReplaced) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0666), 0);
  sockaddr_un address{AF_UNIX, {}};
  fs::current_path(folder_);  // the path of a socket is limited in length
  std::strcpy(address.sun_path, "socket");
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  fs::create_symlink("/dev/null", folder_ / "link");
  std::vector<fs::path> places = {folder_ / "pipe", folder_ / "socket", folder_ / "link", "/dev/null", "/dev/full"};
  const bool may_make_devices = ::mknod((folder_ / "full").c_str(), S_IFCHR | 0666, makedev(1, 7)) == 0;
  if (may_make_devices) places.push_back(folder_ / "full");
  for (const fs::path& place : places) {
    const fs::file_type type = fs::status(place).type();
    for (const auto& attempt : {+[](const fs::path& path) { write_text(path, "x"); },
                                +[](const fs::path& path) { check_writable(path, NamedBy::kUser); }})
      testdata::expect_refused(ErrorKind::kRuntime, [&] { attempt(place); });
    if (!fs::is_symlink(place)) {
      testdata::expect_refused(ErrorKind::kRuntime, [&] { check_writable(place, NamedBy::kFernwood); });
    }
    EXPECT_EQ(fs::status(place).type(), type) << place;
    EXPECT_FALSE(fs::exists(place.string() + ".part")) << place;
  }
  ::close(socket);
  fs::current_path(testing::TempDir());
}

TEST_F(File, ALinkIsFollowedWhereTheUserNamedItAndReplacedWhereFernwoodDid) {
  const auto written = [&](NamedBy named_by) {
    write_text(folder_ / "victim", "of value");
    fs::remove(folder_ / "named");
    fs::create_symlink(folder_ / "victim", folder_ / "named");
    write_file_atomically(
        folder_ / "named", named_by, [](std::ostream& out) { out << "new"; }, Durability::kProcess);
    return std::pair{read_text(folder_ / "victim"), fs::is_symlink(folder_ / "named")};
  };
  EXPECT_EQ(written(NamedBy::kUser), std::pair("new"s, true));
  EXPECT_EQ(written(NamedBy::kFernwood), std::pair("of value"s, false));
  fs::remove(folder_ / "victim");  // now the link is dangling
  fs::create_symlink(folder_ / "victim", folder_ / "other");
  write_file_atomically(
      folder_ / "other", NamedBy::kFernwood, [](std::ostream& out) { out << "new"; }, Durability::kProcess);
  EXPECT_FALSE(fs::exists(folder_ / "victim"));
}

TEST_F(File, TryingANameOfFernwoodsOutLeavesWhatALinkLeadsToAlone) {
  write_text(folder_ / "victim", "of value");
  write_text(folder_ / "victim.part", "of value, too");
  fs::create_symlink(folder_ / "victim", folder_ / "named");
  check_writable(folder_ / "named", NamedBy::kFernwood);
  EXPECT_EQ(read_text(folder_ / "victim.part"), "of value, too");
  EXPECT_TRUE(fs::is_symlink(folder_ / "named"));
}

TEST_F(File, FoldersWithinOneThatWasNamedAreNoLinks) {
  fs::create_directory(folder_ / "real");
  fs::create_directory_symlink(folder_ / "real", folder_ / "out");  // the user chose this link as the output folder
  make_folder_within(folder_ / "out", "a/b");
  make_folder_within(folder_ / "out", "a/b");
  EXPECT_TRUE(fs::is_directory(folder_ / "real" / "a" / "b"));
  fs::create_directory(folder_ / "victim");
  fs::create_directory_symlink(folder_ / "victim", folder_ / "out" / "led");
  fs::create_directory_symlink(folder_ / "gone", folder_ / "out" / "a" / "led");
  for (const char* below : {"led", "led/c", "a/led", "a/led/c"})
    testdata::expect_refused(ErrorKind::kRuntime, [&] { make_folder_within(folder_ / "out", below); });
  EXPECT_TRUE(fs::is_empty(folder_ / "victim"));
  EXPECT_FALSE(fs::exists(folder_ / "gone"));
}

TEST_F(File, ALinkOfSomebodyElseInASharedFolderIsNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "links of other users are made by root alone";
  constexpr uid_t kOther = 4711, kThird = 4712;
  fs::create_directory(folder_ / "shared");
  const auto write_through = [&](uid_t link_owner, uid_t folder_owner, mode_t mode) {
    const fs::path shared = folder_ / "shared";
    write_text(folder_ / "victim", "of value");
    fs::remove(shared / "link");
    fs::create_symlink(folder_ / "victim", shared / "link");
    EXPECT_EQ(::lchown((shared / "link").c_str(), link_owner, 0), 0);
    EXPECT_EQ(::chown(shared.c_str(), folder_owner, 0), 0);
    EXPECT_EQ(::chmod(shared.c_str(), mode), 0);
    write_text(shared / "link", "new");
  };
  for (const mode_t mode : {01777, 01757})
    testdata::expect_refused(ErrorKind::kRuntime, [&] { write_through(kOther, kThird, mode); });
  EXPECT_EQ(read_text(folder_ / "victim"), "of value");
  fs::create_symlink(folder_ / "shared" / "link", folder_ / "around");
  testdata::expect_refused(ErrorKind::kRuntime, [&] { write_text(folder_ / "around", "new"); });
  // Links that Linux follows: our own, those of the folder's owner, and any in folders that are not shared.
  for (const auto& [link, shared, mode] :
       {std::tuple(uid_t{0}, kThird, 01777), std::tuple(kOther, kOther, 01777), std::tuple(kOther, kThird, 0755)}) {
    write_through(link, shared, static_cast<mode_t>(mode));
    EXPECT_EQ(read_text(folder_ / "victim"), "new");
    EXPECT_TRUE(fs::is_symlink(folder_ / "shared" / "link"));
  }
}

TEST_F(File, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0666), 0);
  EXPECT_FALSE(InputFile(folder_ / "pipe"));
  EXPECT_FALSE(OutputFile(folder_ / "pipe"));
}

TEST_F(File, StreamsOfPiecesLargerThanTheirBufferSeekAnywhere) {
  std::string text;
  for (int i = 0; text.size() < 100'000; ++i) text += std::to_string(i) + "\n";
  {
    OutputFile out(folder_ / "a");
    out << text.substr(0, 50'001) << std::flush << text.substr(50'001);
  }
  ASSERT_EQ(text_of(folder_ / "a"), text);
  InputFile in(folder_ / "a");
  std::string piece(40'000, ' ');
  for (const std::size_t place : {0u, 99'990u, 17u, 60'000u}) {
    const std::size_t size = std::min(piece.size(), text.size() - place);
    in.seekg(static_cast<std::streamoff>(place));
    ASSERT_TRUE(in.read(piece.data(), static_cast<std::streamsize>(size)));
    EXPECT_EQ(piece.substr(0, size), text.substr(place, size));
    EXPECT_EQ(static_cast<std::size_t>(in.tellg()), place + size);
  }
  in.seekg(-10, std::ios::end);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text.substr(text.size() - 10));
}

TEST_F(File, AStreamIsBadWhereTheSystemRefuses) {
  InputFile folder(folder_);  // a folder can be opened, but not read
  EXPECT_EQ(folder.get(), std::char_traits<char>::eof());
  EXPECT_TRUE(folder.bad());
  const FullDisk disk(70'000);
  OutputFile out(folder_ / "a");
  out << std::string(100'000, 'a') << std::flush;
  EXPECT_FALSE(out);
  EXPECT_EQ(errno, EFBIG);
}

TEST_F(File, WhatWasWrittenBeforeAFailureIsNotWrittenTwice) {
  std::string text;
  for (int i = 0; text.size() < 10'000; ++i) text += std::to_string(i) + "\n";
  {
    OutputFile out(folder_ / "a");
    out << text;
    {
      const FullDisk disk(7'000);
      EXPECT_FALSE(out << std::flush);
    }
    out.clear();
    out << std::flush;
  }
  EXPECT_EQ(text_of(folder_ / "a"), text);
}

TEST_F(File, CheckWritableTellsBeforeWorkStarts) {
  const fs::path missing = folder_ / "missing";
  testdata::expect_refused(ErrorKind::kRuntime, [&] { check_writable(missing / "a", NamedBy::kUser); });
  testdata::expect_refused(ErrorKind::kRuntime, [&] { check_writable(folder_, NamedBy::kUser); });
  testdata::expect_refused(ErrorKind::kUsage, [] { check_writable("", NamedBy::kUser); });
  EXPECT_NO_THROW(check_writable(folder_ / "a", NamedBy::kUser));
  EXPECT_EQ(num_files(), 0u);  // the check leaves no file behind
  write_text(folder_ / "a", "old");
  EXPECT_NO_THROW(check_writable(folder_ / "a", NamedBy::kUser));
  EXPECT_EQ(text_of(folder_ / "a"), "old");
}

TEST_F(File, CheckWritableBearsWhatADeadRunLeft) {
  std::ofstream((folder_ / "a").string() + ".part") << "half";
  EXPECT_NO_THROW(check_writable(folder_ / "a", NamedBy::kUser));
}

TEST_F(File, CheckWritableRefusesAFolderWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THROW(check_writable(folder_ / "a", NamedBy::kUser), Error);
  fs::permissions(folder_, fs::perms::owner_all);
}

TEST(Checksum, IsXxh3) {
  EXPECT_EQ(to_hex(checksum("", 0)), "2d06800538d394c2");  // published XXH3 hash of empty input
  EXPECT_NE(checksum("ab", 2), checksum("ba", 2));
  EXPECT_EQ(to_hex(0xabc), "0000000000000abc");
}

TEST(FullPath, EndsInTheNameOfTheFolder) {
  EXPECT_EQ(full_path("/rooms/train/"), "/rooms/train");
  EXPECT_EQ(full_path("/rooms/train/."), "/rooms/train");
  EXPECT_EQ(full_path("train/"), fs::current_path() / "train");
  EXPECT_EQ(full_path("."), fs::current_path());
}

TEST_F(File, NamesWithTheByteZeroAreRefused) {
  const std::filesystem::path name(std::string("/tmp/fernwood_cut\0.txt", 22));
  EXPECT_THROW(read_file(name), Error);
  EXPECT_THROW(write_file_atomically(name, NamedBy::kUser, [](std::ostream& out) { out << "x"; }), Error);
  EXPECT_FALSE(std::filesystem::exists("/tmp/fernwood_cut"));
}

TEST(ScratchFolder, AFolderThatIsGoneIsNamedWithItsVariable) {
  const char* const before = ::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  ::setenv("TMPDIR", "/nonexistent/gone", 1);
  testdata::expect_refused(ErrorKind::kRuntime, [] { ScratchFolder(); });
  ::setenv("TMPDIR", "", 1);
  EXPECT_EQ(ScratchFolder().path().parent_path(), "/tmp");
  before ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace fernwood
