// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Reports of training, evaluation and explanation, for people (tables, pages) and for programs (JSON). Tables are in
// UTF-8 and at most 100 columns wide, except where names are longer, with shares in percent and "-" where nothing was
// counted; `color` enables ANSI colours. JSON is one object, indented by two spaces, with a final newline; shares are
// in [0, 1], null where nothing was counted; keys: docs/reference/evaluate.md. Pages open offline.

#include <filesystem>
#include <string>

#include "fernwood/core/text.h"
#include "fernwood/evaluate/evaluate.h"
#include "fernwood/evaluate/explain.h"
#include "fernwood/evaluate/importance.h"
#include "fernwood/evaluate/sequence.h"
#include "fernwood/search/report.h"
#include "fernwood/train/train.h"
#include "fernwood/tune/search_forest.h"
#include "fernwood/tune/study.h"
#include "fernwood/tune/train_optimized.h"

namespace fernwood::report {

/// Progress of a training.
ProgressWords progress_words(const train::TrainProgress& progress);

/// Trees, samples, device, times. @param optimized  Result of tuning class weights; null: they are not tuned.
std::string training_table(const train::TrainReport& report, const forest::Forest& forest,
                           const tune::OptimizeReport* optimized = nullptr);
/// Time per stage and level, summed over the trees. On a CPU, stages are shares of the wall time (thread time divided
/// by the number of threads); on a GPU, they are kernel time.
std::string stage_table(const train::TrainReport& report);
/// Throughput of the stages on a GPU, relative to its limits, in some lines.
std::string roofline_text(const train::GpuRoofline& roofline);

/// Keys: docs/reference/training_report.md.
std::string training_json(const train::TrainReport& report, const forest::Forest& forest,
                          const tune::OptimizeReport* optimized = nullptr);
/// Where `fernwood train` writes training_json() beside a model.
inline std::filesystem::path training_json_path(const std::filesystem::path& model) {
  return model.string() + ".report.json";
}

/// Accuracies, and for up to 12 classes the confusion matrix. Class colours are 24-bit.
std::string evaluation_table(const evaluate::EvaluationReport& report, bool color);
std::string evaluation_json(const evaluate::EvaluationReport& report);

/// Per-class bars, the confusion matrix, and the shown frames.
std::string evaluation_page(const evaluate::EvaluationReport& report);

/// One line for each way of labelling a recording.
std::string sequence_table(const evaluate::SequenceReport& report, bool color);
std::string sequence_json(const evaluate::SequenceReport& report);

/// An explanation in short texts, for a page that shows frames: {"pixel", "classes": [{"name", "color", "share"}],
/// "trees": [{"answer", "tests": [{"channels", "response", "side"}]}]}.
std::string explanation_words_json(const evaluate::PixelExplanation& explanation);
/// A table for each tree.
std::string explanation_table(const evaluate::PixelExplanation& explanation, bool color);
std::string explanation_json(const evaluate::PixelExplanation& explanation);
/// For each tree, the frame with the regions of all tests, and for each test, a detail view of its regions and the
/// classes of the samples that reached it. @param frame  The frame that was explained.
std::string explanation_page(const evaluate::PixelExplanation& explanation, const image::Frame& frame);

/// Loss of accuracy when channels are exchanged between frames.
std::string importance_table(const evaluate::ImportanceReport& report, bool color);
std::string importance_json(const evaluate::ImportanceReport& report);

/// One line for each way to label. Keys of the JSON: docs/reference/devices.md.
std::string verification_table(const evaluate::VerifyReport& report, bool color);
std::string verification_json(const evaluate::VerifyReport& report);

/// Progress of a study.
ProgressWords progress_words(const tune::StudyProgress& progress);

/// Accuracies in percent, differences in percentage points.
std::string study_table(const tune::Study& study, bool color);
std::string study_json(const tune::Study& study);
/// Accuracy over the time per frame, and the differences to the base as bars.
std::string study_page(const tune::Study& study);

// Reports of the result of a search of image forests, for people and programs.

/// Winner and defaults evaluated on the frames that were not used by races, the winner's options, and the course of the
/// race.
std::string search_table(const tune::ForestSearch& found, bool color);
/// The complete result, with every trial. Keys: docs/reference/search.md.
std::string search_json(const tune::ForestSearch& found);
/// A page: accuracy over milliseconds with the Pareto front, the effect of each parameter, the race, and the winner's
/// cost.
std::string search_page(const tune::ForestSearch& found);
/// Writes search::search_files(), each atomically; a link with one of these names is replaced.
/// @param preset  Initial preset of the search. @throws Error as write_file_atomically().
void write_search(const std::filesystem::path& folder, const tune::ForestSearch& found, const std::string& preset);

}  // namespace fernwood::report
