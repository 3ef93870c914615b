// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/strategy.h"

#include <algorithm>
#include <bit>

#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"

namespace fernwood::records {

namespace {

constexpr std::size_t kFirstLook = 128;  // records that separate hopeless strategies from others
constexpr double kHopeless = 4;          // times slower than the fastest on the first run
constexpr int kRuns = 3;
constexpr double kShareOfWork = 0.1;  // limit of tuning's share of the time, where records take long

/// Ways to evaluate a model, in the order in which they are timed.
std::vector<TimedStrategy> ways_of(const StrategyRequest& request) {
  std::vector<TimedStrategy> ways;
  for (const Strategy& strategy : product_strategies().rows()) {
    if (strategy.on_gpu == request.device.is_cpu()) continue;
    for (const Values values : kValues) {
      if (values == Values::kRanks && !strategy.has_ranks) continue;
      const OptionSentence reason = why_unsupported(strategy, *request.model, values, request.device);
      ways.push_back({strategy.name, values, 0, reason.on_command_line()});
    }
  }
  return ways;
}

/// The first records of the kept ones.
KeptRecords first_of(const KeptRecords& records, std::size_t most) {
  return {records.device, records.view.part(0, std::min(most, records.view.num_records)), records.memory};
}

/// Nanoseconds for each record: the best of several runs, none of which starts after `deadline` except the first.
double time_way(RecordEvaluator& evaluator, const KeptRecords& records, int runs, double deadline) {
  double best = 1e30;
  for (int run = 0; run < runs && (run == 0 || seconds_now() < deadline); ++run)
    best = std::min(best, evaluator.evaluate_kept(records));
  return best * 1e9 / static_cast<double>(records.view.num_records);
}

/// A strategy that was timed on the first kFirstLook records.
struct Candidate {
  TimedStrategy* way;
  std::unique_ptr<RecordEvaluator> evaluator;
};

/// Every strategy is timed on few records before any is on more, so that slow ones do not use the time of fast ones.
class Tuner {
 public:
  Tuner(const StrategyRequest& request, const KeptRecords& sample, double budget_s)
      : request_(request), sample_(sample), start_(seconds_now()), budget_s_(budget_s) {}

  void time(std::vector<TimedStrategy>& ways) {
    std::vector<Candidate> candidates;
    for (TimedStrategy& way : ways)
      if (way.left_out.empty()) look(way, candidates);
    std::ranges::stable_sort(candidates, {}, [](const Candidate& each) { return each.way->ns_per_record; });
    if (candidates.empty() || sample_.view.num_records <= kFirstLook) return;
    std::erase_if(candidates, [&](const Candidate& each) { return each.way->ns_per_record > kHopeless * best_ns_; });
    // Each strategy gets as many records as time permits: with few records and a cold cache, times mean little.
    double ns_of_all = 0;
    for (const Candidate& candidate : candidates) ns_of_all += candidate.way->ns_per_record;
    const double fitting = std::max(0.0, deadline() - seconds_now()) * 1e9 / ns_of_all;
    const auto count = static_cast<std::size_t>(std::min(fitting, static_cast<double>(sample_.view.num_records)));
    if (count <= kFirstLook) return;
    for (const Candidate& candidate : candidates)
      candidate.way->ns_per_record = time_way(*candidate.evaluator, first_of(sample_, count), kRuns, deadline());
  }

 private:
  /// The budget; more where evaluating the sample itself takes long, in proportion to it.
  double deadline() const {
    const double work_s = best_ns_ * 1e-9 * static_cast<double>(sample_.view.num_records);
    return start_ + std::max(budget_s_, kShareOfWork * work_s);
  }

  void look(TimedStrategy& way, std::vector<Candidate>& candidates) {
    if (seconds_now() >= deadline()) {
      way.left_out = "no time was left";
      return;
    }
    StrategyRequest request = request_;
    request.strategy = way.strategy;
    request.values = way.values;
    candidates.push_back({&way, product_strategies().make_evaluator(request)});
    way.ns_per_record = time_way(*candidates.back().evaluator, first_of(sample_, kFirstLook), 2, deadline());
    best_ns_ = candidates_seen_ ? std::min(best_ns_, way.ns_per_record) : way.ns_per_record;
    candidates_seen_ = true;
  }

  const StrategyRequest& request_;
  const KeptRecords& sample_;
  const double start_, budget_s_;
  bool candidates_seen_ = false;
  double best_ns_ = 0;  ///< Of the first, short runs.
};

}  // namespace

int batch_class(std::size_t num_records) { return static_cast<int>(std::bit_width(num_records) / 2); }

TuningReport tune_model(const StrategyRequest& request, const KeptRecords& sample, double budget_s) {
  FW_CHECK(sample.view.num_records > 0, Data, "there are no records to tune on; pass at least one");
  check_attributes(sample.view, request.model->num_attributes);
  const double start = seconds_now();
  const KeptRecords part = first_of(sample, kMaxTuningRecords);
  TuningReport report;
  report.device = request.device;
  report.sample_records = part.view.num_records;
  report.ways = ways_of(request);
  Tuner(request, part, budget_s).time(report.ways);
  std::ranges::stable_sort(
      report.ways, {}, [](const TimedStrategy& way) { return std::pair(!way.left_out.empty(), way.ns_per_record); });
  // If every strategy of a GPU has an unsupported_reason, the CPU's first strategy, which supports all models, is used.
  const bool any = !report.ways.empty() && report.ways.front().left_out.empty();
  report.strategy = any ? report.ways.front().strategy : "serial";
  report.values = any ? report.ways.front().values : Values::kFloat;
  if (!any) report.device = Device{};
  report.seconds = seconds_now() - start;
  return report;
}

std::string tuning_table(const TuningReport& report) {
  const std::string chosen = report.strategy + ", " + to_string(report.values) + ", on " + to_string(report.device);
  if (report.remembered) return "strategy: " + chosen + " (remembered from an earlier run)\n";
  std::string text = format_text("strategy: %s (fastest on %zu records; tuned in %.0f ms)\n\n", chosen.c_str(),
                                 report.sample_records, report.seconds * 1e3);
  text += format_text("  %-24s %-7s %12s %14s\n", "strategy", "values", "ns a record", "records/s");
  for (const TimedStrategy& way : report.ways) {
    const std::string values = to_string(way.values);
    if (way.left_out.empty())
      text += format_text("  %-24s %-7s %12.2f %14.0f\n", way.strategy.c_str(), values.c_str(), way.ns_per_record,
                          1e9 / way.ns_per_record);
    else
      text += format_text("  %-24s %-7s %12s  %s\n", way.strategy.c_str(), values.c_str(), "-", way.left_out.c_str());
  }
  return text;
}

}  // namespace fernwood::records
