// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Worst-case files of at most 1 MiB for each parser of untrusted input: no command may need much more memory for them
// than for an ordinary small file. SECURITY.md states the bound, docs/benchmarks.md the measurements.
#include <iostream>

#include "apps/command_line.h"
#include "core/sanitizers.h"
#include "forest/model_parts.h"
#include "records/imported.h"
#include "records/record_bytes_of.h"
#ifdef FERNWOOD_HAS_MATIO
#include "formats/mat_writer.h"
#endif

namespace fernwood::apps {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20, kLargestFile = kMiB, kMostMemory = 300 * kMiB;

std::string chars_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

/// Repeats `part` between `before` and `after` up to the largest file size. @param part  Called with its index, from 0.
std::string filled(const std::string& before, const std::function<std::string(std::size_t)>& part,
                   const std::string& after = "") {
  std::string text = before;
  for (std::size_t i = 0;; ++i) {
    const std::string more = part(i);
    if (text.size() + more.size() + after.size() > kLargestFile) return text + after;
    text += more;
  }
}
std::string filled(const std::string& before, const std::string& part, const std::string& after = "") {
  return filled(
      before, [&](std::size_t) { return part; }, after);
}

class Memory : public CommandLine {
 protected:
  /// Arguments of the command for a file. Any exit code of the program is accepted, but not a crash.
  using Command = std::function<Words(const fs::path& file)>;
  struct Worst {
    std::string name, bytes;
  };

  void SetUp() override {
    CommandLine::SetUp();
#if defined(FERNWOOD_ADDRESS_SANITIZER)
    GTEST_SKIP() << "the address sanitizer takes memory of its own";
#endif
  }

  void expect_bounded(const std::string& ordinary, const std::vector<Worst>& worst, const Command& command,
                      const std::string& extension = "") {
    const fs::path file = folder_ / ("input" + extension);
    const auto peak_of = [&](const std::string& bytes) {
      folder_.write(file.filename(), bytes);
      const Words words = command(file);
      const Outcome outcome = run(words);
      EXPECT_THAT(outcome.exit_code, testing::AnyOf(0, kRuntime, kUsage, kData, kModel, kResource)) << outcome.err;
      EXPECT_THAT(outcome.err, testing::Not(testing::HasSubstr("has no option"))) << outcome.err;
      return outcome.peak_bytes;
    };
    const std::size_t usual = peak_of(ordinary);
    for (const Worst& each : worst) {
      EXPECT_LE(each.bytes.size(), kLargestFile) << each.name;
      const std::size_t peak = peak_of(each.bytes), more = peak - std::min(peak, usual);
      std::cout << each.name << ": " << more / kMiB << " MiB more\n";
      EXPECT_LE(more, kMostMemory) << each.name;
    }
  }

  /// A check of a copy of the test frames in which the file `name` is replaced.
  Command check_dataset(const std::string& name) {
    const fs::path data = folder_ / "frames";
    fs::remove_all(data);
    fs::copy(rooms() / "test", data);
    return [this, data, name](const fs::path& file) {
      fs::copy_file(file, data / name, fs::copy_options::overwrite_existing);
      return Words{"dataset", "check", "--data", data.string()};
    };
  }
  std::string beside(const std::string& name) const { return (folder_ / name).string(); }
};

// Tables.

constexpr const char* kSmallLibsvm = "0 1:1 2:3\n1 1:2 2:5\n0 1:3 2:3\n1 1:4 2:5\n";

std::vector<std::pair<std::string, std::string>> worst_tables() {
  const auto number = [](std::size_t i) { return std::to_string(i); };
  const std::string commas(32000, ',');
  return {{".libsvm", filled("", "1 65536:1\n0 65536:2\n")},
          {".libsvm", filled("", [&](std::size_t i) { return number(i % 60000) + " 1:" + number(i) + "\n"; })},
          {".libsvm", filled("0 1:1\n", "1 1:2\n")},
          {".csv", filled("", [&](std::size_t i) { return number(i % 60000) + "," + number(i) + "\n"; })},
          {".csv", filled(commas + "class\n", commas + "x\n" + commas + "y\n")},
          {".csv", filled("a,", ",", "\n")}};
}

TEST_F(Memory, OfTablesToTrainOn) {
  for (const auto& [extension, worst] : worst_tables()) {
    const std::string ordinary = extension == ".csv" ? "a,b\n1,0\n2,1\n3,0\n" : kSmallLibsvm;
    expect_bounded(
        ordinary, {{"records train", worst}},
        [&](const fs::path& file) {
          return Words{"records", "train", "--data", file.string(), "--out", beside("model")};
        },
        extension);
    expect_bounded(
        ordinary, {{"stream train", worst}},
        [&](const fs::path& file) {
          return Words{"stream", "train",         "--data",          file.string(),
                       "--out",  beside("model"), "--memory-budget", "64MiB"};
        },
        extension);
  }
}

TEST_F(Memory, OfTablesToClassify) {
  records::RecordForest wide = records::random_forest({.trees = 2, .attributes = 65000, .seed = 1});
  wide.classes = {"0", "1"};
  folder_.write("wide", chars_of(records::record_bytes(wide)));
  for (const std::string command : {"predict", "evaluate"})
    expect_bounded(
        "0 1:1\n", {{command + ", all attributes", filled("", "0 65000:1\n")}},
        [&](const fs::path& file) {
          Words words = {"records", command, "--model", beside("wide"), "--data", file.string()};
          if (command == "predict") words.insert(words.end(), {"--out", beside("classes")});
          return words;
        },
        ".libsvm");
}

// Models.

/// A list of empty objects, shorter than a file to leave space for the rest of the header.
std::string long_options() {
  constexpr std::size_t kRest = 4096;
  return filled("{\"a\":[", "{},", "{}]}" + std::string(kRest, ' '));
}

/// Boosted trees of two leaves, each for one class in turn.
std::string boosted(std::size_t num_classes, std::size_t num_trees) {
  records::RecordForest forest;
  for (std::size_t c = 0; c < num_classes; ++c) forest.classes.push_back(std::to_string(c));
  forest.attributes = {"1", "2"};
  forest.link = records::Link::kSoftmax;
  forest.base.assign(num_classes, 0);
  for (std::size_t t = 0; t < num_trees; ++t) {
    records::RecordTree& tree = forest.trees.emplace_back();
    tree.nodes = {{0.5f, 1, static_cast<std::uint16_t>(t % 2), 0}, {0, ~0, 0, 0}, {0, ~1, 0, 0}};
    tree.leaf_values = Array2<std::int32_t>(2, 1);
    tree.first_output = static_cast<std::uint32_t>(t % num_classes);
  }
  return chars_of(records::record_bytes(forest));
}

TEST_F(Memory, OfModelsOfRecords) {
  folder_.write("table.libsvm", filled("0 1:1 2:1\n", "1 1:2\n").substr(0, 6 * 10000 + 4));
  const std::string ordinary = boosted(2, 3);
  records::RecordForest rows =
      records::random_forest({.trees = 5, .depth = 0, .classes = 20000, .attributes = 2, .seed = 1});
  for (std::size_t c = 0; c < rows.classes.size(); ++c) rows.classes[c] = std::to_string(c);
  records::RecordForest options = records::mixed_records();
  options.classes = {"0", "1", "2"};
  options.options_json = long_options();
  const std::vector<Worst> worst = {{"65534 classes", boosted(65534, 50)},
                                    {"20000 classes and 5000 trees", boosted(20000, 5000)},
                                    {"trees of 20000 values", chars_of(records::record_bytes(rows))},
                                    {"options of empty objects", chars_of(records::record_bytes(options))}};
  const std::string table = beside("table.libsvm");
  for (const Words& words : std::vector<Words>{{"describe"},
                                               {"records", "predict", "--data", table, "--out", beside("classes")},
                                               {"records", "evaluate", "--data", table},
                                               {"records", "export", "--out", beside("header.h")}})
    expect_bounded(ordinary, worst, [&](const fs::path& file) {
      Words all = words;
      all.insert(all.end(), {"--model", file.string()});
      return all;
    });
}

std::string with_long_options(forest::Forest forest) {
  forest.options_json = long_options();
  return chars_of(forest::model_bytes(forest));
}

TEST_F(Memory, OfModelsOfPixels) {
  forest::Forest classes = forest::empty_forest(14000), leaves = forest::empty_forest(50);
  classes.labelling_trees() = {forest::heap_tree(1, 14000), forest::heap_tree(1, 14000)};
  leaves.labelling_trees() = {forest::heap_tree(4200, 50)};
  const std::vector<Worst> worst = {{"14000 classes", chars_of(forest::model_bytes(classes))},
                                    {"4200 leaves of 50 classes", chars_of(forest::model_bytes(leaves))},
                                    {"options of empty objects", with_long_options(forest::small_forest())}};
  const std::string data = (rooms() / "test").string();
  for (const Words& words : std::vector<Words>{{"describe"},
                                               {"predict", "--data", data, "--out", beside("labels")},
                                               {"evaluate", "--data", data},
                                               {"explain", "--data", data, "--frame", "scene0004", "--at", "3,3"},
                                               {"importance", "--data", data}})
    expect_bounded(chars_of(forest::model_bytes(forest::small_forest())), worst, [&](const fs::path& file) {
      Words all = words;
      all.insert(all.end(), {"--model", file.string()});
      return all;
    });
}

TEST_F(Memory, OfCheckpoints) {
  const std::string small = chars_of(forest::model_bytes(forest::small_forest()));
  const Worst worst = {"options of empty objects", with_long_options(forest::small_forest())};
  expect_bounded(small, {worst}, [&](const fs::path& file) {
    fs::copy_file(file, folder_ / "model.checkpoint", fs::copy_options::overwrite_existing);
    return small_training(rooms() / "train", folder_ / "model", {"--resume"});
  });
  folder_.write("table.libsvm", std::string(kSmallLibsvm));
  expect_bounded(small, {worst}, [&](const fs::path& file) {
    return Words{"stream",       "train",       "--data",  beside("table.libsvm"), "--out", beside("tree"),
                 "--checkpoint", file.string(), "--resume"};
  });
}

TEST_F(Memory, OfModelsOfOtherLibraries) {
  using records::with;
  std::string xgboost = with(records::kXgboostModel, "\"num_class\":\"0\"", "\"num_class\":\"65534\"");
  xgboost = with(with(xgboost, "binary:logistic", "multi:softprob"), "\"size\",\"weight\"", "");
  std::string lightgbm = with(records::kLightgbmModel, "num_class=1", "num_class=65534");
  lightgbm = with(with(lightgbm, "num_tree_per_iteration=1", "num_tree_per_iteration=65534"),
                  "objective=binary sigmoid:2", "objective=multiclass num_class:65534");
  const std::string tree =
      "{\"default_left\":[0],\"left_children\":[-1],\"right_children\":[-1],\"split_conditions\":[5E-1],"
      "\"split_indices\":[0],\"split_type\":[0],\"tree_param\":{\"num_nodes\":\"1\"}},";
  const std::size_t trees = records::kXgboostModel.find("\"trees\":[") + 9;
  const auto named = [](std::size_t i) { return "\"" + std::to_string(i) + "\":{},"; };
  expect_bounded(
      records::kXgboostModel,
      {{"65534 classes, XGBoost", xgboost},
       {"65534 classes, LightGBM", lightgbm},
       {"many trees", filled(records::kXgboostModel.substr(0, trees), tree, records::kXgboostModel.substr(trees))},
       {"empty lists", filled("{\"learner\":[", "[],", "[]]}")},
       {"empty objects", filled("{\"learner\":[", "{},", "{}]}")},
       {"named objects", filled("{\"learner\":{", named, "\"x\":{}}}")},
       {"nested lists", filled("{\"learner\":", "[")}},
      [&](const fs::path& file) {
        return Words{"records", "import", "--from", file.string(), "--out", beside("model")};
      });
}

// Images.

/// A zlib stream of `size` zeros with deflate's fixed codes: literals, then runs of 258.
Bytes zlib_of_zeros(std::size_t size) {
  Bytes stream = {0x78, 0x01};
  std::uint32_t pending = 0;
  int num_pending = 0;
  const auto put = [&](std::uint32_t code, int bits) {  // codes start with their most significant bit
    for (int bit = bits - 1; bit >= 0; --bit) {
      pending |= (code >> bit & 1) << num_pending++;
      if (num_pending < 8) continue;
      stream.push_back(static_cast<std::uint8_t>(pending));
      pending = 0, num_pending = 0;
    }
  };
  put(0b110, 3);  // final block with fixed codes
  std::size_t left = size;
  for (; left % 258 != 0; --left) put(0b00110000, 8);
  for (; left > 0; left -= 258) put(0b1100010100000, 13);
  put(0, 7);
  put(0, 7);  // fills the byte
  const std::size_t b = size % 65521;
  for (const std::size_t byte : {b >> 8, b & 255, std::size_t{0}, std::size_t{1}})
    stream.push_back(static_cast<std::uint8_t>(byte));
  return stream;
}

std::string zeros_png(std::uint32_t width, std::uint32_t height, int bits, dataset::PngFile::ColorType type,
                      std::size_t pixel_bytes, bool interlaced = false) {
  dataset::PngFile file(width, height, bits, type, interlaced);
  return chars_of(file.chunk("IDAT", zlib_of_zeros(height * (width * pixel_bytes + 1))).finish());
}

/// A progressive JPEG, for which decoders keep all coefficients; one bit per block.
std::string progressive_jpeg(int width, int height, int num_channels) {
  const auto big_endian = [](int value) {
    return Bytes{static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)};
  };
  Bytes file = {0xff, 0xd8};
  const auto segment = [&](std::uint8_t marker, const Bytes& content) {
    file.insert(file.end(), {0xff, marker});
    for (const Bytes& part : {big_endian(static_cast<int>(content.size()) + 2), content})
      file.insert(file.end(), part.begin(), part.end());
  };
  Bytes quantisation(65, 1);
  quantisation[0] = 0;
  segment(0xdb, quantisation);
  Bytes frame = {8}, scan = {static_cast<std::uint8_t>(num_channels)};
  for (const int size : {height, width})
    for (const std::uint8_t byte : big_endian(size)) frame.push_back(byte);
  frame.push_back(static_cast<std::uint8_t>(num_channels));
  for (int c = 1; c <= num_channels; ++c) {
    frame.insert(frame.end(), {static_cast<std::uint8_t>(c), 0x11, 0});
    scan.insert(scan.end(), {static_cast<std::uint8_t>(c), 0});
  }
  segment(0xc2, frame);
  Bytes code(18);
  code[1] = 1;  // a single one-bit code, for a difference of 0
  segment(0xc4, code);
  scan.insert(scan.end(), {0, 0, 0});
  segment(0xda, scan);
  file.resize(file.size() +
              static_cast<std::size_t>(width) * static_cast<std::size_t>(height) / 64 *
                  static_cast<std::size_t>(num_channels) / 8 +
              1);
  file.insert(file.end(), {0xff, 0xd9});
  return chars_of(file);
}

TEST_F(Memory, OfPictures) {
  using dataset::PngFile;
  const std::string small_color = zeros_png(64, 48, 8, PngFile::kRgb, 3);
  const std::string small_depth = zeros_png(32, 48, 16, PngFile::kGrey, 2);  // size mismatch: nothing is labelled
  folder_.write("color.png", small_color);
  folder_.write("depth.png", small_depth);
  const auto predict = [&](const std::string& color, const std::string& depth) {
    return Words{"predict", "--model", model().string(), "--color", color, "--depth", depth, "--out", beside("labels")};
  };
  expect_bounded(small_color,
                 {{"2^25 pixels of 4 bytes", zeros_png(8192, 4096, 8, PngFile::kRgba, 4)},
                  {"2^24 pixels of 8 bytes", zeros_png(4096, 4096, 16, PngFile::kRgba, 8)},
                  {"2^25 pixels, one long row", zeros_png(1 << 25, 1, 8, PngFile::kRgb, 3)},
                  {"progressive JPEG of 2^25 pixels", progressive_jpeg(8192, 4096, 3)},
                  {"progressive JPEG of four channels", progressive_jpeg(8192, 4096, 4)}},
                 [&](const fs::path& file) { return predict(file.string(), beside("depth.png")); });
  expect_bounded(small_depth, {{"depth of 2^25 pixels", zeros_png(8192, 4096, 16, PngFile::kGrey, 2)}},
                 [&](const fs::path& file) { return predict(beside("color.png"), file.string()); });
  expect_bounded(small_color, {{"truth of 2^25 pixels", zeros_png(8192, 4096, 8, PngFile::kRgba, 4)}},
                 check_dataset("scene0004_ground_truth.png"));
}

#ifdef FERNWOOD_HAS_MATIO

class MemoryOfMatlab : public Memory, public testing::WithParamInterface<mat_ft> {
 protected:
  /// A file like NYU Depth v2's labelled part, with two black frames.
  std::string labelled(std::size_t rows, std::size_t cols, const std::vector<std::string>& names) const {
    const fs::path path = folder_ / "labelled.mat";
    {
      formats::MatWriter mat(path, GetParam(), MAT_COMPRESSION_ZLIB);
      mat.array<std::uint8_t>("images", {rows, cols, 3, 2}, Bytes(rows * cols * 6));
      mat.array<float>("depths", {rows, cols, 2}, std::vector<float>(rows * cols * 2));
      mat.array<std::uint16_t>("labels", {rows, cols, 2}, std::vector<std::uint16_t>(rows * cols * 2));
      if (!names.empty()) mat.strings("names", names);
    }
    return apps::text_of(path);
  }
};
INSTANTIATE_TEST_SUITE_P(Versions, MemoryOfMatlab, testing::Values(MAT_FT_MAT5, MAT_FT_MAT73),
                         [](const auto& info) { return info.param == MAT_FT_MAT5 ? "V5" : "V73"; });

TEST_P(MemoryOfMatlab, IsBounded) {
  {
    formats::MatWriter splits(folder_ / "splits.mat", MAT_FT_MAT5);
    splits.array<double>("trainNdxs", {1, 1}, {1});
    splits.array<double>("testNdxs", {1, 1}, {2});
  }
  std::vector<Worst> worst = {{"frames of 2^21 pixels", labelled(2048, 1024, {})}};
  if (GetParam() == MAT_FT_MAT5) {  // text is not compressed in version 7.3
    const std::vector<std::string> names(60, std::string(4000000, 'a'));
    worst.insert(worst.end(),
                 {{"frames of 2^23 pixels", labelled(4096, 2048, {})}, {"60 names of 4 MB", labelled(4, 4, names)}});
  }
  expect_bounded(labelled(4, 4, {}), worst, [&](const fs::path& file) {
    fs::remove_all(folder_ / "nyu");
    return Words{"dataset", "import",     "nyu", "--labeled", file.string(), "--splits", beside("splits.mat"),
                 "--out",   beside("nyu")};
  });
}

#endif

// Lists, settings and reports.

TEST_F(Memory, OfSettings) {
  const auto dotted = [](std::size_t i) {
    return "k" + std::to_string(i) + ".b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.1.2.3.4.5=1\n";
  };
  const std::vector<Worst> worst = {
      {"dotted keys", filled("", dotted)},
      {"empty lists", filled("a=[", "[],", "[]]\n")},
      {"empty tables", filled("a=[", "{},", "{}]\n")},
      {"small tables", filled("a=[", "{a=1},", "{}]\n")},
      {"numbers", filled("a=[", "1,", "1]\n")},
      {"sections", filled("", [](std::size_t i) { return "[" + std::to_string(i) + "]\n"; })},
      {"nested lists", filled("a=", "[")}};
  expect_bounded("name = \"a\"\n", worst, check_dataset("dataset.toml"));
  expect_bounded("[train]\n", worst, [](const fs::path& file) { return Words{"--config", file.string(), "doctor"}; });
}

TEST_F(Memory, OfLists) {
  const auto numbered = [](std::size_t i) { return std::to_string(i) + " a\n"; };
  const std::vector<Worst> worst = {{"lines alike", filled("", "1 a\n")}, {"lines", filled("", numbered)}};
  const std::string ordinary = "scene0004 a\nscene0005 b\n";
  const std::string data = beside("frames");
  check_dataset("");  // only to create its folder
  expect_bounded(ordinary, worst, [&](const fs::path& file) {
    fs::copy_file(file, fs::path(data) / "groups.txt", fs::copy_options::overwrite_existing);
    return small_training(data, folder_ / "model");
  });
  expect_bounded(ordinary, worst, [&](const fs::path& file) {
    fs::copy_file(file, fs::path(data) / "times.txt", fs::copy_options::overwrite_existing);
    return Words{"live", "--model", model().string(), "--source", "frames:" + data, "--headless", "--every-frame"};
  });
  expect_bounded("0 -1 0\n", worst, check_dataset("scene0004_up.txt"));
  fs::create_directories(folder_ / "tum");
  expect_bounded("1 a\n", worst, [&](const fs::path& file) {
    for (const char* name : {"rgb.txt", "depth.txt"})
      fs::copy_file(file, folder_ / "tum" / name, fs::copy_options::overwrite_existing);
    return Words{"live", "--model", model().string(), "--source", "tum:" + beside("tum"), "--headless"};
  });
}

TEST_F(Memory, OfReportsAndChoices) {
  const auto named = [](std::size_t i) { return "\"" + std::to_string(i) + "\":{},"; };
  fs::copy_file(model(), folder_ / "model");
  const std::string report = text_of(model().string() + ".report.json");
  const std::size_t levels = report.find("\"levels\"");
  ASSERT_NE(levels, report.npos);
  expect_bounded(report,
                 {{"report with empty objects",
                   filled(report.substr(0, levels) + "\"x\": [", "{},", "{}]," + report.substr(levels))}},
                 [&](const fs::path& file) {
                   fs::copy_file(file, folder_ / "model.report.json", fs::copy_options::overwrite_existing);
                   return Words{"evaluate", "--model",          beside("model"), "--data", (rooms() / "test").string(),
                                "--html",   beside("page.html")};
                 });
  const std::string cache = std::getenv("FERNWOOD_CACHE");
  fs::create_directories(cache);
  folder_.write("records", chars_of(records::record_bytes(records::random_forest({.trees = 3, .attributes = 2}))));
  folder_.write("table.libsvm", std::string(kSmallLibsvm));
  expect_bounded(
      "{}", {{"choices", filled("{", named, "\"x\":{}}")}, {"a long list", filled("{\"a\":[", "{},", "{}]}")}},
      [&](const fs::path& file) {
        fs::copy_file(file, fs::path(cache) / "choices.json", fs::copy_options::overwrite_existing);
        return Words{"records", "predict",        "--model", beside("records"), "--data", beside("table.libsvm"),
                     "--out",   beside("classes")};
      });
  fs::remove(fs::path(cache) / "choices.json");
}

}  // namespace
}  // namespace fernwood::apps
