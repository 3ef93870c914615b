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

/// Writes a forest over attributes as one file, in the container that forests over pixels have too. Docs:
/// docs/reference/model_file.md. Equal forests give equal files; the file appears whole or not at all.
/// @throws Error(kModel), before a byte is written, when the forest breaks a rule that load_records checks;
/// Error(kRuntime, kResource) when the file cannot be written.
void save_records(const RecordForest& forest, const std::filesystem::path& path, NamedBy named_by = NamedBy::kUser);

/// Reads a model file and checks it, so that a forest that loads can be used.
/// @throws Error(kModel) in one sentence for a damaged, truncated, foreign or newer file; Error(kRuntime) if
/// unreadable.
RecordForest load_records(const std::filesystem::path& path);

/// Writes a forest as a C++17 header that needs nothing but the standard library: `int classify(const float* record)`
/// and `void classify(const float* record, float* probabilities)`, which give the classes and probabilities that
/// choose_class() and probabilities_of() give. Thresholds are exact, and unknown values (NaN) go where the tests say.
/// @param name_space  That the header's names are in. @throws Error(kUsage) if it is no name of C++, Error(kModel).
void write_cpp(const RecordForest& forest, const std::string& name_space, std::ostream& out);

/// Writes a forest as an ONNX file, of operator TreeEnsemble of ai.onnx.ml 5, which onnxruntime has from 1.20: the
/// input `records` [record][attribute] in 32 bits, the outputs `label` [record] and `probabilities` [record][class], or
/// `values` [record][target]. Sums are those of choose_class() or sum_values(): whole numbers, or in floating point in
/// the order of trees where a leaf holds one number and onnxruntime has one thread. Names go along as JSON, in the
/// notes `attributes` and `classes` or `targets`.
/// @throws Error(kModel) for a forest without trees, or too large for ONNX.
void write_onnx(const RecordForest& forest, std::ostream& out);

/// Who wrote a model that is to be imported.
enum class ModelSource {
  kAuto,      ///< Whoever the file's content shows.
  kSklearn,   ///< scikit-learn, from Python's memory; it has no files.
  kXgboost,   ///< XGBoost, save_model("FILE.json") or save_model("FILE.ubj").
  kLightgbm,  ///< LightGBM, save_model("FILE.txt").
  kTreelite,  ///< Treelite, dump_as_json().
  kCatboost,  ///< CatBoost, save_model("FILE.json", format="json").
  kOnnx       ///< ONNX with one operator of trees, as skl2onnx and onnxmltools write.
};
inline constexpr std::array kModelSources = {ModelSource::kAuto,     ModelSource::kXgboost,  ModelSource::kLightgbm,
                                             ModelSource::kTreelite, ModelSource::kCatboost, ModelSource::kOnnx};
/// "auto", "sklearn", "xgboost", "lightgbm", "treelite", "catboost", "onnx".
std::string to_string(ModelSource source);

/// Which rounds of an XGBoost model that stopped early are taken.
enum class Rounds {
  kAuto,  ///< Those that predict() of whoever wrote the file takes: XGBClassifier's the best, Booster's all.
  kAll,   ///< All that are in the file.
  kBest   ///< Up to best_iteration where the model has one, else all.
};
inline constexpr std::array kRounds = {Rounds::kAuto, Rounds::kAll, Rounds::kBest};
/// "auto", "all", "best".
std::string to_string(Rounds rounds);

/// How a model is read, and what it does not say.
struct ImportOptions {
  ModelSource format = ModelSource::kAuto;
  std::vector<std::string> classes = {};     ///< Names; empty: the file's, or "0", "1" ...
  std::vector<std::string> attributes = {};  ///< Names; empty: the file's, or "f0", "f1" ...
  Rounds rounds = Rounds::kAuto;
  /// A number that stands for unknown values, besides NaN, such as XGBModel's `missing`, which is in no file.
  std::optional<float> missing = {};

  static OptionTable<ImportOptions> table();
};

/// A model that another library trained, as a forest that takes every record to the leaves that the library takes
/// it to: tests are turned into "up to a threshold" without loss, unknown values (NaN) go where the library sends them.
/// Sums in floating point are added in the library's order and precision. Leaf values of classifiers are also rounded
/// to whole numbers with as many bits of fraction as the sums have room for.
/// @throws Error(kModel) for a file that is damaged, or that no RecordForest can stand for, naming file, fact and
/// remedy; Error(kUsage) when the numbers of names differ from the file's; Error(kRuntime) if unreadable.
/// @param note  Written where it is given: what was decided, such as which rounds were taken; else empty.
RecordForest import_model(const std::filesystem::path& path, const ImportOptions& options = {},
                          std::string* note = nullptr);

/// Whether the names of attributes are those that LightGBM writes: spaces of the columns' names have become
/// underscores.
bool spaces_are_underscores(const RecordForest& forest);

/// The same of a text in memory, such as XGBoost's save_raw("json" or "ubj") or LightGBM's model_to_string() give.
/// @param name  What messages call it.
RecordForest import_text_of(std::string_view text, const std::string& name, const ImportOptions& options = {},
                            std::string* note = nullptr);

}  // namespace fernwood::records
