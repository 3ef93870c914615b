// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "backbone/import/state_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backbone/import/state_files.h"
#include "fernwood/core/error.h"
#include "fernwood/core/platform.h"

namespace fernwood::backbone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const ErrorContext kStatePlace = {"w.pth", "; get it again", "the file", ErrorKind::kData};

const std::vector<SavedTensor> kTensors = {{"weight", {2, 3}, {3, 1}, {1, 2, 3, 4, 5, 6}},
                                           {"transposed", {3, 2}, {1, 3}, {1, 2, 3, 4, 5, 6}},
                                           {"part", {2}, {1}, {7, 8, 9, 10}, 2},
                                           {"scalar", {}, {}, {11}},
                                           {"empty", {0, 4}, {4, 1}, {}}};

std::string refusal_of_state(const StateBytes& bytes) {
  try {
    read_state(bytes, kStatePlace);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData) << error.what();
    EXPECT_THAT(error.what(), testing::StartsWith("w.pth: "));
    return error.what();
  }
  return "";
}

TEST(StateFile, GivesTheTensorsOfBothFormats) {
  for (const StateBytes& bytes : {legacy_file(kTensors), archive_file(kTensors)}) {
    const StateDict state = read_state(bytes, kStatePlace);
    ASSERT_EQ(state.size(), 5u);
    EXPECT_THAT(state.at("weight").shape, ElementsAre(2, 3));
    EXPECT_THAT(state.at("weight").values, ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(state.at("transposed").values, ElementsAre(1, 4, 2, 5, 3, 6));
    EXPECT_THAT(state.at("part").values, ElementsAre(9, 10));
    EXPECT_THAT(state.at("scalar").values, ElementsAre(11));
    EXPECT_TRUE(state.at("empty").values.empty());
  }
}

TEST(StateFile, NumbersOfOtherTypesBecomeFloats) {
  const auto pickle = [](const char* type) {
    PickleWriter writer;
    writer.raw("}").text("x").global("torch._utils", "_rebuild_tensor_v2").raw("((").text("storage");
    writer.global("torch", type).text("0").text("cpu").number(2).raw("tQ").number(0).numbers({2}).numbers({1});
    return writer.raw("\x89NtRs").done();
  };
  const auto values = [&](const char* type, const std::string& numbers) {
    return read_state(stored_zip({{"s/data.pkl", pickle(type)}, {"s/data/0", numbers}}), kStatePlace).at("x").values;
  };
  EXPECT_THAT(values("HalfStorage", std::string("\x00\x3e\x01\x80", 4)), ElementsAre(1.5f, -1.0f / (1 << 24)));
  EXPECT_THAT(values("BFloat16Storage", std::string("\x80\x3f\x00\xc0", 4)), ElementsAre(1, -2));
  EXPECT_THAT(values("LongStorage", std::string("\x05\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16)),
              ElementsAre(5, -1));
  EXPECT_THAT(values("IntStorage", std::string("\x05\0\0\0\xfe\xff\xff\xff", 8)), ElementsAre(5, -2));
}

TEST(StateFile, ADictionaryInsideOneIsFound) {
  PickleWriter writer;
  const std::string inner = state_pickle(kTensors);
  writer.raw("}").text("state_dict").raw(inner.substr(2, inner.size() - 3)).raw("s").text("epoch").number(7).raw("s");
  EXPECT_EQ(read_state(legacy_file(kTensors, writer.done()), kStatePlace).size(), 5u);
}

TEST(StateFile, NoFunctionIsCalledAndNoneButThoseOfWeightsMayBeNamed) {
  for (const char* function : {"os\nsystem\n", "builtins\neval\n", "torch\nload\n", "collections\nOrderedDictX\n"}) {
    PickleWriter writer;
    writer.raw(std::string("c") + function + "(").text("touch /tmp/owned").raw("tR");
    EXPECT_THAT(refusal_of_state(legacy_file({}, writer.done())),
                HasSubstr("which a dictionary of weights has no need of"));
    PickleWriter stacked;
    stacked.text("os").text("system").raw("\x93").raw(")R");
    EXPECT_THAT(refusal_of_state(legacy_file({}, stacked.done())), HasSubstr("names the function \"os system\""));
  }
  EXPECT_THAT(refusal_of_state(legacy_file({}, PickleWriter().raw("i").done())),
              HasSubstr("its pickle has the instruction 105"));
}

TEST(StateFile, TensorsThatLeaveTheirNumbersAreRefused) {
  const auto refused = [](SavedTensor tensor) {
    EXPECT_NE(refusal_of_state(legacy_file({tensor})), "");
    EXPECT_NE(refusal_of_state(archive_file({tensor})), "");
  };
  refused({"x", {2, 3}, {3, 1}, {1, 2, 3, 4, 5}});
  refused({"x", {2}, {1}, {1, 2}, 1});
  refused({"x", {2}, {1 << 30}, {1, 2}});
  refused({"x", {1 << 30, 1 << 30}, {0, 0}, {1}});
  refused({"x", {2}, {1, 1}, {1, 2}});
}

TEST(StateFile, SizesWhoseProductsAndSumsDoNotFitAreTooLarge) {
  const auto refused = [](const std::string& count, const std::vector<std::int64_t>& shape,
                          const std::vector<std::int64_t>& strides) {
    PickleWriter writer;
    writer.raw("}").text("x").global("torch._utils", "_rebuild_tensor_v2").raw("((").text("storage");
    writer.global("torch", "FloatStorage").text("0").text("cpu").raw(count).raw("tQ").number(0).numbers(shape);
    writer.numbers(strides).raw("\x89NtRs");
    EXPECT_NE(refusal_of_state(stored_zip({{"s/data.pkl", writer.done()}, {"s/data/0", "1234"}})), "");
  };
  const std::string to_62("\x8a\x08\0\0\0\0\0\0\0\x40", 10), one = PickleWriter().number(1).done().substr(2, 5);
  constexpr std::int64_t kMost = 0x7fffffff;
  refused(to_62, {kMost}, {1});  // four times the count is 0
  refused(to_62, {kMost, kMost}, {0, 0});
  refused(one, {5, kMost, kMost, kMost, kMost}, {0, 4, 4, 4, 4});  // whose last number would be at a small place
  refused(one, {65536, 65536, 65536, 65536}, {0, 0, 0, 0});        // 2^64 numbers
}

TEST(StateFile, NumbersThatAreSharedDoNotMakeASmallFileLarge) {
  const std::vector<float> numbers(100, 1.0f);
  EXPECT_EQ(refusal_of_state(archive_file({{"x", {2, 100}, {0, 1}, numbers}})), "");
  EXPECT_NE(refusal_of_state(archive_file({{"x", {100, 100, 100}, {0, 0, 1}, numbers}})), "");
}

// Each of 3,000 calls takes five bytes; a copy of its arguments would take 160 kB.
TEST(StateFile, TakesMemoryInProportionToItsBytes) {
  PickleWriter calls;
  calls.raw("K\1q").raw(std::string(1, '\0')).raw("(");
  for (int i = 0; i < 20'000; ++i) calls.raw("h").raw(std::string(1, '\0'));
  calls.raw("tq\1").global("torch._utils", "_rebuild_tensor_v2").raw("q\2");
  for (int i = 0; i < 3000; ++i) calls.raw("h\2h\1R");
  const std::size_t before = platform::resident_memory_bytes();
  refusal_of_state(legacy_file({}, calls.raw("}").done()));
  EXPECT_LT(platform::resident_memory_bytes(), before + (std::size_t{100} << 20));
}

TEST(StateFile, TruncatedAnywhereItIsRefused) {
  for (const StateBytes& bytes : {legacy_file(kTensors), archive_file(kTensors)})
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const StateBytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_NE(refusal_of_state(part), "") << size << " of " << bytes.size();
    }
}

TEST(StateFile, AnyByteMayBeDamaged) {
  for (const StateBytes& bytes : {legacy_file(kTensors), archive_file(kTensors)})
    for (std::size_t i = 0; i < bytes.size(); ++i)
      for (const int change : {1, 0x80, 0xff}) {
        StateBytes damaged = bytes;
        damaged[i] ^= static_cast<std::uint8_t>(change);
        refusal_of_state(damaged);  // expects an Error of its kind, if any is thrown
      }
}

TEST(StateFile, OfBigEndianMachinesIsRefused) {
  std::vector<std::pair<std::string, std::string>> files = {{"s/data.pkl", PickleWriter().raw("}").done()},
                                                            {"s/byteorder", "little"}};
  EXPECT_EQ(refusal_of_state(stored_zip(files)), "");
  files[1].second = "big";
  EXPECT_THAT(refusal_of_state(stored_zip(files)), HasSubstr("big-endian"));
  for (const char* flag : {"\x89", "\x88"}) {
    std::string file("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
    file +=
        PickleWriter().number(1001).done() + PickleWriter().raw("}").text("little_endian").raw(flag).raw("s").done();
    file += PickleWriter().raw("}").done() + PickleWriter().raw("]").done();
    EXPECT_EQ(refusal_of_state({file.begin(), file.end()}) == "", std::string(flag) == "\x88");
  }
}

TEST(StateFile, SaysWhatIsWrongWithArchives) {
  EXPECT_THAT(refusal_of_state(stored_zip({{"s/data.pkl", "x"}}, 8)), HasSubstr("is compressed"));
  EXPECT_THAT(refusal_of_state(stored_zip({{"s/weights", "x"}})), HasSubstr("an archive without data.pkl"));
  EXPECT_THAT(refusal_of_state(stored_zip({{"s/data.pkl", state_pickle(kTensors)}})),
              HasSubstr("has no numbers \"data/0\""));
  EXPECT_THAT(refusal_of_state({1, 2, 3}), HasSubstr("is not a file of torch.save()"));
  EXPECT_THAT(refusal_of_state(legacy_file({}, PickleWriter().number(3).done())),
              HasSubstr("is not a dictionary of weights"));
}

}  // namespace
}  // namespace fernwood::backbone
