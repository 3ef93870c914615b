// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>
#include <vector>

#include "fernwood/core/error.h"
#include "records/import/source_model.h"

namespace fernwood::records {

using nlohmann::json;

namespace {

/// Builds a document from the parser's events, and stops it where it is nested too deep or has more values than bytes:
/// arrays of null, true or false take no bytes, whatever number of elements the file claims.
class DocumentBuilder final : public nlohmann::json_sax<json> {
 public:
  DocumentBuilder(std::size_t max_depth, std::size_t max_values) : max_depth_(max_depth), left_(max_values) {}

  json take() { return std::move(root_); }
  const std::string& failure() const { return failure_; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  /// Types of UBJSON are signed, but JSON documents store numbers that are not negative as unsigned.
  bool number_integer(number_integer_t value) override {
    return value < 0 ? add(value) : add(static_cast<number_unsigned_t>(value));
  }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool key(string_t& value) override {
    key_ = std::move(value);
    return true;
  }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    failure_ = "is not UBJSON at byte " + std::to_string(position);
    return false;
  }

 private:
  bool add(json value) { return place(std::move(value)) != nullptr; }

  /// @return  Address of the stored value; null when there are too many.
  json* place(json value) {
    if (left_ == 0) {
      failure_ = "claims more values than it has bytes";
      return nullptr;
    }
    --left_;
    if (open_.empty()) return &(root_ = std::move(value));
    json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool open(json empty) {
    if (open_.size() == max_depth_) {
      failure_ = "is nested deeper than " + std::to_string(max_depth_) + " levels";
      return false;
    }
    json* const placed = place(std::move(empty));
    if (placed) open_.push_back(placed);  // its parent gets no other element until it is closed
    return placed != nullptr;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  json root_;
  std::vector<json*> open_;
  std::string key_, failure_;
  std::size_t max_depth_, left_;
};

}  // namespace

json parse_ubjson(std::string_view bytes, int max_depth, const ErrorContext& place) {
  DocumentBuilder builder(static_cast<std::size_t>(max_depth), bytes.size());
  const bool read = json::sax_parse(bytes, &builder, json::input_format_t::ubjson);
  FW_CHECK(read, Model,
           place.file << ": the model " << (builder.failure().empty() ? "holds what models do not" : builder.failure())
                      << place.remedy);
  return builder.take();
}

}  // namespace fernwood::records
