// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/record_file.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "core/json_text.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "records/import/onnx_trees.h"
#include "records/import/source_model.h"

namespace fernwood::records {

using nlohmann::json;

namespace {

constexpr int kMaxNesting = 64;  // of nesting; far more than files of any library have

ErrorContext importing(const std::string& file) {
  return {file, "; the file is damaged or of a version that is not known: save the model again", "model"};
}

[[noreturn]] void fail_unknown(const ErrorContext& place) {
  throw Error(ErrorKind::kModel,
              place.file +
                  " is not a model that can be imported; use XGBoost's .json or .ubj, LightGBM's .txt, CatBoost's "
                  ".json, Treelite's dump_as_json() or .onnx");
}

/// Detects files of known libraries in a form that cannot be read.
void check_form(std::string_view text, const ErrorContext& place) {
  FW_CHECK(!text.empty(), Model, place.file << " is empty" << place.remedy);
  FW_CHECK(!text.starts_with("FERNWOOD"), Model, place.file << " is a model file of fernwood already; use it as it is");
  FW_CHECK(text[0] != '\x80' && !text.starts_with("\x78\x9c"), Model,
           place.file << " is a pickle or joblib file, which only Python reads; in Python "
                      << "fernwood_tables.accelerate(model).forest.save(\"NAME.fernwood\") writes a model file of it");
  FW_CHECK(!text.starts_with("binf"), Model,
           place.file << " is a model of XGBoost in the binary format of before version 1.6; save it with "
                      << "save_model(\"NAME.json\")");
  FW_CHECK(!text.starts_with("CBM1"), Model,
           place.file << " is a binary model of CatBoost; save it with save_model(\"NAME.json\", format=\"json\")");
  FW_CHECK(text.find("\"threshold\":,") == text.npos && text.find("\"threshold\": ,") == text.npos, Model,
           place.file << " has an infinite threshold, of which Treelite writes nothing; import the model from a file "
                      << "written by the library that trained it");
}

/// Detects Universal Binary JSON: the type or length of the first name follows the brace, which is invalid in JSON.
bool is_ubjson(std::string_view text) {
  return text.size() > 1 && text[0] == '{' && std::string_view("UiIlL#$").find(text[1]) != std::string_view::npos;
}

/// XGBoost 2 writes NaN in inner nodes of trees with vectors in their leaves.
void check_no_nan(std::string_view text, const ErrorContext& place) {
  FW_CHECK(text.find(",NaN,") == text.npos || json::accept(text), Model,
           place.file << " has values that are not numbers, for which JSON has no word; save the model with "
                      << "save_model(\"NAME.ubj\") and import that file");
}

ModelSource source_of(const JsonField& root, const ErrorContext& place) {
  if (root.has("learner")) return ModelSource::kXgboost;
  if (root.has("features_info")) return ModelSource::kCatboost;
  if (root.has("task_type") || root.has("threshold_type")) return ModelSource::kTreelite;
  fail_unknown(place);
}

/// Refuses fields of XGBoost that newer versions may add: they may change answers.
void check_xgboost_fields(const json& document, const ErrorContext& place) {
  struct KnownFields {
    const char* path;
    std::vector<std::string_view> names;
  };
  const KnownFields all[] = {
      {"/learner/gradient_booster", {"name", "model", "gbtree", "weight_drop"}},
      {"/learner/gradient_booster/model",
       {"cats", "gbtree_model_param", "iteration_indptr", "tree_info", "trees", "weight_drop"}},
      {"/learner/learner_model_param", {"base_score", "boost_from_average", "num_class", "num_feature", "num_target"}}};
  for (const KnownFields& known : all) {
    const json::json_pointer path(known.path);
    if (!document.contains(path) || !document[path].is_object()) continue;
    for (const auto& [name, value] : document[path].items())
      FW_CHECK(std::ranges::find(known.names, name) != known.names.end(), Model,
               place.file << " has the field " << json_text(json(name)) << " in " << known.path
                          << ", which is not known and may change answers; update fernwood, or save the model by an "
                          << "older version of XGBoost");
  }
}

SourceModel read_json(std::string_view text, const ImportOptions& options, ModelSource* found,
                      const ErrorContext& place) {
  if (!is_ubjson(text)) check_no_nan(text, place);
  const json document =
      is_ubjson(text) ? parse_ubjson(text, kMaxNesting, place) : parse_json(text, kMaxNesting, "the model", place);
  const JsonField root(document, "", place);
  *found = options.format == ModelSource::kAuto ? source_of(root, place) : options.format;
  if (*found == ModelSource::kXgboost) {
    SourceModel model = read_xgboost(root, options.rounds, place);
    check_xgboost_fields(document, place);
    return model;
  }
  if (*found == ModelSource::kTreelite) return read_treelite(root, place);
  return read_catboost(root, place);
}

SourceModel read_source(std::string_view text, const ImportOptions& options, ModelSource* found,
                        const ErrorContext& place) {
  const ModelSource format = options.format;
  check_form(text, place);
  const bool is_json = text[text.find_first_not_of(" \t\r\n") % text.size()] == '{';
  if (format == ModelSource::kLightgbm || (format == ModelSource::kAuto && text.starts_with("tree"))) {
    *found = ModelSource::kLightgbm;
    return read_lightgbm(text, place);
  }
  if (format == ModelSource::kOnnx || (format == ModelSource::kAuto && is_onnx(text))) {
    *found = ModelSource::kOnnx;
    return read_onnx(text, place);
  }
  if (!is_json) fail_unknown(place);
  return read_json(text, options, found, place);
}

void set_missing(float value, SourceModel& model, const ErrorContext& place) {
  FW_CHECK(std::isfinite(value), Usage,
           place.file << ": " << value << " cannot stand for unknown values; use a finite number (NaN always does)");
  FW_CHECK(model.missing.empty(), Usage,
           place.file << " has a rule of its own for unknown values, so that none can be given");
  for (std::size_t a = 0; a < model.num_attributes; ++a)
    model.missing.push_back({static_cast<std::uint16_t>(a), value, value});
}

/// The user's names, else the file's, else numbers.
std::vector<std::string> choose_names(const std::vector<std::string>& given, const std::vector<std::string>& own,
                                      std::size_t count, const char* what, const char* prefix,
                                      const ErrorContext& place) {
  FW_CHECK(given.empty() || given.size() == count, Usage,
           place.file << " has " << count << " " << what << ", but " << given.size()
                      << (given.size() == 1 ? " name was" : " names were") << " given; name each, in their order");
  for (const std::string& name : given)
    if (const std::string problem = name_problem(name); !problem.empty())
      throw Error(ErrorKind::kUsage, "a name given for the " + std::string(what) + " of " + place.file + " " + problem +
                                         "; use short names in UTF-8");
  if (!given.empty()) return given;
  if (!own.empty() && own.size() == count) {
    for (const std::string& name : own)
      FW_CHECK(is_utf8(name), Model,
               place.file << ": the name of one of its " << what << " is not UTF-8" << place.remedy);
    return own;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(prefix + std::to_string(i));
  return names;
}

void check_ambiguity(const RecordForest& forest, const ImportOptions& options, const ErrorContext& place) {
  const auto check = [&](const char* option, bool is_given, const std::string& problem) {
    if (!problem.empty())
      throw Error(is_given ? ErrorKind::kUsage : ErrorKind::kModel,
                  place.file + " " + problem + "; use other names with " + named_option(option));
  };
  check("attributes", !options.attributes.empty(), ambiguity_of(forest.attributes, {}));
  check("classes", !options.classes.empty(), ambiguity_of({}, forest.classes));
}

}  // namespace

std::string to_string(ModelSource source) {
  switch (source) {
    case ModelSource::kAuto:
      return "auto";
    case ModelSource::kSklearn:
      return "sklearn";
    case ModelSource::kXgboost:
      return "xgboost";
    case ModelSource::kLightgbm:
      return "lightgbm";
    case ModelSource::kTreelite:
      return "treelite";
    case ModelSource::kCatboost:
      return "catboost";
    case ModelSource::kOnnx:
      return "onnx";
  }
  return "unknown";
}

std::string to_string(Rounds rounds) {
  switch (rounds) {
    case Rounds::kAuto:
      return "auto";
    case Rounds::kAll:
      return "all";
    case Rounds::kBest:
      return "best";
  }
  return "unknown";
}

std::int32_t whole_number(double value, const char* what, const ErrorContext& place) {
  FW_CHECK(value >= INT32_MIN && value <= INT32_MAX && value == std::floor(value), Model,
           place.file << ": " << what << " is " << value << ", not an integer of 32 bits" << place.remedy);
  return static_cast<std::int32_t>(value);
}

void check_attribute_count(std::size_t count, const ErrorContext& place) {
  FW_CHECK(count <= kMaxAttributes, Model,
           place.file << " has " << count << " attributes, more than the " << kMaxAttributes
                      << " of a forest; leave out those that no tree tests, and train again");
}

namespace {

/// The newest version of each library whose answers were compared: docs/reference/import_models.md.
struct ComparedVersion {
  ModelSource library;
  int major, minor;
};
constexpr ComparedVersion kNewestCompared[] = {{ModelSource::kXgboost, 3, 4},
                                               {ModelSource::kLightgbm, 4, 0},  // of the format
                                               {ModelSource::kCatboost, 1, 2},
                                               {ModelSource::kSklearn, 1, 9}};

constexpr std::array kImportRows = {
    choice_option<kModelSources, &ImportOptions::format>("format",
                                                         "Library that wrote the file; auto: as its content shows"),
    choice_option<kRounds, &ImportOptions::rounds>(
        "rounds",
        "Rounds of an XGBoost model that stopped early; auto: as predict() of the library that wrote the file"),
    option<&ImportOptions::classes>("classes", "Names of the classes, in the order of their numbers").takes("A,B,..."),
    option<&ImportOptions::attributes>("attributes", "Names of the attributes, in the table's order").takes("A,B,..."),
    option<&ImportOptions::missing>(
        "missing",
        "Number that stands for unknown values, besides NaN, such as XGBModel's missing, which files do not have"),
};

}  // namespace

OptionTable<ImportOptions> ImportOptions::table() { return kImportRows; }

bool spaces_are_underscores(const RecordForest& forest) {
  const json provenance = json::parse(forest.provenance_json, nullptr, false);
  return provenance.is_object() && provenance.value("imported_from", json()) == to_string(ModelSource::kLightgbm);
}

std::string version_note(const RecordForest& forest) {
  const json provenance = json::parse(forest.provenance_json, nullptr, false);
  if (!provenance.is_object()) return {};
  const std::string library = provenance.value("imported_from", ""), version = provenance.value("version", "");
  const auto* newest =
      std::ranges::find(kNewestCompared, library, [](const auto& row) { return to_string(row.library); });
  if (newest == std::end(kNewestCompared)) return {};
  const std::size_t first = version.starts_with('v') ? 1 : 0;
  int major = 0, minor = 0;
  const char* const end = version.data() + version.size();
  const char* const dot = std::from_chars(version.data() + first, end, major).ptr;
  if (dot < end && *dot == '.') std::from_chars(dot + 1, end, minor);
  if (std::pair(major, minor) <= std::pair(newest->major, newest->minor)) return {};
  return "the model is of " + library + " " + version +
         ", newer than the versions whose answers were compared (up to " + std::to_string(newest->major) + "." +
         std::to_string(newest->minor) + "); compare some answers with those of the library";
}

RecordForest import_model(const std::filesystem::path& path, const ImportOptions& options, std::string* note) {
  return import_text_of(read_text(path), path.string(), options, note);
}

RecordForest import_text_of(std::string_view text, const std::string& name, const ImportOptions& options,
                            std::string* note) {
  const DefaultFloats floats;
  const ErrorContext place = importing(name);
  ModelSource found = options.format;
  SourceModel model = read_source(text, options, &found, place);
  FW_CHECK(found == ModelSource::kXgboost || options.rounds == Rounds::kAuto, Usage,
           place.file << ": " << named_option("rounds")
                      << " has no effect on a model that XGBoost did not write; leave it out");
  if (options.missing) set_missing(*options.missing, model, place);
  if (note) *note = model.note;
  return finish_import(model, found, checksum(text.data(), text.size()), options, place);
}

RecordForest finish_import(const SourceModel& model, ModelSource source, std::uint64_t model_checksum,
                           const ImportOptions& options, const ErrorContext& place) {
  RecordForest forest = to_record_forest(model, place);
  forest.classes = choose_names(options.classes, model.classes, model.num_classes, "classes", "", place);
  if (model.num_classes == 0)
    forest.targets = choose_names({}, model.targets, model.num_targets, "targets", "target", place);
  forest.attributes =
      choose_names(options.attributes, model.attributes, model.num_attributes, "attributes", "f", place);
  check_ambiguity(forest, options, place);
  forest.options_json = exact_json_text(json{{"objective", model.objective}}, place);
  forest.provenance_json = exact_json_text(
      json{{"imported_from", to_string(source)}, {"version", model.version}, {"checksum", to_hex(model_checksum)}},
      place);
  check_records(forest, place.file);
  return forest;
}

}  // namespace fernwood::records
