// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/backbone/backbone.h"
#include "fernwood/encoder/encoder.h"
#include "fernwood/evaluate/evaluate.h"
#include "fernwood/evaluate/sequence.h"
#include "fernwood/formats/import.h"
#include "fernwood/map/occupancy_grid.h"
#include "fernwood/map/voxel_recording.h"
#include "fernwood/objects/objects.h"
#include "fernwood/predict/live.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/publish/label_publisher.h"
#include "fernwood/recordings/frame_source.h"
#include "fernwood/search/search.h"
#include "fernwood/train/options.h"
#include "fernwood/tune/study.h"
#include "fernwood/web/web_server.h"
#include "python/common/src/bindings.h"
#include "python/src/bindings.h"

namespace fernwood::python {

void bind_options(nb::module_& module) {
  const auto all_options = [] {
    nb::dict all;
    add_options(all, "preset", train::PresetChoice());
    add_options(all, "train", train::TrainOptions());
    add_options(all, "train", train::TrainResources());
    add_options(all, "predict", predict::PredictOptions());
    add_options(all, "predict", predict::Smoothing());
    add_options(all, "objects", objects::ObjectOptions());
    add_options(all, "evaluate", evaluate::EvaluateOptions());
    add_options(all, "evaluate", evaluate::SequenceOptions());
    add_options(all, "live", predict::LiveOptions());
    add_options(all, "live", recordings::CaptureOptions());
    add_options(all, "live", recordings::SourceOptions());
    add_options(all, "live", publish::PublishingOptions());
    add_options(all, "pages", web::WebOptions());
    add_options(all, "map", map::MapOptions());
    add_options(all, "map", map::RecordingOptions());
    add_options(all, "grid", map::GridOptions());
    add_options(all, "dataset", dataset::DatasetOptions());
    add_options(all, "dataset.import", formats::ImportOptions());
    add_options(all, "dataset.import_nyu", formats::ImportNyuOptions());
    add_options(all, "dataset.split", formats::SplitOptions());
    add_options(all, "backbone.import", backbone::ImportOptions());
    add_options(all, "encoder", encoder::EncoderOptions());
    add_options(all, "search", search::DataSearchOptions());
    add_options(all, "study", tune::StudyOptions());
    return all;
  };
  module.def("options", all_options, "The tables of options by the work that takes them, a dict for each option.");
}

}  // namespace fernwood::python

NB_MODULE(_fernwood, module) {
  module.doc() = "The engine of fernwood; use the package fernwood, which this belongs to.";
  // A data set whose frames are an object of the user's script lives as long as the script's variables, until exit.
  nb::set_leak_warnings(false);
  fernwood::python::bind_errors(module);
  fernwood::python::bind_machine(module);
  fernwood::python::bind_options(module);
  fernwood::python::bind_reports(module);
  fernwood::python::bind_encoders(module);
  fernwood::python::bind_forests(module);
  fernwood::python::bind_datasets(module);
  fernwood::python::bind_backbones(module);
  fernwood::python::bind_training(module);
  fernwood::python::bind_prediction(module);
  fernwood::python::bind_evaluation(module);
  fernwood::python::bind_search(module);
  fernwood::python::bind_live(module);
  fernwood::python::bind_mapping(module);
}
