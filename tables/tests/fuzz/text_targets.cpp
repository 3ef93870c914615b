// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <sstream>

#include "fernwood/core/parallel.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/table_reader.h"
#include "fuzz/tables_targets.h"
#include "records/evaluate/strategy.h"
#include "records/import/source_model.h"
#include "records/imported.h"
#include "records/onnx_models.h"
#include "records/record_bytes_of.h"

namespace fernwood::fuzz {

using namespace std::string_literals;

int fuzz_import(const std::uint8_t* data, std::size_t size) {
  records::RecordForest forest;
  if (!reads([&] { forest = records::import_text_of(text_of(data, size), "model", {}); })) return 0;
  reads([&] {
    law(records::read_records(records::record_bytes(forest), "model") == forest, "it is not what was written");
  });
  reads([&] {
    std::ostringstream onnx;
    records::write_onnx(forest, onnx);
  });
  const std::vector<float> record = records::tricky_records(forest, 1, 3);
  std::vector<std::int32_t> sums(forest.num_outputs());
  records::sum_trees(forest, record.data(), sums.data());
  std::vector<double> values(forest.num_outputs()), predicted(forest.num_predicted());
  records::sum_values(forest, record.data(), values.data());
  records::predict_from_sums(forest, values.data(), predicted.data());
  return 0;
}

std::vector<Bytes> import_seeds() {
  std::vector<Bytes> seeds;
  for (const std::string& text :
       {records::kXgboostModel, records::kLightgbmModel, records::kLightgbmLinear, records::kTreeliteModel})
    seeds.push_back(bytes_of(text));
  return seeds;
}

std::vector<Bytes> ubjson_seeds() {
  std::vector<Bytes> seeds;
  // The importer recognises each program by the fields of the file, so files of the other programs may be UBJSON, too.
  for (const std::string& text : {records::kXgboostModel, records::kTreeliteModel, records::kCatboostModel})
    for (const bool has_types : {false, true})
      seeds.push_back(nlohmann::json::to_ubjson(nlohmann::json::parse(text), has_types, has_types));
  return seeds;
}

std::vector<Bytes> catboost_seeds() {
  const std::string several = records::with(records::with(records::kCatboostModel, "[1,2,4,8]", "[1,2,3,4,5,6,7,8]"),
                                            "[0.125,0.0625]", "[1,2,3,4]");
  return {bytes_of(records::kCatboostModel), bytes_of(records::catboost_categories()),
          bytes_of(records::with(records::with(several, "[2,[0.25]]", "[1,[0,0]]"), "RMSE", "MultiClass"))};
}

std::vector<Bytes> onnx_seeds() {
  records::OnnxTreeWriter doubles = records::onnx_regressor().remove("nodes_values");
  doubles.doubles("nodes_values_as_tensor", {0.1, -1, 0, 0, 0, 0}, true).reals("base_values", {1});
  return {bytes_of(records::onnx_regressor().file()), bytes_of(records::onnx_arrays().file()),
          bytes_of(doubles.file({"Cast"})),
          bytes_of(records::onnx_classifier({0, 1, 0, 1}).text("post_transform", "SOFTMAX").file({"ZipMap"})),
          bytes_of(records::onnx_classifier({1, 1, 1, 1}).reals("class_weights", {0.25f, 0.5f, 0, 0.5f}).file())};
}

int fuzz_choices(const std::uint8_t* data, std::size_t size) {
  static const records::StrategyRequest request = {records::make_evaluation_model(records::mixed_records()), "auto",
                                                   records::Values::kFloat, Device{}, 1};
  records::TuningReport report;
  if (records::recall_choice(text_of(data, size), "key", request, report))
    records::product_strategies().make_evaluator({request.model, report.strategy, report.values, report.device, 1});
  return 0;
}

std::vector<Bytes> choices_seeds() {
  return {bytes_of(R"({"key": {"strategy": "serial", "values": "float"}, "other": {}})"),
          bytes_of(R"({"key": {"strategy": "layered", "values": "ranks"}})")};
}

int fuzz_table(const std::uint8_t* data, std::size_t size) {
  static ThreadPool pool(1);
  if (size == 0) return 0;
  const int how = data[0];
  records::TableOptions options;
  options.format = std::array{records::TableFormat::kAuto, records::TableFormat::kLibsvm, records::TableFormat::kCsv,
                              records::TableFormat::kAuto}[how & 3];
  options.absent_is_unknown = (how & 4) != 0;
  if ((how & 3) == 3) options.labels = records::LabelKind::kTarget;
  if (how & 8) options.label_column = (how & 16) ? "none" : "2";
  if (how & 32) options.attributes = {"size", "weight"};
  if (how & 64) options.classes = {"0", "a"};
  options.needs_class = (how & 128) != 0;
  const MemoryFile file(data + 1, size - 1);
  reads([&] {
    const records::RecordTable table = records::read_table(file.path(), options, pool);
    law(table.labels.size() + table.targets.size() == table.values.rows() &&
            table.attributes.size() == table.values.cols(),
        "a table's parts differ in size");
    const auto is_class = [&](std::int32_t label) {
      return label == records::kNoClass || (label >= 0 && static_cast<std::size_t>(label) < table.classes.size());
    };
    law(std::ranges::all_of(table.labels, is_class), "a label is not a class");
  });
  return 0;
}

std::vector<Bytes> table_seeds() {
  std::vector<Bytes> seeds;
  for (const char how : {'\0', '\x03', '\x04', '\x28', '\x60'})
    for (const char* text : {"1 1:0.5 3:-2e3 # first\n-1 qid:3 2:nan\n+1 5:1\n",
                             "size,weight,class\n0.5,,a\n\"1\",NA,\"b, c\"\n-inf,1e400,a\n", "1;2;x\r\n3;?;y\r\n",
                             "\xEF\xBB\xBF"
                             "a\tlabel\n0x1\t0\n"})
      seeds.push_back(bytes_of(std::string(1, how) + text));
  return seeds;
}

}  // namespace fernwood::fuzz
