// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "fernwood/backbone/backbone.h"
#include "fernwood/evaluate/evaluate.h"
#include "fernwood/evaluate/sequence.h"
#include "fernwood/formats/arrange.h"
#include "fernwood/formats/import_nyu.h"
#include "fernwood/map/voxel_recording.h"
#include "fernwood/predict/live.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/publish/publishing_sink.h"
#include "fernwood/recordings/frame_source.h"
#include "fernwood/records/evaluator.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/table_reader.h"
#include "fernwood/records/train_records.h"
#include "fernwood/search/search_records.h"
#include "fernwood/search/study.h"
#include "fernwood/stream/record_source.h"
#include "fernwood/stream/stream_options.h"
#include "fernwood/train/options.h"
#include "fernwood/web/web_server.h"
#include "python/src/bindings.h"

namespace fernwood::python {

namespace {

/// Options by the operation that accepts them.
std::map<std::string, std::vector<OptionInfo>> all_options() {
  std::map<std::string, std::vector<OptionInfo>> all;
  const auto add = [&]<typename Options>(const char* work, const Options& defaults) {
    std::ranges::move(describe_options(Options::table(), defaults), std::back_inserter(all[work]));
  };
  add("preset", train::PresetChoice());
  add("train", train::TrainOptions());
  add("train", train::TrainResources());
  add("predict", predict::PredictOptions());
  add("predict", predict::Smoothing());
  add("evaluate", evaluate::EvaluateOptions());
  add("evaluate", evaluate::SequenceOptions());
  add("live", predict::LiveOptions());
  add("live", recordings::SourceOptions());
  add("live", publish::PublishingOptions());
  add("pages", web::WebOptions());
  add("map", map::MapOptions());
  add("map", map::RecordingOptions());
  add("dataset", dataset::DatasetOptions());
  add("dataset.import", formats::ImportOptions());
  add("dataset.import_nyu", formats::ImportNyuOptions());
  add("dataset.split", formats::SplitOptions());
  add("backbone.import", backbone::ImportOptions());
  add("search", search::DataSearchOptions());
  add("study", search::StudyOptions());
  add("records.search", search::RecordSearchOptions());
  add("records.train", records::RecordTrainOptions());
  add("records.predict", records::EvaluatorOptions());
  add("records.tables", records::TableOptions());
  add("records.import", records::ImportOptions());
  add("streams", stream::StreamOptions());
  add("streams", stream::StreamWork());
  add("streams.files", stream::FolderOptions());
  add("streams.files", stream::StreamCheckpointOptions());
  return all;
}

const char* type_name(OptionType type) {
  constexpr std::array kNames = {"flag", "integer", "number", "text", "choice", "size", "list"};
  return kNames[static_cast<std::size_t>(type)];
}

/// An option as a dict.
nb::dict to_dict(const OptionInfo& row) {
  nb::dict dict;
  dict["name"] = row.name;
  dict["type"] = type_name(row.type);
  dict["help"] = row.help.on_command_line();
  dict["help_in_python"] =
      row.help.worded([](const NamedOption& option) { return "`" + in_python(OptionSentence(option)) + "`"; });
  dict["group"] = row.group;
  dict["range"] = row.range ? nb::cast(short_text(*row.range)) : nb::none();
  dict["choices"] = row.choices;
  dict["value"] = row.shown_value;
  dict["default"] = row.shown_default;
  dict["changes_model"] = row.changes_model;
  dict["is_searched"] = row.is_searched;
  return dict;
}

}  // namespace

void bind_options(nb::module_& module) {
  module.def(
      "options",
      [] {
        nb::dict all;
        for (const auto& [work, rows] : all_options()) {
          nb::list list;
          for (const OptionInfo& row : rows) list.append(to_dict(row));
          all[work.c_str()] = list;
        }
        return all;
      },
      "The tables of options by the work that takes them, a dict for each option.");
}

}  // namespace fernwood::python
