// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "core/full_disk.h"
#include "fernwood/core/file.h"

namespace fernwood::apps {
namespace {

/// Points of a square, x and y from 0 to 19, with one class per quarter and an attribute without information.
/// @param false_step  Every false_step-th record is labelled "far"; 0: none.
std::string points(int false_step = 0) {
  std::string text = "x,y,nothing,class\n";
  for (int i = 0; i < 400; ++i) {
    const int x = i % 20, y = i / 20;
    const char* const names[] = {"low,left", "right", "up", "far"};
    text += std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(i * 37 % 11) + ",\"" +
            names[false_step > 0 && i % false_step == 0 ? 3 : (x > 9) + 2 * (y > 9)] + "\"\n";
  }
  return text;
}

class Records : public CommandLine {
 protected:
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  Outcome train(const fs::path& data, const Words& more = {}) const {
    Words words = {"train", "--data", data, "--out", out("m.records"), "--trees", "10"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  void expect_train_refused(const std::string& text, int exit_code, const Words& more = {}) const {
    Words words = {"train", "--data", write("bad.csv", text), "--out", out("m.records")};
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(words, exit_code);
  }
};

TEST_F(Records, TrainEvaluateAndPredictAgree) {
  const fs::path data = write("points.csv", points());
  const Outcome trained = train(data, {"--json"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const auto facts = nlohmann::json::parse(trained.out);
  EXPECT_EQ(facts["records"], 400);
  EXPECT_EQ(facts["attributes"], 3);
  EXPECT_EQ(facts["classes"], nlohmann::json({"far", "low,left", "right", "up"}));
  EXPECT_GT(facts["out_of_bag_accuracy"], 0.95);

  const Outcome evaluated = run({"evaluate", "--model", out("m.records"), "--data", data, "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  const auto result = nlohmann::json::parse(evaluated.out);
  EXPECT_EQ(result["accuracy"], 1.0);
  EXPECT_EQ(result["confusion"], nlohmann::json({{100, 0, 0, 0}, {0, 100, 0, 0}, {0, 0, 100, 0}, {0, 0, 0, 100}}));

  const fs::path fresh = write("fresh.csv", "nothing,y,x\n0,15,3\n0,2,1\n");
  const Outcome shown = run({"predict", "--model", out("m.records"), "--data", fresh, "--out", "-"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(shown.out, "class\nup\n\"low,left\"\n");
  const Outcome written = run({"predict", "--model", out("m.records"), "--data", fresh, "--out", out("classes.csv"),
                               "--as", "probability", "--block", "1"});
  EXPECT_EQ(written.exit_code, 0) << written.err;
  EXPECT_TRUE(text_of(out("classes.csv")).starts_with("class,far,\"low,left\",right,up\nup,"));
}

TEST_F(Records, PredictShowsWhatIsAskedFor) {
  // An XGBoost tree: a contribution of -0.5 for f0 < 0.5, else 1, added to a base score of 1.
  const std::string tree =
      R"({"base_weights":[0,-0.5,1],"categories":[],"categories_nodes":[],"categories_segments":[],"categories_sizes":[],)"
      R"("default_left":[1,0,0],"left_children":[1,-1,-1],"right_children":[2,-1,-1],"parents":[2147483647,0,0],)"
      R"("split_conditions":[0.5,-0.5,1],"split_indices":[0,0,0],"split_type":[0,0,0],"sum_hessian":[2,1,1],)"
      R"("loss_changes":[1,0,0],"id":0,"tree_param":{"num_nodes":"3","size_leaf_vector":"1","num_feature":"1"}})";
  const fs::path model = write(
      "booster.json",
      R"({"version":[3,0,0],"learner":{"objective":{"name":"reg:squarederror"},"feature_names":[],"attributes":{},)"
      R"("learner_model_param":{"base_score":"1","num_class":"0","num_feature":"1","num_target":"1"},)"
      R"("gradient_booster":{"name":"gbtree","model":{"gbtree_model_param":{"num_trees":"1","num_parallel_tree":"1"},)"
      R"("tree_info":[0],"iteration_indptr":[0,1],"trees":[)" +
          tree + "]}}}}");
  ASSERT_EQ(run({"import", "--from", model, "--out", out("v.records")}).exit_code, 0);
  const fs::path data = write("values.csv", "f0\n0.25\n0.75\n");
  const auto shown = [&](const Words& more) {
    Words words = {"predict", "--model", out("v.records"), "--data", data, "--label", "none", "--out", "-"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  EXPECT_EQ(shown({}).out, "target0\n0.5\n2\n");
  EXPECT_EQ(shown({"--as", "value"}).out, "target0\n0.5\n2\n");
  EXPECT_EQ(shown({"--as", "margin"}).out, "margin0\n0.5\n2\n");
  EXPECT_EQ(shown({"--as", "leaf"}).out, "tree0\n1\n2\n");  // node numbers of XGBoost
  EXPECT_EQ(shown({"--iterations", "1"}).out, "target0\n0.5\n2\n");
  for (const Words& wrong : std::vector<Words>{{"--iterations", "2"}, {"--as", "class"}, {"--as", "values"}}) {
    const Outcome refused = shown(wrong);
    EXPECT_EQ(refused.exit_code, kUsage);
    testdata::expect_sentence(refused.err);
  }
}

TEST_F(Records, ExplainWritesWhatAddsUpToTheSumsOfEachOutput) {
  const Outcome trained = run({"train", "--data", write("points.csv", points()), "--out", out("m.records"), "--trees",
                               "1", "--max-depth", "1"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const fs::path fresh = write("fresh.csv", "nothing,y,x\n0,15,3\n0,2,1\n");
  const Outcome shown = run({"explain", "--model", out("m.records"), "--data", fresh, "--out", "-"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  // The only test, x against 9.5, splits 400 records of four classes into halves of two: the share of a class is 1/4 at
  // the root, and 0 or 1/2 in the leaves.
  EXPECT_EQ(shown.out,
            "record,output,x,y,nothing,expected value\n"
            "1,far,-0.25,0,0,0.25\n1,\"low,left\",0.25,0,0,0.25\n1,right,-0.25,0,0,0.25\n1,up,0.25,0,0,0.25\n"
            "2,far,-0.25,0,0,0.25\n2,\"low,left\",0.25,0,0,0.25\n2,right,-0.25,0,0,0.25\n2,up,0.25,0,0,0.25\n");
  const Outcome written = run({"explain", "--model", out("m.records"), "--data", fresh, "--out", out("shap.csv"),
                               "--block", "1", "--threads", "1"});
  EXPECT_EQ(written.exit_code, 0) << written.err;
  EXPECT_EQ(text_of(out("shap.csv")), shown.out);
  const fs::path other = write("other.csv", "nothing,y,x\n0,2,11\n");  // on the other side of the test
  const Outcome relative =
      run({"explain", "--model", out("m.records"), "--data", fresh, "--background", other, "--out", "-"});
  EXPECT_EQ(relative.out,
            "record,output,x,y,nothing,expected value\n"
            "1,far,-0.5,0,0,0.5\n1,\"low,left\",0.5,0,0,0\n1,right,-0.5,0,0,0.5\n1,up,0.5,0,0,0\n"
            "2,far,-0.5,0,0,0.5\n2,\"low,left\",0.5,0,0,0\n2,right,-0.5,0,0,0.5\n2,up,0.5,0,0,0\n");
}

TEST_F(Records, AFullDiskAndAnotherRunAreNamed) {
  std::string rows = points();
  for (int i = 0; i < 3; ++i) rows += rows.substr(rows.find('\n') + 1);
  const fs::path data = write("points.csv", rows);
  ASSERT_EQ(train(data).exit_code, 0);
  for (const Words& command : {Words{"predict", "--as", "leaf", "--no-remember"}, {"explain"}}) {
    const auto words = [&](const fs::path& file) {
      Words all = {command[0], "--model", out("m.records"), "--data", data, "--out", file};
      all.insert(all.end(), command.begin() + 1, command.end());
      all.insert(all.end(), {"--block", "1000"});
      return all;
    };
    const Outcome no_space = RunningCommand(folder_.path(), words("-"), "/dev/full").wait();
    EXPECT_EQ(no_space.exit_code, kResource);
    testdata::expect_sentence(no_space.err);
    const OutputLock lock(out("busy"));
    EXPECT_EQ(run(words(out("busy"))).exit_code, kRuntime);
    const Outcome full = [&] {
      const FullDisk disk(4096);
      return run(words(out("full")));
    }();
    EXPECT_EQ(full.exit_code, kResource);
    testdata::expect_sentence(full.err);
    EXPECT_FALSE(fs::exists(out("full")));
  }
}

TEST_F(Records, OneSeedGivesOneFileForAnyNumberOfThreads) {
  const fs::path data = write("points.csv", points());
  ASSERT_EQ(train(data, {"--threads", "1"}).exit_code, 0);
  const std::string first = text_of(out("m.records"));
  ASSERT_EQ(train(data, {"--threads", "3"}).exit_code, 0);
  EXPECT_EQ(text_of(out("m.records")), first);
  ASSERT_EQ(train(data, {"--seed", "8"}).exit_code, 0);
  EXPECT_NE(text_of(out("m.records")), first);
}

TEST_F(Records, BadDataIsNamedWithItsLine) {
  expect_train_refused("", kData);
  expect_train_refused("a,b,class\n1,2,x\n1,two,x\n", kData);
  expect_train_refused("a,b,class\n1,2,x\n", kData, {"--label", "kind"});
  expect_train_refused(points(), kResource, {"--memory-budget", "1KB"});
  expect_train_refused(
      "gr\xf6\xdf"
      "e,class\n1,a\n2,b\n",
      kData);
  expect_refused({"train", "--data", "nowhere.csv", "--out", out("m")}, kRuntime);
}

TEST_F(Records, BadUsageNamesOptionAndRemedy) {
  expect_refused({"--json"}, kUsage);
  expect_refused({"train", "--out", out("m")}, kUsage);
  expect_train_refused(points(), kUsage, {"--criterion", "giny"});
  expect_train_refused(points(), kUsage, {"--format", "xls"});
  expect_train_refused(points(), kUsage, {"--bootstrap", "--no-bootstrap"});
  for (const char* none : {"ab", "1"}) expect_train_refused(points(), kUsage, {"--separator", none});
  expect_refused({"evaluate", "--model", "m", "--data", "nowhere", "--block", "0"}, kUsage);
}

TEST_F(Records, ModelAndDataMustFit) {
  ASSERT_EQ(train(write("points.csv", points())).exit_code, 0);
  fs::rename(out("m.records"), folder_ / "m.records");
  const Words evaluate = {"evaluate", "--model", folder_ / "m.records", "--data"};
  const auto refused = [&](const std::string& text) {
    Words words = evaluate;
    words.push_back(write("other.csv", text));
    expect_refused(words, kData);
  };
  refused("x,z,nothing,class\n1,2,3,up\n");
  refused("x,y,nothing,class\n1,2,3,down\n");
  refused("1,2\n");
  refused("1,2,3\n");
  expect_refused({"evaluate", "--model", write("no.model", "text"), "--data", folder_ / "points.csv"}, kModel);
  expect_refused({"predict", "--model", folder_ / "m.records", "--data", write("late.csv", "1,2,3\n1,2\n"), "--out",
                  out("classes.csv")},
                 kData);
}

TEST_F(Records, PredictedClassesAreThoseThatEvaluateCounts) {
  const std::string text = points(7);
  const fs::path data = write("points.csv", text);
  ASSERT_EQ(train(data, {"--max-depth", "3"}).exit_code, 0);  // too shallow to learn the wrong labels
  const Words model_and_data = {"--model", out("m.records"), "--data", data};
  Words evaluate = {"evaluate", "--json"}, predict = {"predict", "--out", "-"};
  evaluate.insert(evaluate.end(), model_and_data.begin(), model_and_data.end());
  predict.insert(predict.end(), model_and_data.begin(), model_and_data.end());
  const auto result = nlohmann::json::parse(run(evaluate).out);
  const Words names = {"far", "\"low,left\"", "right", "up"};  // as CSV fields
  std::vector<std::vector<int>> counts(4, std::vector<int>(4, 0));
  std::istringstream truth(text), found(run(predict).out);
  std::string line, name;
  std::getline(truth, line), std::getline(found, name);
  while (std::getline(truth, line) && std::getline(found, name)) {
    const std::string quoted = line.substr(line.find('"'));
    const std::string field = quoted.find(',') == std::string::npos ? quoted.substr(1, quoted.size() - 2) : quoted;
    const auto place = [&](const std::string& each) { return std::ranges::find(names, each) - names.begin(); };
    ++counts.at(static_cast<std::size_t>(place(field))).at(static_cast<std::size_t>(place(name)));
  }
  EXPECT_EQ(result["confusion"], nlohmann::json(counts));
  EXPECT_LT(result["accuracy"], 1.0);
  for (const auto& row : counts) EXPECT_GT(*std::ranges::max_element(row), 50) << "every class is found";
}

TEST_F(Records, ExplainTellsWhichStrategyFoundTheClasses) {
  const fs::path data = write("points.csv", points());
  ASSERT_EQ(train(data).exit_code, 0);
  const auto explained = [&](const std::string& command, const Words& more) {
    Words words = {command, "--model", out("m.records"), "--data", data, "--device", "cpu", "--explain"};
    if (command == "predict") words.insert(words.end(), {"--out", out("classes.csv")});
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const Outcome tuned = explained("predict", {"--no-remember"});
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.err, testing::HasSubstr("fastest on 400 records"));
  EXPECT_EQ(explained("predict", {"--strategy", "serial"}).err, "strategy: serial, float, on cpu\n");
  EXPECT_TRUE(explained("evaluate", {"--strategy", "serial"}).out.starts_with("strategy: serial, float, on cpu\n\n"));
  const Outcome as_json = explained("evaluate", {"--strategy", "serial", "--json"});
  EXPECT_EQ(nlohmann::json::parse(as_json.out)["strategy"], "strategy: serial, float, on cpu\n");
  EXPECT_EQ(explained("predict", {"--strategy", "serial", "--as", "probability"}).err,
            "strategy: serial, float, on cpu\n");
}

/// Points of a square with the value 2 x + y + 0.25, and an attribute without information; unless knows_all, every 50th
/// value is missing.
std::string heights(bool knows_all = true) {
  std::string text = "x,height,y,nothing\n";
  for (int i = 0; i < 400; ++i) {
    const int x = i % 20, y = i / 20;
    text += std::to_string(x) + "," + (knows_all || i % 50 > 0 ? std::to_string(2 * x + y) + ".25" : "NA") + "," +
            std::to_string(y) + "," + std::to_string(i * 37 % 11) + "\n";
  }
  return text;
}

TEST_F(Records, ValuesAreTrainedEvaluatedAndPredicted) {
  const fs::path data = write("heights.csv", heights());
  const Words more = {"--task", "regression", "--label", "height"};
  const Outcome trained = run({"train", "--data", data, "--out", out("m.records"), "--trees", "1", "--task",
                               "regression", "--label", "height", "--json"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const auto facts = nlohmann::json::parse(trained.out);
  EXPECT_EQ(facts["targets"], nlohmann::json({"height"}));
  EXPECT_EQ(facts["out_of_bag_r2"], nullptr);
  EXPECT_EQ(facts["options"]["task"], "regression");
  const fs::path partly = write("partly.csv", heights(false));
  const Words evaluate = {"evaluate", "--model", out("m.records"), "--data", partly};  // column by name
  Words as_json = evaluate;
  as_json.push_back("--json");
  const Outcome evaluated = run(as_json);
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  const auto result = nlohmann::json::parse(evaluated.out);
  EXPECT_EQ(result["rmse"], 0.0);
  EXPECT_EQ(result["mae"], 0.0);
  EXPECT_EQ(result["r2"], 1.0);
  EXPECT_EQ(result["records"], 392);
  EXPECT_EQ(result["unlabelled"], 8);
  const fs::path fresh = write("fresh.csv", "nothing,y,x\n0,15,3\n0,2,1\n");
  EXPECT_EQ(run({"predict", "--model", out("m.records"), "--data", fresh, "--out", "-"}).out, "height\n21.25\n4.25\n");

  ASSERT_EQ(train(data, more).exit_code, 0);
  const std::string bytes = text_of(out("m.records"));
  Words one_thread = more;
  one_thread.insert(one_thread.end(), {"--threads", "1"});
  ASSERT_EQ(train(data, one_thread).exit_code, 0);
  EXPECT_EQ(text_of(out("m.records")), bytes);
}

}  // namespace
}  // namespace fernwood::apps
