// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "apps/records/records_command.h"
#include "apps/shell/console.h"
#include "apps/shell/options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/report/description.h"

namespace fernwood::apps {

namespace {

struct RecordsImportArguments {
  std::filesystem::path from, out;
  std::string format = "auto", rounds = "auto";
  records::ImportOptions options;
  bool json = false;
};

void import_records(RecordsImportArguments arguments) {
  arguments.options.format = parse_name("--format", arguments.format, records::kModelSources);
  arguments.options.rounds = parse_name("--rounds", arguments.rounds, records::kRounds);
  refuse_same_file("--out", arguments.out, "--from", arguments.from);
  check_writable(arguments.out);
  std::string note;
  const records::RecordForest forest = records::import_model(arguments.from, arguments.options, &note);
  if (!note.empty()) std::cerr << "note: " << note << "\n";
  records::save_records(forest, arguments.out);
  const auto summary = records::summarize(forest);
  if (arguments.json)
    std::cout << report::model_json(forest, summary, model_checksum(arguments.out));
  else
    std::cout << summary.trees.size() << (summary.trees.size() == 1 ? " tree" : " trees") << " with "
              << summary.num_leaves << " leaves: " << shown(arguments.out) << "\nnext    fernwood describe "
              << shell_word(arguments.out) << "\n";
}

struct RecordsExportArguments {
  std::filesystem::path model, out;
  std::string as = "cpp", name_space = "forest";
};

void export_records(const RecordsExportArguments& arguments) {
  FW_CHECK(arguments.as == "cpp", Usage, "--as is \"" << arguments.as << "\"; give cpp");
  refuse_same_file("--out", arguments.out, "--model", arguments.model);
  check_writable(arguments.out);
  const records::RecordForest forest = records::load_records(arguments.model);
  write_file_atomically(arguments.out,
                        [&](std::ostream& out) { records::write_cpp(forest, arguments.name_space, out); });
  std::cout << shown(arguments.out) << " (" << format_bytes(std::filesystem::file_size(arguments.out))
            << "): include it and call " << arguments.name_space << "::classify(record) with "
            << forest.attributes.size() << (forest.attributes.size() == 1 ? " value\n" : " values\n");
}

}  // namespace

void add_records_import(CLI::App& records) {
  auto arguments = std::make_shared<RecordsImportArguments>();
  CLI::App* command = records.add_subcommand("import", "Import a model of another library")->fallthrough();
  command
      ->add_option("--from", arguments->from,
                   "XGBoost's .json or .ubj, LightGBM's .txt, CatBoost's or Treelite's JSON, .onnx of trees, or what "
                   "scripts/export_sklearn writes")
      ->required()
      ->option_text("FILE");
  command->add_option("--out", arguments->out, "Model file to write")->required()->option_text("FILE");
  command->add_option("--format", arguments->format, "auto, sklearn, xgboost, lightgbm, treelite, catboost or onnx")
      ->option_text("NAME (auto)");
  command
      ->add_option("--rounds", arguments->rounds,
                   "Of an XGBoost model that stopped early: best, all, or auto: as predict() of whoever wrote the file")
      ->option_text("WORD (auto)");
  command->add_option("--classes", arguments->options.classes, "Names of the classes, in the order of their numbers")
      ->delimiter(',')
      ->option_text("A,B,...");
  command->add_option("--attributes", arguments->options.attributes, "Names of the attributes, in the table's order")
      ->delimiter(',')
      ->option_text("A,B,...");
  add_json_flag(*command, arguments->json);
  command->footer("\nExample:\n  fernwood records import --from model.json --out model.fernwood --classes no,yes");
  command->callback([arguments] { import_records(*arguments); });
}

void add_records_export(CLI::App& records) {
  auto arguments = std::make_shared<RecordsExportArguments>();
  CLI::App* command = records.add_subcommand("export", "Export a model as source code")->fallthrough();
  command->add_option("--as", arguments->as, "cpp: a C++17 header that needs nothing else")->option_text("NAME (cpp)");
  add_model_option(*command, arguments->model);
  command->add_option("--out", arguments->out, "Header to write")->required()->option_text("FILE");
  command->add_option("--namespace", arguments->name_space, "Namespace of what it declares")
      ->option_text("NAME (forest)");
  command->footer("\nExample:\n  fernwood records export --as cpp --model letters.fernwood --out letters.h");
  command->callback([arguments] { export_records(*arguments); });
}

}  // namespace fernwood::apps
