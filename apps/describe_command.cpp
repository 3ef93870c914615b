// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/model_format.h"
#include "fernwood/evaluate/importance.h"
#include "fernwood/forest/forest.h"
#include "fernwood/report/description.h"
#include "fernwood/report/evaluation.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

struct DescribeArguments {
  std::filesystem::path model;
  DatasetArguments dataset;  ///< Frames on which importance is measured; no folder: not measured.
  bool json = false;

  void add_to(CLI::App& command) {
    command.add_option("model,--model", model, "Model file")->option_text("FILE");
    dataset.add_to(command);
    command.get_option("--data")->required(false)->description(
        "Folder of labelled frames: also measure which channels the forest needs, as fernwood importance does");
    add_json_flag(command, json);
  }
};

/// A description followed by the importance of the channels; in JSON, this is an additional key.
std::string with_importance(const std::string& description, const forest::Forest& forest,
                            const DescribeArguments& arguments) {
  const dataset::Dataset dataset = encoded_for(forest, arguments.model, {}, arguments.dataset.open(true, "test"));
  ThreadPool pool;
  warn_each(dataset.class_warnings(pool, forest.classes));
  ProgressBar bar;
  const evaluate::PermutationImportance importance =
      evaluate::permutation_importance(forest, dataset, evaluate::kExchangeSeed, pool, bar.counter("labelling"));
  bar.clear();
  if (!arguments.json)
    return description + "\n" + format_count(importance.num_frames) + " frames of " + dataset.folder().string() + "\n" +
           report::permutation_table(importance, use_color(stdout));
  auto object = nlohmann::ordered_json::parse(description);
  object["importance"] = nlohmann::ordered_json::parse(report::permutation_json(importance));
  return json_result(object);
}

void run(const DescribeArguments& arguments) {
  FW_CHECK(!arguments.model.empty(), Usage, "the model file is missing; write fernwood describe FILE");
  FW_CHECK(model_format(arguments.model) != kRecordModel.name, Model,
           arguments.model.string() << " is a model of tables; use fernwood-tables describe");
  const forest::Forest forest = forest::load_forest(arguments.model);
  const forest::ForestSummary summary = summarize(forest);
  const std::string checksum = model_checksum(arguments.model);
  const std::string description =
      arguments.json ? report::model_json(forest, summary, checksum) : report::model_table(forest, summary, checksum);
  std::cout << (arguments.dataset.data.empty() ? description : with_importance(description, forest, arguments));
}

}  // namespace

void add_describe_command(CLI::App& app) {
  add_command<DescribeArguments>(app,
                                 {.name = "describe",
                                  .summary = "Describe a model file",
                                  .example = "fernwood describe rooms.fernwood\n"
                                             "  fernwood describe rooms.fernwood --data rooms/test --max-frames 50",
                                  .dependents = {{{"--ignored-colors", "--max-frames"}, {"--data"}}},
                                  .run = run});
}

}  // namespace fernwood::apps
