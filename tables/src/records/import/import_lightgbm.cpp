// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "records/import/source_model.h"

namespace fernwood::records {

namespace {

/// Lines "key=value" from one "Tree=" to the next; flags have an empty value.
using Section = std::map<std::string, std::string_view, std::less<>>;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (begin == end) return words;
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

/// Splits a file into the header and the trees.
std::vector<Section> read_sections(std::string_view text, const ErrorContext& place) {
  std::vector<Section> sections(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    // Before version 2.2, the importances follow at once.
    if (line == "end of trees" || line == "feature importances:") return sections;
    if (line.starts_with("Tree=")) sections.emplace_back();
    const std::size_t equals = line.find('=');
    if (line.empty()) continue;
    sections.back().insert_or_assign(std::string(line.substr(0, equals)),
                                     equals == line.npos ? std::string_view() : line.substr(equals + 1));
  }
  throw Error(ErrorKind::kModel, place.file + " is truncated: the line \"end of trees\" is missing" + place.remedy);
}

/// Values of a section, with the prefix for messages about it.
struct Fields {
  const Section& section;
  std::string where;
  const ErrorContext& place;

  std::string_view text(const char* key) const {
    const auto found = section.find(key);
    FW_CHECK(found != section.end(), Model, where << ": the line " << key << "= is missing" << place.remedy);
    return found->second;
  }

  template <typename T>
  T number(std::string_view word, const char* key) const {
    T value{};
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    FW_CHECK(failure == std::errc() && end == word.data() + word.size(), Model,
             where << ": " << key << " has the value " << word.substr(0, 40) << ", which is not a number that fits"
                   << place.remedy);
    return value;
  }

  template <typename T>
  std::vector<T> list(const char* key, std::size_t count) const {
    std::vector<T> values;
    for (const std::string_view word : words_of(text(key))) values.push_back(number<T>(word, key));
    FW_CHECK(values.size() == count, Model,
             where << ": " << key << " has " << values.size() << " values, not " << count << place.remedy);
    return values;
  }

  std::size_t count(const char* key, std::size_t min, std::size_t max) const {
    const auto value = number<std::size_t>(text(key), key);
    FW_CHECK(value >= min && value <= max, Model,
             where << ": " << key << " is " << value << ", not from " << min << " to " << max << place.remedy);
    return value;
  }
};

/// Kind of a node's test, as in LightGBM's decision_type.
struct Decision {
  static constexpr int kCategorical = 1, kDefaultLeft = 2;
  int bits;

  bool is_categorical() const { return (bits & kCategorical) != 0; }
  bool default_left() const { return (bits & kDefaultLeft) != 0; }
  /// Whether 0 and NaN count as missing.
  bool zero_is_missing() const { return bits >> 2 == 1; }
  /// Without a type of missing values, NaN counts as 0.
  bool nan_left(double threshold) const { return bits >> 2 == 0 ? 0.0 <= threshold : default_left(); }
};

constexpr float kLightgbmZero = 1e-35f;  // LightGBM treats magnitudes up to this as 0

/// @return  The largest value that goes left.
double threshold_of(double threshold) {
  if (threshold >= -kLightgbmZero && threshold < 0.0) return std::nextafter(-kLightgbmZero, -1.0);
  if (threshold >= 0.0 && threshold < kLightgbmZero) return kLightgbmZero;
  return threshold;
}

void check_decision(const Decision& decision, const Fields& fields) {
  FW_CHECK(decision.bits >= 0 && decision.bits >> 2 <= 2, Model,
           fields.where << " has decision_type " << decision.bits << ", which is not known" << fields.place.remedy);
}

/// Bit sets of categories that go left, in words of 32 bits; all other values go right, also those without a category.
class LightgbmCategories {
 public:
  explicit LightgbmCategories(const Fields& fields) : fields_(fields) {
    const std::size_t num_sets = fields.section.contains("num_cat") ? fields.count("num_cat", 0, kMaxNodes) : 0;
    if (num_sets == 0) return;
    firsts_ = fields.list<std::size_t>("cat_boundaries", num_sets + 1);
    words_ = fields.list<std::uint32_t>("cat_threshold", firsts_.back());
    FW_CHECK(std::ranges::is_sorted(firsts_), Model,
             fields.where << ": cat_boundaries do not ascend" << fields.place.remedy);
  }

  /// @param number  Index of the set, stored in place of a threshold.
  CategorySet set(double number) const {
    FW_CHECK(number >= 0 && number + 1 < static_cast<double>(firsts_.size()) && number == std::floor(number), Model,
             fields_.where << " asks set " << number << " of " << std::max<std::size_t>(firsts_.size(), 1) - 1
                           << fields_.place.remedy);
    const auto index = static_cast<std::size_t>(number);
    const std::size_t first = firsts_[index], num_words = firsts_[index + 1] - first;
    FW_CHECK(num_words <= kMaxCategories / 32, Model,
             fields_.where << " has categories above " << kMaxCategories - 1
                           << ", which 32 bits do not tell apart; number them from 0 on and train again");
    CategorySet set;
    set.bounds.first = std::nextafter(-1.0f, 0.0f);  // truncated to 0
    set.words.assign((num_words + 1) / 2, 0);
    for (std::size_t i = 0; i < num_words; ++i) set.words[i / 2] |= std::uint64_t{words_[first + i]} << (i % 2 * 32);
    return set;
  }

 private:
  const Fields& fields_;
  std::vector<std::size_t> firsts_;
  std::vector<std::uint32_t> words_;
};

/// Sets the numbers of training records, where the file has them for both inner nodes and leaves.
void add_covers(const Fields& fields, std::size_t num_inner, SourceTree& tree) {
  if (!fields.section.contains("internal_count") || !fields.section.contains("leaf_count")) return;
  if (num_inner == 0 && fields.text("leaf_count").empty()) {  // a constant
    tree.nodes[0].cover = 0;
    return;
  }
  const auto inner = fields.list<double>("internal_count", num_inner);
  const auto leaves = fields.list<double>("leaf_count", tree.nodes.size() - num_inner);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    tree.nodes[i].cover = i < num_inner ? inner[i] : leaves[i - num_inner];
}

/// Attributes for which 0 counts as unknown; all tests of one attribute must agree.
class ZeroRules {
 public:
  void note(std::uint32_t attribute, bool zero_is_missing, const Fields& fields) {
    const bool known = zero_is_missing_.try_emplace(attribute, zero_is_missing).first->second;
    FW_CHECK(known == zero_is_missing, Model,
             fields.where << " takes 0 of attribute " << attribute << " for missing and another test does not; train "
                          << "all trees with one zero_as_missing");
  }
  std::vector<MissingValues> rules() const {
    std::vector<MissingValues> rules;
    for (const auto& [attribute, zero_is_missing] : zero_is_missing_)
      if (zero_is_missing) rules.push_back({static_cast<std::uint16_t>(attribute), -kLightgbmZero, kLightgbmZero});
    return rules;
  }

 private:
  std::map<std::uint32_t, bool> zero_is_missing_;
};

/// Linear functions of leaves, if the tree has any. @param num_attributes  Of the model.
std::vector<LinearLeaf> read_linear_leaves(const Fields& fields, std::size_t num_leaves, std::size_t num_attributes) {
  std::vector<LinearLeaf> leaves;
  if (!fields.section.contains("is_linear") || fields.text("is_linear") == "0") return leaves;
  const auto constants = fields.list<double>("leaf_const", num_leaves);
  const auto counts = fields.list<std::uint32_t>("num_features", num_leaves);
  const std::size_t num_terms = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const auto attributes = fields.list<std::size_t>("leaf_features", num_terms);
  const auto coefficients = fields.list<double>("leaf_coeff", num_terms);
  std::size_t next = 0;
  for (std::size_t leaf = 0; leaf < num_leaves; ++leaf) {
    leaves.push_back({constants[leaf]});
    for (const std::size_t end = next + counts[leaf]; next < end; ++next) {
      FW_CHECK(attributes[next] < num_attributes, Model,
               fields.where << ": leaf_features has attribute " << attributes[next] << " of " << num_attributes
                            << fields.place.remedy);
      leaves.back().terms.push_back({static_cast<std::uint16_t>(attributes[next]), coefficients[next]});
    }
  }
  return leaves;
}

SourceTree read_tree(const Fields& fields, std::size_t num_attributes, ZeroRules& missing) {
  const std::size_t num_leaves = fields.count("num_leaves", 1, kMaxNodes / 2), num_inner = num_leaves - 1;
  const auto values = fields.list<double>("leaf_value", num_leaves);  // first: checks that the file has this many
  SourceTree tree;
  tree.nodes.resize(num_inner + num_leaves);
  if (num_inner > 0) {
    const auto attribute = fields.list<std::uint32_t>("split_feature", num_inner);
    const auto threshold = fields.list<double>("threshold", num_inner);
    const auto decisions = fields.list<int>("decision_type", num_inner);
    const auto left = fields.list<std::int32_t>("left_child", num_inner);
    const auto right = fields.list<std::int32_t>("right_child", num_inner);
    const LightgbmCategories categories(fields);
    // In the file leaf n is the child -1 - n; here leaves come after the inner nodes.
    const auto node_of = [&](std::int32_t child) {
      const std::int64_t node = child < 0 ? ~std::int64_t{child} + static_cast<std::int64_t>(num_inner) : child;
      return static_cast<std::int32_t>(std::min<std::int64_t>(node, INT32_MAX));  // rejected later as too large
    };
    for (std::size_t i = 0; i < num_inner; ++i) {
      const Decision decision{decisions[i]};
      check_decision(decision, fields);
      SourceNode& node = tree.nodes[i];
      node.left = node_of(left[i]);
      node.right = node_of(right[i]);
      node.attribute = attribute[i];
      if (decision.is_categorical()) {
        tree.ask_set(node, categories.set(threshold[i]));
        continue;
      }
      missing.note(attribute[i], decision.zero_is_missing(), fields);
      FW_CHECK(!std::isnan(threshold[i]), Model,
               fields.where << ": a threshold is not a number" << fields.place.remedy);
      node.test = up_to(threshold_of(threshold[i]));
      node.nan_left = decision.nan_left(threshold[i]);
    }
  }
  for (std::size_t leaf = 0; leaf < num_leaves; ++leaf) tree.add_leaf(tree.nodes[num_inner + leaf], &values[leaf]);
  tree.linear_leaves = read_linear_leaves(fields, num_leaves, num_attributes);
  add_covers(fields, num_inner, tree);
  return tree;
}

/// How predictions follow from the sums, which LightGBM calls raw scores.
struct LightgbmObjective {
  const char* name;
  Link link;
  bool has_classes = false;
};
constexpr LightgbmObjective kLightgbmObjectives[] = {{"binary", Link::kLogistic, true},
                                                     {"multiclass", Link::kSoftmax, true},
                                                     {"multiclassova", Link::kSigmoid, true},
                                                     {"regression", Link::kIdentity},
                                                     {"regression_l1", Link::kIdentity},
                                                     {"huber", Link::kIdentity},
                                                     {"fair", Link::kIdentity},
                                                     {"quantile", Link::kIdentity},
                                                     {"mape", Link::kIdentity},
                                                     {"poisson", Link::kExponential},
                                                     {"gamma", Link::kExponential},
                                                     {"tweedie", Link::kExponential},
                                                     {"cross_entropy", Link::kSigmoid},
                                                     {"cross_entropy_lambda", Link::kSoftplus},
                                                     {"xentropy", Link::kSigmoid},  // before version 2.3
                                                     {"xentlambda", Link::kSoftplus},
                                                     {"lambdarank", Link::kIdentity},
                                                     {"rank_xendcg", Link::kIdentity}};

const LightgbmObjective& find_objective(const std::string& name, const Fields& header) {
  const auto* found = std::ranges::find(kLightgbmObjectives, name, &LightgbmObjective::name);
  if (found == std::end(kLightgbmObjectives))
    throw Error(ErrorKind::kModel,
                header.where + " has the objective " + name + "; those that can be imported are " +
                    join(kLightgbmObjectives, ", ", [](const LightgbmObjective& known) { return known.name; }));
  return *found;
}

/// Reads the link from the objective, for example "binary sigmoid:1". @return  The number of outputs.
std::size_t read_objective(const Fields& header, SourceModel& model) {
  if (!header.section.contains("objective")) {  // custom objective: predictions are sums
    model.link = Link::kIdentity;
    return model.num_targets = header.count("num_tree_per_iteration", 1, kMaxClasses);
  }
  const std::vector<std::string_view> words = words_of(header.text("objective"));
  model.objective = words.empty() ? "" : words[0];
  const LightgbmObjective& objective = find_objective(model.objective, header);
  const bool is_root = std::ranges::find(words, "sqrt") != words.end();  // trained on square roots of the targets
  model.link = is_root ? Link::kSignedSquare : objective.link;
  for (const std::string_view word : words)
    if (objective.has_classes && word.starts_with("sigmoid:"))
      model.slope = header.number<double>(word.substr(8), "sigmoid");
  if (!objective.has_classes) return model.num_targets = 1;
  model.num_classes = model.link == Link::kLogistic ? 2 : header.count("num_class", 1, kMaxClasses);
  return model.link == Link::kLogistic ? 1 : model.num_classes;
}

}  // namespace

SourceModel read_lightgbm(std::string_view text, const ErrorContext& place) {
  const std::vector<Section> sections = read_sections(text, place);
  const Fields header{sections[0], place.file, place};
  SourceModel model;
  const std::size_t num_outputs = read_objective(header, model);
  model.version = header.text("version");
  model.num_attributes = header.count("max_feature_idx", 0, kMaxNodes) + 1;
  check_attribute_count(model.num_attributes, place);
  for (const std::string_view name : words_of(header.text("feature_names"))) model.attributes.emplace_back(name);
  const std::size_t num_trees = sections.size() - 1;
  header.count("num_tree_per_iteration", num_outputs, num_outputs);
  FW_CHECK(num_trees == words_of(header.text("tree_sizes")).size() && num_trees % num_outputs == 0, Model,
           place.file << " has " << num_trees << " trees for " << num_outputs << " outputs, and sizes of "
                      << words_of(header.text("tree_sizes")).size() << place.remedy);
  const std::size_t iterations = std::max<std::size_t>(num_trees / num_outputs, 1);
  if (header.section.contains("average_output")) model.sums.divisor = static_cast<double>(iterations);
  model.sums.base.assign(num_outputs, 0.0);
  model.is_wide = true;
  model.leaf_numbers = LeafNumbers::kRows;
  model.trees_per_iteration = static_cast<std::uint32_t>(num_outputs);
  ZeroRules missing;
  for (std::size_t t = 0; t < num_trees; ++t) {
    const Fields fields{sections[t + 1], place.file + ": tree " + std::to_string(t), place};
    model.trees.push_back(read_tree(fields, model.num_attributes, missing));
    model.trees.back().first_output = static_cast<std::uint32_t>(t % num_outputs);
    // Linear leaves treat smaller magnitudes in a record as 0.
    if (!model.trees.back().linear_leaves.empty()) model.linear_zero = kLightgbmZero;
  }
  model.missing = missing.rules();
  return model;
}

}  // namespace fernwood::records
