// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/teaching.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <numeric>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "core/memory_budget.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/parallel.h"
#include "teach/advice.h"
#include "teach/frame_memo.h"

namespace fernwood::teach {

namespace {

constexpr std::size_t kFolds = 5;
/// Several predictors overlap copies and kernels; more would wait for each other and take memory.
constexpr std::size_t kGpuPredictors = 4;

/// Options of a quick forest.
train::TrainOptions quick_options(const LearnerOptions& options, std::size_t num_frames) {
  train::TrainOptions quick = options.quick;
  const auto share = static_cast<int>(static_cast<std::size_t>(options.quick_samples) / num_frames);
  quick.samples_per_frame = std::clamp(share, 1, quick.samples_per_frame);
  return quick;
}

/// Numbers, as in the request, of a forest's classes.
std::vector<std::uint16_t> numbers_in(const TrainingRequest& request, const std::vector<image::ClassInfo>& classes) {
  std::vector<std::uint16_t> numbers;
  for (const image::ClassInfo& info : classes) {
    const auto found = std::ranges::find(request.classes, info.name, &image::ClassInfo::name);
    const auto index = static_cast<std::size_t>(found - request.classes.begin());
    numbers.push_back(index < request.class_numbers.size() ? request.class_numbers[index] : image::kVoid);
  }
  return numbers;
}

/// [frame][class] Whether the frame has pixels of the class.
std::vector<std::vector<bool>> classes_of_frames(const dataset::InMemoryFrames& taught) {
  std::vector<std::vector<bool>> has(taught.num_frames, std::vector<bool>(taught.config.classes.size()));
  for (std::size_t i = 0; i < taught.num_frames; ++i)
    for (const std::uint16_t label : taught.labels(i))
      if (label != image::kVoid) has[i][label] = true;
  return has;
}

bool is_any(const std::shared_ptr<const dataset::InMemoryFrames>& frames) { return frames && frames->num_frames > 0; }

/// The taught frames of a request, decoded and prepared once for all requests.
class MemoFrames final : public dataset::InMemoryFrames {
 public:
  /// @param request  Must outlive this object. @param of_maps  Encoder of the frames' maps, or null.
  MemoFrames(const TrainingRequest& request, FrameMemo& kept, const encoder::Encoder* of_maps)
      : InMemoryFrames(*request.taught), request_(request), kept_(kept) {
    if (of_maps) encoder = of_maps->info();
  }

  image::Frame frame(std::size_t number) const override { return *decoded(number); }
  image::LabelImage labels(std::size_t number) const override { return request_.taught->labels(number); }
  dataset::FrameSize size(std::size_t number) const override { return request_.taught->size(number); }
  std::optional<image::Camera> camera(std::size_t number) const override { return decoded(number)->camera; }
  void add_depths(std::size_t, dataset::DepthHistogram&) const override {}  // checked when the frames were added
  std::shared_ptr<const image::PreparedFrame> prepared(std::size_t number,
                                                       const image::Preparation& preparation) const override {
    return kept_.prepared(request_.taught_frames[number], preparation, request_.frame);
  }

 private:
  std::shared_ptr<const image::Frame> decoded(std::size_t number) const {
    return kept_.decoded(request_.taught_frames[number], request_.frame);
  }

  const TrainingRequest& request_;
  FrameMemo& kept_;
};

/// [class] Whether at least `least` of some frames have it.
template <typename Indices>
std::vector<bool> classes_of_most(const std::vector<std::vector<bool>>& has, const Indices& frames, std::size_t least) {
  std::vector<bool> often(has.empty() ? 0 : has[0].size());
  for (std::size_t c = 0; c < often.size(); ++c)
    often[c] = std::ranges::count_if(frames, [&](auto i) { return has[i][c]; }) >= static_cast<std::ptrdiff_t>(least);
  return often;
}

}  // namespace

struct Learner::Work {
  Work(const LearnerOptions& chosen, LearnerHooks given)
      : options(chosen),
        hooks(std::move(given)),
        pool(options.predict.threads),
        kept(memory_limit(options.kept_bytes, {.parts = 1, .all = 4})) {
    thread = std::jthread([this](const std::stop_token& end) { learn_all(end); });
  }
  ~Work() {
    thread.request_stop();
    const std::lock_guard lock(mutex);
    in_hand.request_stop();
  }

  void learn_all(const std::stop_token& end);
  void tell(const char* activity) const {
    if (hooks.working) hooks.working(activity);
  }
  /// Waits for a request while the user is idle, and labels frames again on demand. @return Whether none came.
  bool wait_idle(const std::stop_token& end, const std::stop_token& stop);
  void label_again(const std::stop_token& stop);
  std::size_t take_next(std::vector<std::size_t>& left);
  std::shared_ptr<const forest::Forest> grow(const TrainingRequest& request, bool is_thorough,
                                             const std::stop_token& stop);
  void learn(const TrainingRequest& request, bool is_thorough, const std::stop_token& stop);
  /// Labels all frames of the newest request by its newest forest; restarts if smoothing changes meanwhile.
  void label_frames(const std::stop_token& stop);
  void label_once(const predict::PredictOptions& how, const std::stop_token& stop);
  void judge(TrainingRequest request, const std::stop_token& stop);

  LearnerOptions options;
  LearnerHooks hooks;
  ThreadPool pool;
  FrameMemo kept;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::optional<TrainingRequest> waiting;
  std::optional<std::size_t> looked_at;  // and not yet labelled since
  predict::Smoothing smoothing = options.predict.smoothing;
  std::atomic<bool> is_changed = false;  // smoothing, and not all frames are labelled since; set under the mutex
  struct {
    TrainingRequest request;
    std::shared_ptr<const forest::Forest> forest;  // null: nothing was learnt yet
    bool is_thorough = false;
  } newest;  // used by the thread only
  std::stop_source in_hand;
  std::jthread thread;  // last: it uses the other members
};

void Learner::Work::learn_all(const std::stop_token& end) {
  const DefaultFloats floats;
  while (true) {
    tell("");
    std::unique_lock lock(mutex);
    if (!changed.wait(lock, end, [this] { return waiting || is_changed; })) return;
    const std::optional<TrainingRequest> request = std::exchange(waiting, std::nullopt);
    in_hand = std::stop_source();
    const std::stop_token stop = in_hand.get_token();
    if (end.stop_requested()) return;
    lock.unlock();
    try {
      if (!request) {
        label_again(stop);
        continue;
      }
      tell("quick");
      learn(*request, /*is_thorough=*/false, stop);
      tell("");
      if (!wait_idle(end, stop)) continue;
      if (options.thorough) {
        tell("thorough");
        learn(*request, /*is_thorough=*/true, stop);
      }
      tell("validation");
      judge(*request, stop);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInterrupted && hooks.failed) hooks.failed(error.what());
    } catch (const std::bad_alloc&) {
      if (hooks.failed) hooks.failed("memory ran out; label fewer frames, or choose a smaller forest");
    } catch (const std::system_error&) {
      if (hooks.failed) hooks.failed(failure_in_hand().sentence.on_command_line());
    }
  }
}

bool Learner::Work::wait_idle(const std::stop_token& end, const std::stop_token& stop) {
  while (true) {
    std::unique_lock lock(mutex);
    const bool is_called = changed.wait_for(lock, end, options.rest, [this] { return waiting || is_changed; });
    if (waiting || end.stop_requested()) return false;
    if (!is_called) return true;
    lock.unlock();
    label_again(stop);
  }
}

void Learner::Work::label_again(const std::stop_token& stop) {
  if (newest.forest && hooks.labelled) return label_frames(stop);
  is_changed = false;
}

std::size_t Learner::Work::take_next(std::vector<std::size_t>& left) {
  const std::lock_guard lock(mutex);
  auto next = left.begin();
  if (const auto asked = std::exchange(looked_at, std::nullopt))
    if (const auto found = std::ranges::find(left, *asked); found != left.end()) next = found;
  const std::size_t frame = *next;
  left.erase(next);
  return frame;
}

std::shared_ptr<const forest::Forest> Learner::Work::grow(const TrainingRequest& request, bool is_thorough,
                                                          const std::stop_token& stop) {
  train::TrainHooks training;
  training.stop = stop;
  const std::size_t num_frames = request.taught->num_frames;
  train::TrainOptions choice = is_thorough ? *options.thorough : quick_options(options, num_frames);
  if (num_frames == 1) choice.cascade = 1;  // that of a preset, as in train::set_options()
  const dataset::Dataset data =
      dataset::Dataset::from_memory(std::make_shared<MemoFrames>(request, kept, options.encoder.get()));
  return std::make_shared<const forest::Forest>(train::train_forest(data, choice, options.resources, training));
}

void Learner::Work::learn(const TrainingRequest& request, bool is_thorough, const std::stop_token& stop) {
  const auto forest = is_any(request.taught) ? grow(request, is_thorough, stop) : options.known;
  if (!forest || (is_thorough && forest == options.known)) return;
  if (hooks.learnt) hooks.learnt({request.version, is_thorough, forest, numbers_in(request, forest->classes.classes)});
  newest = {request, forest, is_thorough};
  if (hooks.labelled) label_frames(stop);
}

void Learner::Work::label_frames(const std::stop_token& stop) {
  do {
    predict::PredictOptions how = options.predict;
    {
      const std::lock_guard lock(mutex);
      how.smoothing = smoothing;
      is_changed = false;
    }
    label_once(how, stop);
  } while (is_changed && !stop.stop_requested());
}

void Learner::Work::label_once(const predict::PredictOptions& how, const std::stop_token& stop) {
  const TrainingRequest& request = newest.request;
  const forest::Forest& forest = *newest.forest;
  std::vector<std::size_t> left = request.frames;
  const auto label_next = [&](predict::Predictor& predictor, std::mutex* alone) {
    if (stop.stop_requested() || is_changed) return;
    LearntLabels learnt;
    learnt.frame = take_next(left);
    const auto frame = kept.decoded(learnt.frame, request.frame);
    std::unique_lock<std::mutex> lock;
    if (alone) lock = std::unique_lock(*alone);
    predict::Prediction found = predictor.predict(*frame, {.probabilities = true});
    if (alone) lock.unlock();
    learnt.version = request.version;
    learnt.is_thorough = newest.is_thorough;
    learnt.labels = std::move(found.labels);
    learnt.uncertainty = uncertainty_of(found.probabilities);
    learnt.frame_uncertainty = frame_uncertainty(learnt.uncertainty, found.probabilities);
    learnt.classes = forest.classes.classes;
    learnt.class_numbers = numbers_in(request, learnt.classes);
    hooks.labelled(std::move(learnt));
  };
  const auto whole = predict::make_predictor(forest, how);
  if (whole->device().is_cpu()) {  // all threads share a frame, so a new stroke waits for only one
    while (!left.empty() && !stop.stop_requested() && !is_changed) label_next(*whole, nullptr);
    return;
  }
  if (!left.empty()) label_next(*whole, nullptr);  // the frame in view
  // A GPU takes less time than decoding, uncertainty and images, which use one thread per frame.
  predict::PredictOptions same_way = how;
  same_way.layout = whole->layout();
  std::vector<std::unique_ptr<predict::Predictor>> predictors(kGpuPredictors);
  std::vector<std::mutex> locks(kGpuPredictors);
  pool.for_each(left.size(), [&](std::size_t, int worker) {
    const std::size_t mine = static_cast<std::size_t>(worker) % kGpuPredictors;
    {
      const std::lock_guard lock(locks[mine]);
      if (!predictors[mine]) predictors[mine] = predict::make_predictor(forest, same_way);
    }
    label_next(*predictors[mine], &locks[mine]);
  });
}

void Learner::Work::judge(TrainingRequest request, const std::stop_token& stop) {
  if (is_any(request.drawn)) {
    request.taught = std::move(request.drawn);
    request.taught_frames = std::move(request.drawn_frames);
  }
  if (!hooks.judged || !is_any(request.taught)) return;
  const std::size_t num_frames = request.taught->num_frames;
  const std::vector<std::vector<bool>> has = classes_of_frames(*request.taught);
  std::vector<std::uint32_t> all(has.size());
  std::iota(all.begin(), all.end(), 0u);
  if (std::ranges::count(classes_of_most(has, all, kFramesToJudge), true) < 2) return;
  train::TrainHooks training;
  training.stop = stop;
  const dataset::Dataset data =
      dataset::Dataset::from_memory(std::make_shared<MemoFrames>(request, kept, options.encoder.get()));
  HeldOutPredictions held_out = {request.version, request.taught_frames, std::vector<image::LabelImage>(num_frames),
                                 std::vector<std::vector<bool>>(num_frames)};
  const std::size_t num_folds = std::min(kFolds, num_frames);
  for (std::size_t fold = 0; fold < num_folds; ++fold) {
    std::vector<std::uint32_t> others;
    for (std::size_t i = 0; i < num_frames; ++i)
      if (i % num_folds != fold) others.push_back(static_cast<std::uint32_t>(i));
    const std::vector<bool> learnt = classes_of_most(has, others, kFramesToJudge - 1);
    const forest::Forest forest = train::train_forest(data.with_frames(others), quick_options(options, others.size()),
                                                      options.resources, training);
    const auto predictor = predict::make_predictor(forest, options.predict);
    for (std::size_t i = fold; i < num_frames; i += num_folds) {
      FW_CHECK(!stop.stop_requested(), Interrupted, "the request has ended");
      held_out.labels[i] = predictor->predict(*kept.decoded(request.taught_frames[i], request.frame)).labels;
      held_out.learnt[i] = learnt;
    }
  }
  hooks.judged(std::move(held_out));
}

Learner::Learner(const LearnerOptions& options, LearnerHooks hooks)
    : work_(std::make_unique<Work>(options, std::move(hooks))) {}

Learner::~Learner() = default;

void Learner::teach(TrainingRequest request) {
  if (const auto& encoder = work_->options.encoder)
    request.frame = [encoder, read = std::move(request.frame)](std::size_t number) {
      image::Frame frame = read(number);
      frame.maps = encoder->encode(frame);
      return frame;
    };
  const std::lock_guard lock(work_->mutex);
  work_->waiting = std::move(request);
  work_->in_hand.request_stop();
  work_->changed.notify_one();
}

void Learner::prioritize(std::size_t frame) {
  const std::lock_guard lock(work_->mutex);
  work_->looked_at = frame;
}

void Learner::set_smoothing(const predict::Smoothing& smoothing) {
  smoothing.check();
  const std::lock_guard lock(work_->mutex);
  work_->smoothing = smoothing;
  work_->is_changed = true;
  work_->changed.notify_one();
}

}  // namespace fernwood::teach
