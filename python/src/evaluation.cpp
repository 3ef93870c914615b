// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Evaluation and explanation of forests: accuracy, explanations of pixels, importance, studies.

#include <memory>
#include <optional>

#include "fernwood/dataset/frame_poses.h"
#include "fernwood/evaluate/evaluate.h"
#include "fernwood/evaluate/explain.h"
#include "fernwood/evaluate/importance.h"
#include "fernwood/report/evaluation.h"
#include "fernwood/tune/study.h"
#include "python/common/src/gil.h"
#include "python/src/frames.h"
#include "python/src/handles.h"

namespace fernwood::python {

namespace {

constexpr const char* kForestInMemory = "a forest in memory";

predict::PredictOptions labelling_options(const OptionTexts& texts) {
  predict::PredictOptions options;
  predict::set_options(texts, options);
  options.check();
  return options;
}

void note_camera_of(const ForestHandle& forest, const DatasetHandle& dataset) {
  const std::string note = with_gil_released([&] { return dataset.data.camera_note(forest.forest->preparation); });
  if (!note.empty()) warn({note});
}

void check_has_labels(const DatasetHandle& dataset) {
  FW_CHECK(dataset.has_labels, Usage, "the frames have no labels to compare with; pass them to Dataset");
}

/// @param finds_objects  Empty: where the data set has instances.
ReportHandle evaluate_forest(const ForestHandle& forest, const DatasetHandle& dataset, const OptionTexts& texts,
                             int num_pictures, std::optional<bool> finds_objects, const OptionTexts& object_texts,
                             const nb::object& tell) {
  check_has_labels(dataset);
  warn_about_input(dataset);
  note_camera_of(forest, dataset);
  const predict::PredictOptions options = labelling_options(texts);
  if (options.steady) warn(with_gil_released([&] { return dataset::pose_warnings(dataset.data); }));
  evaluate::EvaluateOptions wanted{.pictures = num_pictures > 0,
                                   .num_pictures = num_pictures,
                                   .uses_poses = options.steady,
                                   .finds_objects = finds_objects};
  for (const auto& [name, text] : object_texts) set_option(name, text, wanted.objects);
  const auto report = run_counted("evaluating", tell, [&](const ProgressCallback& progress) {
    const auto predictor = predict::make_predictor(*forest.forest, options);
    ThreadPool pool(options.threads);
    auto found = std::make_shared<evaluate::EvaluationReport>(
        evaluate::evaluate(*predictor, *forest.forest, dataset.data, wanted, pool, progress));
    found->device = to_string(choose_device(options.device).device) + ", " + predictor->layout();
    return found;
  });
  warn(report->warnings);
  report->model = kForestInMemory;
  report->dataset = dataset.data.folder().string();
  return {[=] { return report::evaluation_json(*report); }, [=] { return report::evaluation_table(*report, false); },
          [=] { return report::evaluation_page(*report); }};
}

ReportHandle explain_pixel(const ForestHandle& forest, nb::handle item, std::int32_t x, std::int32_t y,
                           const std::string& name) {
  begin_threads();
  const FrameArrays arrays = frame_arrays(item, "");
  const auto frame = std::make_shared<image::Frame>();
  const WithoutGil without_gil;
  copy_frame(arrays, *frame);
  const auto pixel = std::make_shared<const evaluate::PixelExplanation>(
      evaluate::explain_known(*forest.forest, *frame, x, y, kForestInMemory, name));
  return {[=] { return report::explanation_json(*pixel); }, [=] { return report::explanation_table(*pixel, false); },
          [=] { return report::explanation_page(*pixel, *frame); }};
}

ReportHandle importance_of(const ForestHandle& forest, const DatasetHandle& dataset, std::uint64_t seed, int threads,
                           const nb::object& tell) {
  check_has_labels(dataset);
  warn_about_input(dataset);
  std::vector<std::string> unknown;
  const auto report = run_counted("labelling", tell, [&](const ProgressCallback& progress) {
    ThreadPool pool(threads);
    unknown = dataset.data.class_warnings(pool, forest.forest->classes);
    auto found = std::make_shared<evaluate::ImportanceReport>();
    found->permutation = evaluate::permutation_importance(*forest.forest, dataset.data, seed, pool, progress);
    return found;
  });
  warn(unknown);
  report->model = kForestInMemory;
  report->dataset = dataset.data.folder().string();
  return {
      [=] { return report::importance_json(*report); }, [=] { return report::importance_table(*report, false); }, {}};
}

ReportHandle study_training(const DatasetHandle& train, const DatasetHandle& test, const std::vector<std::string>& only,
                            const OptionTexts& train_texts, const OptionTexts& predict_texts, const nb::object& tell) {
  check_has_labels(train);
  check_has_labels(test);
  tune::StudyOptions options;
  train::set_options(train_texts, &train.data, options.train, options.resources);
  options.smoothing = labelling_options(predict_texts).smoothing;
  options.only = only;
  options.check();
  begin_threads();
  ProgressSlot<ProgressWords> slot;
  PendingWarnings warnings(train.said);
  const auto study = run_interruptibly(
      [&](const std::stop_token& stop) {
        const tune::StudyHooks hooks{
            .progress = [&](const tune::StudyProgress& now) { slot.put(report::progress_words(now)); },
            .stop = stop,
            .warn = [&](const Warning& warning) { warnings.put(in_python(warning.text)); }};
        return std::make_shared<const tune::Study>(tune::run_study(train.data, test.data, options, hooks));
      },
      teller(slot, tell, warnings));
  return {[=] { return report::study_json(*study); }, [=] { return report::study_table(*study, false); },
          [=] { return report::study_page(*study); }};
}

ReportHandle verify_forest(const ForestHandle& forest, const DatasetHandle& dataset, const OptionTexts& texts,
                           const nb::object& tell) {
  const predict::PredictOptions options = labelling_options(texts);
  predict::check_images(*forest.forest, dataset.data.content(), dataset.data.folder().string());
  const auto report = run_counted("verifying", tell, [&](const ProgressCallback& progress) {
    const evaluate::LabellingWays found = evaluate::every_labelling_way(*forest.forest, options);
    return std::make_shared<evaluate::VerifyReport>(
        evaluate::verify(found, dataset.data, forest.forest->classes, progress));
  });
  report->model = kForestInMemory;
  return {[=] { return report::verification_json(*report); },
          [=] { return report::verification_table(*report, false); },
          {}};
}

}  // namespace

void bind_evaluation(nb::module_& module) {
  module.def("evaluate", evaluate_forest, nb::arg("forest"), nb::arg("dataset"), nb::arg("options"),
             nb::arg("num_pictures"), nb::arg("finds_objects").none(), nb::arg("object_options"),
             nb::arg("tell").none());
  module.def("explain", explain_pixel, nb::arg("forest"), nb::arg("frame"), nb::arg("x"), nb::arg("y"),
             nb::arg("name"));
  module.def("importance", importance_of, nb::arg("forest"), nb::arg("dataset"), nb::arg("seed"), nb::arg("threads"),
             nb::arg("tell").none());
  module.attr("EXCHANGE_SEED") = evaluate::kExchangeSeed;
  module.def("verify", verify_forest, nb::arg("forest"), nb::arg("dataset"), nb::arg("options"),
             nb::arg("tell").none());
  module.def("study", study_training, nb::arg("train"), nb::arg("test"), nb::arg("only"), nb::arg("train_options"),
             nb::arg("predict_options"), nb::arg("tell").none());
}

}  // namespace fernwood::python
