// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/core/file.h"
#include "fernwood/core/model_format.h"
#include "fernwood/core/option_table.h"
#include "fernwood/records/record_forest.h"

namespace fernwood::records {

/// Writes a forest over attributes as one model file, in the container format of forests over pixels; see
/// docs/reference/model_file.md. Equal forests produce equal files. The file is atomic: it appears complete or not at
/// all. @throws Error(kModel), before a byte is written, if the forest breaks a rule that load_records() checks;
/// Error(kRuntime, kResource) if the file cannot be written.
void save_records(const RecordForest& forest, const std::filesystem::path& path, NamedBy named_by = NamedBy::kUser);

/// Reads a model file and checks it, so that every loaded forest can be evaluated.
/// @throws Error(kModel) for a damaged, truncated, foreign or newer file; Error(kRuntime) if it cannot be read.
RecordForest load_records(const std::filesystem::path& path);

/// Writes a forest as a C++17 header that only depends on the standard library: `int classify(const float* record)`
/// and `void classify(const float* record, float* probabilities)`, which return the classes and probabilities of
/// choose_class() and probabilities_of(). Thresholds are exact, and unknown values (NaN) go to the side of each test.
/// @param name_space  Namespace of the header. @throws Error(kUsage) if it is not a C++ identifier, Error(kModel).
void write_cpp(const RecordForest& forest, const std::string& name_space, std::ostream& out);

/// Writes a forest as an ONNX file with the operator TreeEnsemble of ai.onnx.ml 5, supported by onnxruntime from 1.20:
/// input `records` [record][attribute] in 32 bits, outputs `label` [record] and `probabilities` [record][class], or
/// `values` [record][target]. Sums are those of choose_class() or sum_values(): whole numbers, or floating-point sums
/// in the order of trees if a leaf holds one number and onnxruntime uses one thread. Names are stored as JSON, in the
/// metadata `attributes` and `classes` or `targets`.
/// @throws Error(kModel) for a forest without trees, or too large for ONNX.
void write_onnx(const RecordForest& forest, std::ostream& out);

/// Library or format of a model to be imported.
enum class ModelSource {
  kAuto,      ///< Detected from the file's content.
  kSklearn,   ///< scikit-learn, from Python's memory; it has no file format.
  kXgboost,   ///< XGBoost, save_model("FILE.json") or save_model("FILE.ubj").
  kLightgbm,  ///< LightGBM, save_model("FILE.txt").
  kTreelite,  ///< Treelite, dump_as_json().
  kCatboost,  ///< CatBoost, save_model("FILE.json", format="json").
  kOnnx       ///< ONNX with one tree ensemble operator, as skl2onnx and onnxmltools write.
};
inline constexpr std::array kModelSources = {ModelSource::kAuto,     ModelSource::kXgboost,  ModelSource::kLightgbm,
                                             ModelSource::kTreelite, ModelSource::kCatboost, ModelSource::kOnnx};
/// "auto", "sklearn", "xgboost", "lightgbm", "treelite", "catboost", "onnx".
std::string to_string(ModelSource source);

/// Rounds to import from an XGBoost model whose training stopped early.
enum class Rounds {
  kAuto,  ///< Those that predict() of the class that wrote the file uses: kBest for XGBClassifier, kAll for Booster.
  kAll,   ///< All rounds in the file.
  kBest   ///< Up to best_iteration if the model has it, else all.
};
inline constexpr std::array kRounds = {Rounds::kAuto, Rounds::kAll, Rounds::kBest};
/// "auto", "all", "best".
std::string to_string(Rounds rounds);

/// Options of import_model(), including facts that model files do not store.
struct ImportOptions {
  ModelSource format = ModelSource::kAuto;
  std::vector<std::string> classes = {};     ///< Names; empty: the file's, or "0", "1" ...
  std::vector<std::string> attributes = {};  ///< Names; empty: the file's, or "f0", "f1" ...
  Rounds rounds = Rounds::kAuto;
  /// A number that means unknown, besides NaN, such as XGBModel's `missing`, which its files do not store.
  std::optional<float> missing = {};

  static OptionTable<ImportOptions> table();
};

/// Imports a model that another library trained. In the resulting forest every record reaches the same leaves: tests
/// are converted to "up to a threshold" without loss, and unknown values (NaN) go to the library's side.
/// Floating-point sums are computed in the library's order and precision. Leaf values of classifiers are also rounded
/// to whole numbers, with as many fraction bits as fit into the sums.
/// @throws Error(kModel) for a damaged file, or a model that a RecordForest cannot represent, naming file, fact and
/// remedy; Error(kUsage) if the number of names differs from the file's; Error(kRuntime) if it cannot be read.
/// @param note  Written if not null: a decision for the user to know, such as the rounds imported; else empty.
RecordForest import_model(const std::filesystem::path& path, const ImportOptions& options = {},
                          std::string* note = nullptr);

/// Whether the forest comes from LightGBM, which replaces spaces in the names of attributes by underscores.
bool spaces_are_underscores(const RecordForest& forest);

/// A sentence if a newer version of a library trained the imported forest than those whose answers were compared with
/// fernwood's; else empty.
std::string version_note(const RecordForest& forest);

/// import_model() for a model in memory, such as from XGBoost's save_raw("json" or "ubj") or LightGBM's
/// model_to_string(). @param name  Its name in messages.
RecordForest import_text_of(std::string_view text, const std::string& name, const ImportOptions& options = {},
                            std::string* note = nullptr);

}  // namespace fernwood::records
