// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/import/annotations.h"

#include <gmock/gmock.h>

#include <chrono>

#include "dataset/dataset_folder.h"
#include "dataset/index_labels.h"
#include "dataset/test_files.h"
#include "sentences.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<int, std::string>> listed(const std::string& text, const std::string& file = "classes.csv") {
  const DatasetConfig config = parse_class_list(text, file).config;
  std::vector<std::pair<int, std::string>> classes;
  for (std::size_t c = 0; c < config.classes.size(); ++c)
    classes.emplace_back(config.class_indices[c], config.classes[c].name);
  return classes;
}

TEST(ClassList, IsReadFromTheFormsThatPeopleHave) {
  const auto wanted = ElementsAre(Pair(1, "wall"), Pair(4, "night stand"));
  EXPECT_THAT(listed("number,name,class of 13\n1,wall,wall\n4,night stand,furniture\n"), wanted);
  EXPECT_THAT(listed("id;class\r\n1;wall\r\n4;night stand\r\n"), wanted);
  EXPECT_THAT(listed("name\tid\nwall\t1\nnight stand\t4\n"), wanted);
  EXPECT_THAT(listed("Idx\tRatio\tTrain\tVal\tStuff\tName\n1\t0.2\t9\t3\t1\twall\n4 \t0.1\t8\t2\t0\tnight stand \n",
                     "objectInfo150.txt"),
              wanted);
  EXPECT_THAT(listed("1 wall\n4 night stand\n", "c.txt"), wanted);
  EXPECT_THAT(listed("# comment\n1: wall\n\n4: night stand\n", "c.txt"), wanted);
  EXPECT_THAT(listed("{\"1\": \"wall\", \"4\": \"night stand\"}", "c.json"), wanted);
  EXPECT_THAT(listed("{\"night stand\": 4, \"wall\": 1}", "c.json"),
              ElementsAre(Pair(4, "night stand"), Pair(1, "wall")));
  EXPECT_THAT(listed("[{\"id\": 1, \"name\": \"wall\"}, {\"id\": 4, \"name\": \"night stand\"}]", "c.json"), wanted);
  EXPECT_THAT(listed("10,:\n", "c.txt"), ElementsAre(Pair(0, "10,:"))) << "a number without a name";
  EXPECT_THAT(listed("wall\nfloor\n", "c.txt"), ElementsAre(Pair(0, "wall"), Pair(1, "floor")));
  EXPECT_THAT(listed("[\"wall\", \"floor\"]", "c.json"), ElementsAre(Pair(0, "wall"), Pair(1, "floor")));
  EXPECT_THAT(listed("background:::\ncar:::\n", "labelmap.txt"), ElementsAre(Pair(0, "background"), Pair(1, "car")));
  EXPECT_THAT(listed("background:0,0,0::\ncar:10,20,30::\n", "labelmap.txt"),
              ElementsAre(Pair(0, "background"), Pair(1, "car")));
}

using Colors = std::vector<std::optional<image::Rgb>>;

TEST(ClassList, HeadersAndOrdersOfColumnsNeverBecomeNamesOfClasses) {
  const auto classes = ElementsAre(Pair(1, "wall"), Pair(2, "traffic light"));
  const Colors colors = {image::Rgb{140, 25, 255}, image::Rgb{25, 255, 82}};
  for (const char* text :
       {"number,name,r,g,b\n1,wall,140,25,255\n2,traffic light,25,255,82\n",
        "class;id;color\nwall;1;#8c19ff\ntraffic light;2;25 255 82\n", "1,wall,140,25,255\n2,traffic light,25,255,82\n",
        "wall,1,140,25,255\ntraffic light,2,25,255,82\n", "1 140 25 255 wall\n2 25 255 82 traffic light\n",
        "140 25 255 wall 1\n25 255 82 traffic light 2\n"}) {
    EXPECT_THAT(listed(text), classes) << text;
    EXPECT_EQ(parse_class_list(text, "c.txt").given_colors, colors) << text;
  }
  for (const char* text : {"wall,1\ntraffic light,2\n", "name number\nwall 1\ntraffic light 2\n",
                           "1 wall\n2 traffic light\n", "\"wall\";1\n\"traffic light\";2\n"})
    EXPECT_THAT(listed(text), classes) << text;
  const auto in_order = ElementsAre(Pair(0, "wall"), Pair(1, "traffic light"));
  for (const char* text : {"name,r,g,b\nwall,140,25,255\ntraffic light,25,255,82\n",
                           "140 25 255\twall\n25 255 82\ttraffic light\n", "wall 140 25 255\ntraffic light 25 255 82\n",
                           "# label:color_rgb:parts:actions\nwall:140,25,255::\ntraffic light:25,255,82::\n"}) {
    EXPECT_THAT(listed(text), in_order) << text;
    EXPECT_EQ(parse_class_list(text, "c.txt").given_colors, colors) << text;
  }
  EXPECT_THAT(listed("name\nwall\ntraffic light\n"), in_order);
  EXPECT_THAT(listed("__ignore__\nwall\ntraffic light\n"), in_order) << "of labelme, where it is -1";
  for (
      const char* text :
      {R"([{"name": "wall", "color": [140, 25, 255]}, {"name": "traffic light", "color": "#19ff52"}])",
       R"({"classes": [{"title": "wall", "color": "#8c19ff"}, {"title": "traffic light", "color": [25, 255, 82]}]})"}) {
    EXPECT_THAT(listed(text, "c.json"), in_order) << text;
    EXPECT_EQ(parse_class_list(text, "c.json").given_colors, colors) << text;
  }
  const char* const by_color = R"x({"(140, 25, 255, 255)": {"class": "wall"}})x";
  EXPECT_EQ(parse_class_list(by_color, "c.json").given_colors, Colors{colors[0]}) << "of Isaac Sim";
}

TEST(ClassList, NamesMayEndInNumbersAndOtherMixturesAreAskedAbout) {
  EXPECT_THAT(listed("chair\ntable 2\nlamp\n"), ElementsAre(Pair(0, "chair"), Pair(1, "table 2"), Pair(2, "lamp")));
  EXPECT_THAT(listed("table 1\ntable 2\n"), ElementsAre(Pair(0, "table 1"), Pair(1, "table 2")));
  EXPECT_THAT(listed("building, edifice\nsky\n"), ElementsAre(Pair(0, "building, edifice"), Pair(1, "sky")));
  for (const char* text : {"Nummer;Klasse\n1;Wand\n2;Boden\n", "Nummer Klasse\n1 Wand\n2 Boden\n", "wall,1\n2,floor\n",
                           "wall 1 2\n", "1 140 25 255\n", "wall 300 0 0\n", "1,wall,140,25,255,thing\n"})
    testdata::expect_refused(ErrorKind::kData, [&] { listed(text); });
}

TEST(ClassList, TimeIsInProportionToTheClasses) {
  std::string text = "id,name,r,g,b\n";
  for (int i = 0; i < 60000; ++i) {  // colours that the classes without one would have
    const image::Rgb color = index_color(static_cast<std::uint32_t>(30000 + i));
    text += std::to_string(i) + ",c" + std::to_string(i) + (i < 30000 ? "," + to_option(color) : ",,,") + "\n";
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(listed(text).size(), 60000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << "quadratic: minutes";
}

TEST(ClassList, KeepsColours) {
  EXPECT_EQ(parse_class_list("none:0,0,0::\nwall:::\ncar:10,20,30\n", "labelmap.txt").given_colors,
            (Colors{image::Rgb{}, std::nullopt, image::Rgb{10, 20, 30}}));
  EXPECT_THAT(listed("car:10,20,30\n", "labelmap.txt"), ElementsAre(Pair(0, "car")));
  EXPECT_EQ(parse_class_list("wall:::\ncar:10,20,30::\n", "labelmap.txt").config.classes[1].color,
            (image::Rgb{10, 20, 30}));
  EXPECT_EQ(parse_class_list("id,name,r,g,b\n3,car,10,20,30\n", "c.csv").config.classes[0].color,
            (image::Rgb{10, 20, 30}));
}

TEST(ClassList, ClassesOfOneColourAreTold) {
  const ListedClasses listed =
      parse_class_list("id,name,r,g,b\n0,void,0,0,0\n1,none,0,0,0\n2,wall,1,2,3\n3,car,1,2,3\n4,bus,4,5,6\n", "c.csv");
  EXPECT_THAT(listed.notes,
              ElementsAre("the classes wall and car have the same colour (1, 2, 3), so that of car becomes " +
                          to_string(listed.config.classes[3].color)));
  EXPECT_EQ(same_color_problem(listed.config.classes), "");
}

TEST(ClassList, TheNumber255IsVoidIfItsNameSaysSo) {
  for (const char* name : {"unlabelled", "Unlabeled", "void", "ignore"})
    EXPECT_THAT(listed(std::string("0 wall\n255 ") + name + "\n"), ElementsAre(Pair(0, "wall"))) << name;
  EXPECT_THAT(listed("0 wall\n255 chair\n"), ElementsAre(Pair(0, "wall"), Pair(255, "chair")));
  EXPECT_THAT(listed("0 void\n1 wall\n"), ElementsAre(Pair(0, "void"), Pair(1, "wall")));
}

TEST(ClassList, CellsMayBeQuoted) {
  EXPECT_THAT(listed("id,name\n0,\"a, x\"\n1,\"b \"\"q\"\"\"\n2, c\"d\n"),
              ElementsAre(Pair(0, "a, x"), Pair(1, "b \"q\""), Pair(2, "c\"d")));
}

TEST(ClassList, ColoursAndTextsThatAreNoneAreSentences) {
  for (const char* color : {"300,0,0", "-1,0,0", "x,0,0", "1,,3"})
    testdata::expect_refused(ErrorKind::kData, [&] { listed(std::string("id,name,r,g,b\n3,car,") + color + "\n"); });
  EXPECT_THAT(listed("id,name,r,g,b\n3,car,,,\n"), ElementsAre(Pair(3, "car")));
  testdata::expect_refused(ErrorKind::kData, [] { listed("1,caf\xe9\n"); });
  testdata::expect_refused(ErrorKind::kData, [] { listed(std::string("1\0,\0a\0\n\0", 8)); });
}

TEST(ClassList, TwoClassesOfOneNameAreToldApart) {
  EXPECT_THAT(listed("id,name\n1,thing\n2,thing\n"), ElementsAre(Pair(1, "thing"), Pair(2, "thing_2")));
}

TEST(ClassList, OtherTextsAreSentences) {
  testdata::expect_refused(ErrorKind::kData, [] { listed("id,name\n1,wall\n1,floor\n"); });
  const auto json_list = [](const char* text) { parse_class_list(text, "classes.json"); };
  testdata::expect_refused(ErrorKind::kData, [&] { json_list(R"({"1": "wall", "1": "floor"})"); });
  testdata::expect_refused(ErrorKind::kData, [&] { json_list(R"({"wall": 1, "floor": 2, "wall": 3})"); });
  testdata::expect_refused(ErrorKind::kData, [] { listed("id,name\nx,wall\n"); });
  testdata::expect_refused(ErrorKind::kData, [] { listed("", "c.txt"); });
  testdata::expect_refused(ErrorKind::kData, [] { listed("[1, 2]", "c.json"); });
  testdata::expect_refused(ErrorKind::kData, [] { listed("{", "c.json"); });
}

}  // namespace
}  // namespace fernwood::formats
