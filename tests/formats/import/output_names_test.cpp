// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Names of frames and splits, which come from files of other people and become names of files.

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <tuple>

#include "dataset/frame_file_names.h"
#include "formats/import/annotations.h"
#include "formats/import/imported.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

std::set<std::string> paths_below(const fs::path& folder) {
  std::set<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    paths.insert(entry.path().lexically_relative(folder).string());
  return paths;
}

ImportPlan plan_of_names(const TestFolder& folder, const std::vector<std::pair<std::string, std::string>>& names) {
  write_png(folder / "picture.png", Array2<image::Rgb>(2, 2));
  ImportPlan plan;
  for (const auto& [split, name] : names) {
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.split = split;
    frame.name = name;
    frame.color = folder / "picture.png";
  }
  return plan;
}

TEST(OutputNames, ThatAreNotPlainFileNamesAreRefusedBeforeAnythingIsWritten) {
  const TestFolder folder;
  ThreadPool pool(1);
  const std::string zero = std::string("a\0b", 3);
  for (const std::string& name : {std::string("."), std::string(".."), std::string("../evil"), folder.path().string(),
                                  std::string("a/b"), std::string("a b"), std::string(".hidden"), std::string("#1"),
                                  std::string("a\nb"), zero, std::string(200, 'a')}) {
    const ImportPlan of_frame = plan_of_names(folder, {{"", name}}), of_split = plan_of_names(folder, {{name, "a"}});
    const std::set<std::string> before = paths_below(folder.path());
    testdata::expect_refused(ErrorKind::kData, [&] { write_import(of_frame, folder / "out", pool); });
    testdata::expect_refused(ErrorKind::kData, [&] { write_import(of_split, folder / "out", pool); });
    EXPECT_EQ(paths_below(folder.path()), before) << name;
  }
  testdata::expect_refused(ErrorKind::kData, [&] {
    write_import(plan_of_names(folder, {{"", ""}}), folder / "out", pool);
  });
}

TEST(OutputNames, AreOfOneFrameInASplit) {
  const TestFolder folder;
  ThreadPool pool(1);
  testdata::expect_refused(ErrorKind::kData, [&] {
    write_import(plan_of_names(folder, {{"val", "a"}, {"val", "a"}}), folder / "out", pool);
  });
  write_import(plan_of_names(folder, {{"val", "a"}, {"train", "a"}}), folder / "out", pool);
  EXPECT_TRUE(fs::exists(folder / "out/val/a_colors.png"));
  EXPECT_TRUE(fs::exists(folder / "out/train/a_colors.png"));
}

/// Files of a format that name pictures and folders outside; OUTSIDE stands for an absolute path.
struct HostileFiles {
  const char* format;
  const char* in;  ///< What is imported.
  std::vector<std::string> pictures;
  std::map<std::string, std::string> texts;
  bool are_refused = false;
};

const HostileFiles kHostileFiles[] = {
    {"coco",
     "a.json",
     {"evil.png"},
     {{"a.json",
       R"({"images": [{"id": 1, "file_name": "../outside/evil.png"}, {"id": 2, "file_name": "OUTSIDE/evil.png"}],
                     "categories": [], "annotations": []})"}}},
    {"cvat", "a.xml", {"evil.png"}, {{"a.xml", R"(<annotations><image name="../outside/evil.png" subset="../outside"/>
                   <image name="OUTSIDE/evil.png" subset="OUTSIDE"/><image name="evil.png" subset=".."/>
                   <image name="evil.png" subset="../../outside"/><image name="evil.png" subset="a/../../outside"/>
                   </annotations>)"}}},
    {"label-studio",
     "a.json",
     {"evil.png"},
     {{"a.json", R"([{"data": {"image": "../outside/evil.png"}}, {"data": {"image": "OUTSIDE/evil.png"}}])"}}},
    {"labelme",
     ".",
     {"evil.png"},
     {{"a.json", R"({"imagePath": "../outside/evil.png", "shapes": []})"},
      {"b.json", R"({"imagePath": "OUTSIDE/evil.png", "shapes": []})"}}},
    {"supervisely", ".", {"img/evil.png"}, {{"meta.json", "{}"}, {"ann/evil.png.json", R"({"objects": []})"}}},
    {"voc",
     ".",
     {"JPEGImages/evil.png", "SegmentationClass/evil.png"},
     {{"ImageSets/Segmentation/train.txt", "../../outside/evil OUTSIDE/evil evil"}}},
    {"scannet", ".", {"color/evil.png"}, {{"scannetv2_train.txt", "../outside OUTSIDE in"}}},
    {"tum",
     ".",
     {"evil.png"},
     {{"rgb.txt", "1.0 ../outside/evil.png"}, {"depth.txt", "1.0 OUTSIDE/evil.png"}},
     /*are_refused=*/true},
};

class HostileNames : public testing::TestWithParam<HostileFiles> {};

INSTANTIATE_TEST_SUITE_P(Each, HostileNames, testing::ValuesIn(kHostileFiles), [](const auto& info) {
  std::string name = info.param.format;
  std::erase(name, '-');
  return name;
});

TEST_P(HostileNames, DoNotLeadOutOfTheOutputFolder) {
  const TestFolder folder;
  for (const std::string& picture : GetParam().pictures) {
    fs::create_directories((folder / ("in/" + picture)).parent_path());
    write_png(folder / ("in/" + picture), Array2<image::Rgb>(2, 2));
  }
  folder.write("outside/evil_colors.png", std::string("mine"));
  for (auto [file, text] : GetParam().texts) {
    for (std::size_t at = 0; (at = text.find("OUTSIDE")) != std::string::npos;)
      text.replace(at, 7, (folder / "outside").string());
    folder.write("in/" + file, text);
  }
  const std::set<std::string> before = paths_below(folder.path());
  ImportOptions options{.in = folder / "in" / GetParam().in};
  if (find_import_format(GetParam().format).has("background")) options.background = "rest";
  ThreadPool pool(1);
  const auto import = [&] { write_import(plan_import(GetParam().format, options), folder / "out/new", pool); };
  if (GetParam().are_refused)
    testdata::expect_refused(ErrorKind::kData, import);
  else
    import();
  fs::remove_all(folder / "out");
  EXPECT_EQ(paths_below(folder.path()), before);
  EXPECT_EQ(fs::file_size(folder / "outside/evil_colors.png"), 4u);
}

TEST(CvatSubsets, AreTheSplitsThatTrainingLooksFor) {
  const TestFolder folder;
  write_png(folder / "p.png", Array2<image::Rgb>(2, 2));
  const auto plan_of_subsets = [&](const std::vector<std::string>& subsets) {
    std::string text = "<annotations>";
    for (const std::string& subset : subsets) text += "<image name=\"p.png\" subset=\"" + subset + "\"/>";
    return import_text(folder, "cvat", "a.xml", text + "</annotations>");
  };
  const auto splits = [&](const std::vector<std::string>& subsets) {
    std::vector<std::string> found;
    for (const ImportedFrame& frame : plan_of_subsets(subsets).frames) found.push_back(frame.split);
    return found;
  };
  EXPECT_THAT(splits({"Train", "Validation", "TEST", "default", "", "Living room"}),
              ElementsAre("train", "val", "test", "", "", "Living_room"));
  EXPECT_EQ(folder_to_open(plan_of_subsets({"Test", "Train"}), "out"), "out/train");
  EXPECT_EQ(folder_to_open(plan_of_subsets({"Validation", "Test"}), "out"), "out/test");
  EXPECT_EQ(folder_to_open(plan_of_subsets({"default"}), "out"), "out");
  ImportPlan joined = plan_of_subsets({"Train", "Validation", "default"});
  joined.frames[2].name = "train_p";
  join_splits(joined.frames);
  std::set<std::string> names;
  for (const ImportedFrame& frame : joined.frames) {
    names.insert(frame.name);
    EXPECT_EQ(frame.split, "");
  }
  EXPECT_EQ(names.size(), 3u) << "p of two splits, and a frame named as one of them is then";
}

TEST(FileNames, HaveNoSeparatorsControlCharactersOrPartsOfLetters) {
  const std::string cut = std::string(179, 'a') + "\u00fc";
  const std::vector<std::pair<std::string, std::string>> cases = {{"K\u00fcche", "K\u00fcche"},
                                                                  {"\u5ba2 \u5385", "\u5ba2_\u5385"},
                                                                  {"../a\n", "_.._a_"},
                                                                  {"a\u0085", "a_"},
                                                                  {"a\x1b[0m", "a__0m"},
                                                                  {"caf\xe9", "caf_"},
                                                                  {"#a", "_a"},
                                                                  {cut, cut.substr(0, 179)}};
  for (const auto& [given, name] : cases) {
    EXPECT_EQ(file_name_of(given), name);
    EXPECT_TRUE(is_file_name(name)) << name;
    EXPECT_EQ(is_file_name(given), given == name || given == cut) << given;
  }
}

TEST(SettleNames, NumbersKeepTheirOrderAsNames) {
  const auto settled = [](const std::vector<std::pair<std::string, std::string>>& given) {
    std::vector<ImportedFrame> frames(given.size());
    for (std::size_t i = 0; i < frames.size(); ++i) std::tie(frames[i].group, frames[i].name) = given[i];
    settle_names({}, frames);
    std::vector<std::string> names;
    for (const ImportedFrame& frame : frames) names.push_back(frame.name);
    return names;
  };
  EXPECT_THAT(settled({{"", "8"}, {"", "10"}}), ElementsAre("08", "10"));
  EXPECT_THAT(settled({{"", "8.5"}, {"", "9.2"}, {"", "10.05"}, {"", "10.1"}}),
              ElementsAre("08.5", "09.2", "10.05", "10.1"));
  EXPECT_THAT(settled({{"s1", "s1_9"}, {"s1", "s1_10"}, {"s2", "s2_7"}}), ElementsAre("s1_09", "s1_10", "s2_7"));
  EXPECT_THAT(settled({{"a/b", "a/b/9"}, {"a/b", "a/b/10"}}), ElementsAre("a_b_09", "a_b_10"));
  EXPECT_THAT(settled({{"", "9"}, {"", "10a"}}), ElementsAre("9", "10a"));
  EXPECT_THAT(settled({{"", "1.2.3"}, {"", "10"}}), ElementsAre("1.2.3", "10"));
}

}  // namespace
}  // namespace fernwood::formats
