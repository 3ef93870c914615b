// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/train/options.h"
#include "fernwood/backbone/backbone.h"
#include "fernwood/evaluate/evaluate.h"
#include "fernwood/evaluate/sequence.h"
#include "fernwood/formats/import.h"
#include "fernwood/map/voxel_recording.h"
#include "fernwood/predict/live.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/publish/label_publisher.h"
#include "fernwood/recordings/frame_source.h"
#include "fernwood/search/search.h"
#include "fernwood/tune/study.h"
#include "fernwood/web/web_server.h"
#include "python/common/src/options.h"
#include "python/src/bindings.h"

namespace fernwood::python {

namespace {

nb::dict all_options() {
  OptionTables all;
  all.add("preset", train::PresetChoice());
  all.add("train", train::TrainOptions());
  all.add("train", train::TrainResources());
  all.add("predict", predict::PredictOptions());
  all.add("predict", predict::Smoothing());
  all.add("evaluate", evaluate::EvaluateOptions());
  all.add("evaluate", evaluate::SequenceOptions());
  all.add("live", predict::LiveOptions());
  all.add("live", recordings::CaptureOptions());
  all.add("live", recordings::SourceOptions());
  all.add("live", publish::PublishingOptions());
  all.add("pages", web::WebOptions());
  all.add("map", map::MapOptions());
  all.add("map", map::RecordingOptions());
  all.add("dataset", dataset::DatasetOptions());
  all.add("dataset.import", formats::ImportOptions());
  all.add("dataset.import_nyu", formats::ImportNyuOptions());
  all.add("dataset.split", formats::SplitOptions());
  all.add("backbone.import", backbone::ImportOptions());
  all.add("search", search::DataSearchOptions());
  all.add("study", tune::StudyOptions());
  return all.to_dict();
}

}  // namespace

void bind_options(nb::module_& module) {
  module.def("options", all_options, "The tables of options by the work that takes them, a dict for each option.");
}

}  // namespace fernwood::python
