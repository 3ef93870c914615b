// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <optional>

#include "apps/records/records_command.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/report/records.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

struct RecordsImportArguments {
  std::filesystem::path from, out;
  records::ImportOptions options;
  bool json = false;

  void add_to(CLI::App& command) {
    command
        .add_option("--from", from,
                    "XGBoost's .json or .ubj, LightGBM's .txt, CatBoost's or Treelite's JSON, or .onnx of trees")
        ->required()
        ->option_text("FILE");
    command.add_option("--out", out, "Model file to write")->required()->option_text("FILE");
    add_table(command, options);
    add_json_flag(command, json);
  }
  CommandFiles files() const { return {.reads = {{"--from", from}}, .writes = {{"--out", out}}}; }
};

void run(const RecordsImportArguments& arguments) {
  std::string note;
  const records::RecordForest forest = records::import_model(arguments.from, arguments.options, &note);
  for (const std::string& each : {note, records::version_note(forest)})
    if (!each.empty()) Printer(std::cerr) << "note: " << each << "\n";
  records::save_records(forest, arguments.out);
  const auto summary = records::summarize(forest);
  if (arguments.json)
    std::cout << report::model_json(forest, summary, model_checksum(arguments.out));
  else
    print() << summary.trees.size() << (summary.trees.size() == 1 ? " tree" : " trees") << " with "
            << summary.num_leaves << " leaves: " << arguments.out << "\nnext    fernwood-tables describe "
            << shell_word(arguments.out) << "\n";
}

struct RecordsExportArguments {
  std::filesystem::path model, out;
  std::string as = "cpp";
  std::optional<std::string> name_space;

  bool is_cpp() const { return as == "cpp"; }
  bool is_to_stdout() const { return is_cpp() && out == "-"; }
  static OptionTable<RecordsExportArguments> table();
  void add_to(CLI::App& command) {
    add_table(command, *this);
    add_model_option(command, model);
    command.add_option("--out", out, "File to write; -, of a header: standard output")->required()->option_text("FILE");
  }
  void finish() {
    FW_CHECK(is_cpp() || !name_space, Usage,
             "--namespace applies to --as cpp only, and --as is \"" << as << "\"; leave it out");
  }
  CommandFiles files() const {
    if (is_to_stdout()) return {};
    return {.reads = {{"--model", model}}, .writes = {{"--out", out}}};
  }
};

constexpr std::array kRecordsExportRows = {
    option<&RecordsExportArguments::as>(
        "as", "cpp: a C++17 header that needs nothing else; onnx: for onnxruntime 1.20 or newer")
        .one_of([] {
          return std::vector<std::string>{"cpp", "onnx"};
        }),
    option<&RecordsExportArguments::name_space>("namespace", "Namespace of what a header declares")
        .takes("NAME")
        .default_means("forest"),
};

OptionTable<RecordsExportArguments> RecordsExportArguments::table() { return kRecordsExportRows; }

void run(const RecordsExportArguments& arguments) {
  const records::RecordForest forest = records::load_records(arguments.model);
  const std::string name_space = arguments.name_space.value_or("forest");
  if (arguments.is_to_stdout()) {
    records::write_cpp(forest, name_space, std::cout);
    return check_written(std::cout, arguments.out);
  }
  write_file_atomically(arguments.out, NamedBy::kUser, [&](std::ostream& out) {
    if (arguments.is_cpp())
      records::write_cpp(forest, name_space, out);
    else
      records::write_onnx(forest, out);
  });
  print() << arguments.out << " (" << format_bytes(std::filesystem::file_size(arguments.out)) << "): ";
  const std::string values =
      std::to_string(forest.attributes.size()) + (forest.attributes.size() == 1 ? " value" : " values");
  if (arguments.is_cpp())
    print() << "include it and call " << name_space
            << (forest.has_classes() ? "::classify(record) with " : "::predict(record, values) with ") << values
            << "\n";
  else
    print() << "input records (" << values << "), outputs "
            << (forest.has_classes() ? "label and probabilities" : "values") << "\n";
}

}  // namespace

void add_records_import(CLI::App& records) {
  add_command<RecordsImportArguments>(
      records, {.name = "import",
                .summary = "Import a model of another library",
                .example = "fernwood-tables import --from model.json --out model.fernwood --classes no,yes",
                .files = &RecordsImportArguments::files,
                .run = run});
}

void add_records_export(CLI::App& records) {
  add_command<RecordsExportArguments>(
      records, {.name = "export",
                .summary = "Export a model as source code or ONNX",
                .example = "fernwood-tables export --as cpp --model letters.fernwood --out letters.h\n"
                           "  fernwood-tables export --as onnx --model letters.fernwood --out letters.onnx",
                .finish = &RecordsExportArguments::finish,
                .files = &RecordsExportArguments::files,
                .run = run});
}

}  // namespace fernwood::apps
