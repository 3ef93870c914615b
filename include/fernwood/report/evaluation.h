// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What growing forests took, what they are found to be worth and why, for people (tables, pages) and for programs
// (JSON). Tables are in UTF-8, at most 100 columns wide but for names, with shares in percent and "-" where nothing was
// counted; `color` gives them ANSI colours. JSON is one object, indented by two spaces, with a final newline; shares
// are in [0, 1], null where nothing was counted; keys: docs/reference/evaluate.md. Pages open offline.

#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/evaluate/evaluate.h"
#include "fernwood/evaluate/explain.h"
#include "fernwood/evaluate/importance.h"
#include "fernwood/evaluate/sequence.h"
#include "fernwood/evaluate/verify.h"
#include "fernwood/report/format.h"
#include "fernwood/search/study.h"
#include "fernwood/search/train_optimized.h"
#include "fernwood/train/report.h"

namespace fernwood::report {

/// How far a training is.
ProgressWords progress_words(const train::TrainProgress& progress);

/// Trees, samples, device, times. @param optimized  What weighing classes gave; null: they are not weighed.
std::string training_table(const train::TrainReport& report, const forest::Forest& forest,
                           const search::OptimizeReport* optimized = nullptr);
/// Time per stage and level, summed over the trees. Stages of a CPU are shares of the wall clock, thread time by
/// threads; those of a GPU are kernel time.
std::string stage_table(const train::TrainReport& report);
/// Some lines about what the stages reached on a GPU.
std::string roofline_text(const train::GpuRoofline& roofline);

/// Keys: docs/reference/training_report.md.
std::string training_json(const train::TrainReport& report, const forest::Forest& forest,
                          const search::OptimizeReport* optimized = nullptr);
/// Where `fernwood train` leaves that beside a model.
inline std::filesystem::path training_json_path(const std::filesystem::path& model) {
  return model.string() + ".report.json";
}
/// Reads what evaluation_page() shows of it: device, seconds and levels. @throws Error(kRuntime) when the file cannot
/// be read, Error(kData) when it is damaged, or of another training than that which gave `forest` (by options and
/// provenance).
train::TrainReport read_training_json(const std::filesystem::path& path, const forest::Forest& forest);

/// The confusion matrix is part of it up to 12 classes. Class colours are in 24 bits.
std::string evaluation_table(const evaluate::EvaluationReport& report, bool color);
std::string evaluation_json(const evaluate::EvaluationReport& report);

/// What growing the evaluated model took, or why that is not known.
struct KnownTraining {
  std::optional<train::TrainReport> report;
  std::string problem;  ///< Else why not, a sentence for people; empty: nobody looked.
};
/// Per-class bars, the confusion matrix, the shown frames, the channels that splits read (thesis figures 5.9 and A.1)
/// and the time of training by level and stage (figure 5.5).
std::string evaluation_page(const evaluate::EvaluationReport& report, const KnownTraining& training = {});

/// A line for each way of labelling a recording.
std::string sequence_table(const evaluate::SequenceReport& report, bool color);
std::string sequence_json(const evaluate::SequenceReport& report);
/// The same, with flicker and accuracy of each frame as lines over time.
std::string sequence_page(const evaluate::SequenceReport& report);

/// An explanation in the few words that a line on a screen has room for.
struct ExplanationWords {
  struct Test {
    std::string channels;  ///< "depth - depth", or "L" when the test looks at region a alone.
    std::string response;  ///< "1442.1 > 12.0", or why it is unknown: "region b leaves the frame".
    std::string side;      ///< "left" or "right".
  };
  struct Tree {
    std::string answer;       ///< "wall 81.2 %, floor 10.1 %, 3 more"
    std::vector<Test> tests;  ///< From the root on.
  };
  std::string pixel;  ///< "pixel 320,240, depth 1442 mm: wall"
  std::vector<Tree> trees;
};
/// @param most_classes  Of each tree's answer.
ExplanationWords explanation_words(const evaluate::PixelExplanation& explanation, std::size_t most_classes);

/// A table for each tree.
std::string explanation_table(const evaluate::PixelExplanation& explanation, bool color);
std::string explanation_json(const evaluate::PixelExplanation& explanation);
/// For each tree the frame with the regions of all tests, and for each test its regions close by and the classes of the
/// samples that came there. @param frame  The one that was explained.
std::string explanation_page(const evaluate::PixelExplanation& explanation, const image::Frame& frame);

/// What exchanging channels between frames costs.
std::string permutation_table(const evaluate::PermutationImportance& permutation, bool color);
std::string permutation_json(const evaluate::PermutationImportance& permutation);
/// The same, and what splits gained in training.
std::string importance_table(const evaluate::ImportanceReport& report, bool color);
std::string importance_json(const evaluate::ImportanceReport& report);

/// A line for each way to label. Keys of the JSON: docs/reference/devices.md.
std::string verification_table(const evaluate::VerifyReport& report, bool color);
std::string verification_json(const evaluate::VerifyReport& report);

/// How far a study is.
ProgressWords progress_words(const search::StudyProgress& progress);

/// In percent and points.
std::string study_table(const search::Study& study, bool color);
std::string study_json(const search::Study& study);
/// Accuracy against the time of a frame, and the differences to the base as bars.
std::string study_page(const search::Study& study);

}  // namespace fernwood::report
