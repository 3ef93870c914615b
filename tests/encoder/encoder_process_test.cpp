// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "fernwood/core/error.h"
#include "fernwood/encoder/encoder.h"
#include "sentences.h"
#include "test_folder.h"

namespace fernwood::encoder {
namespace {

/// A program in place of a Python interpreter with the package, which speaks as these lines say.
std::string program_of(const testdata::TestFolder& folder, const std::string& lines) {
  folder.write(
      "python",
      "#!/usr/bin/env python3\nimport json, struct, sys\n"
      "def answer(kind, content, sizes=None, protocol=0x31455746):\n"
      "    sys.stdout.buffer.write(struct.pack('<5I', protocol, kind, *(sizes or (len(content), 0, 0))))\n"
      "    sys.stdout.buffer.write(content)\n"
      "    sys.stdout.buffer.flush()\n"
      "facts = json.dumps({'name': 'fake', 'checksum': '0123', 'options': json.loads(sys.argv[3])}).encode()\n" +
          lines);
  std::filesystem::permissions(folder / "python", std::filesystem::perms::owner_all);
  return (folder / "python").string();
}

/// Answers with two maps of one row: the red of the first pixels, and their number.
constexpr const char* kReds =
    "answer(0, facts)\n"
    "while header := sys.stdin.buffer.read(8):\n"
    "    rows, cols = struct.unpack('<2I', header)\n"
    "    pixels = sys.stdin.buffer.read(3 * rows * cols)\n"
    "    reds = [float(red) for red in pixels[0:3 * cols:3]]\n"
    "    answer(1, struct.pack(f'<{2 * cols}f', *reds, *[rows * cols / 3] * cols), (2, 1, cols))\n";

image::Frame frame_of(std::uint8_t red) {
  image::Frame frame;
  frame.color = Array2<image::Rgb>(2, 3, {red, 1, 2});
  frame.color(0, 1).r = 250;
  return frame;
}

TEST(EncoderProcess, FramesGoThereAndMapsComeBackInHalfPrecision) {
  const testdata::TestFolder folder;
  const auto encoder = start_encoder(R"({"encoder": "a.onnx"})", program_of(folder, kReds));
  EXPECT_EQ(encoder->info(), (EncoderInfo{"fake", "0123", R"({"encoder":"a.onnx"})"}));
  for (const std::uint8_t red : {7, 9}) {
    const image::SuppliedMaps maps = encoder->encode(frame_of(red));
    const auto first = static_cast<float>(red);
    EXPECT_EQ(maps, (image::SuppliedMaps{2, 1, 3, {first, 250, first, 2, 2, 2}}));
  }
}

TEST(EncoderProcess, WhatItFailsWithIsTheError) {
  const testdata::TestFolder folder;
  const std::string fails = program_of(folder, "answer(2, b'a.onnx cannot be read; choose another file')\n");
  testdata::expect_refused(ErrorKind::kData, [&] { start_encoder("{}", fails); });
  const std::string later = program_of(
      folder, "answer(0, facts)\nsys.stdin.buffer.read(8 + 18)\nanswer(2, b'a.onnx: fails; use another size')\n");
  const auto encoder = start_encoder("{}", later);
  testdata::expect_refused(ErrorKind::kData, [&] { encoder->encode(frame_of(1)); });
  testdata::expect_refused(ErrorKind::kData, [&] { encoder->encode({}); });
}

TEST(EncoderProcess, AnotherProtocolOrNoAnswerNamesTheRemedy) {
  const testdata::TestFolder folder;
  testdata::expect_refused(ErrorKind::kRuntime, [&] { start_encoder("{}", "/nowhere/python"); });
  for (const char* lines : {"", "answer(0, facts, protocol=7)\n", "answer(1, facts)\n", "answer(0, b'{}')\n",
                            "answer(0, facts[1:])\n", "answer(0, facts, (1 << 31, 0, 0))\n"})
    testdata::expect_refused(ErrorKind::kRuntime, [&] { start_encoder("{}", program_of(folder, lines)); });
  const auto encoder = start_encoder(
      "{}", program_of(folder, "answer(0, facts)\nsys.stdin.buffer.read(8 + 18)\nanswer(1, b'', (1 << 31,) * 3)\n"));
  testdata::expect_refused(ErrorKind::kRuntime, [&] { encoder->encode(frame_of(1)); });
}

TEST(EncoderProcess, MapsFinerThanTheFrameAreRefused) {
  const testdata::TestFolder folder;
  const auto encoder = start_encoder(
      "{}",
      program_of(folder, "answer(0, facts)\nsys.stdin.buffer.read(8 + 18)\nanswer(1, bytes(4 * 8), (1, 2, 4))\n"));
  testdata::expect_refused(ErrorKind::kData, [&] { encoder->encode(frame_of(1)); });
}

}  // namespace
}  // namespace fernwood::encoder
