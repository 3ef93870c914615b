// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>

#include "apps/commands.h"
#include "fernwood/core/error.h"
#include "fernwood/core/model_format.h"
#include "fernwood/forest/forest.h"
#include "fernwood/report/description.h"
#include "shell/command.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

struct DescribeArguments {
  std::filesystem::path model;
  bool json = false;

  void add_to(CLI::App& command) {
    command.add_option("model,--model", model, "Model file")->option_text("FILE");
    add_json_flag(command, json);
  }
};

void run(const DescribeArguments& arguments) {
  FW_CHECK(!arguments.model.empty(), Usage, "the model file is missing; write fernwood describe FILE");
  FW_CHECK(model_format(arguments.model) != kRecordModel.name, Model,
           arguments.model.string() << " is a model of tables; use fernwood-tables describe");
  const forest::Forest forest = forest::load_forest(arguments.model);
  const forest::ForestSummary summary = summarize(forest);
  const std::string checksum = model_checksum(arguments.model);
  std::cout << (arguments.json ? report::model_json(forest, summary, checksum)
                               : report::model_table(forest, summary, checksum));
}

}  // namespace

void add_describe_command(CLI::App& app) {
  add_command<DescribeArguments>(app, {.name = "describe",
                                       .summary = "Describe a model file",
                                       .example = "fernwood describe rooms.fernwood",
                                       .run = run});
}

}  // namespace fernwood::apps
