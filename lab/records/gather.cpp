// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// 16 records walk a tree in vector lanes, with gathers as loads. Walking a whole block in step, one record at a time,
// is twice as fast: interleaved.
#include "lab/records/strategies.h"
#include "records/evaluate/answer_sums.h"
#include "records/evaluate/evaluation_kernels.h"

namespace fernwood::lab {

using GatherKernel = void (*)(const records::WalkArgsOf<float>&);

namespace isa_baseline {
extern const GatherKernel gather_kernels_table[3];
}
#if defined(FERNWOOD_HAS_ISA_avx512)
namespace isa_avx2 {
extern const GatherKernel gather_kernels_table[3];
}
namespace isa_avx512 {
extern const GatherKernel gather_kernels_table[3];
}
#endif

namespace {

GatherKernel gather_kernel([[maybe_unused]] Isa isa, records::NanSide nan_side) {
  const auto side = static_cast<std::size_t>(nan_side);
#if defined(FERNWOOD_HAS_ISA_avx512)
  if (isa == Isa::kAvx2) return isa_avx2::gather_kernels_table[side];
  if (isa == Isa::kAvx512) return isa_avx512::gather_kernels_table[side];
#endif
  return isa_baseline::gather_kernels_table[side];
}

class Gather : public records::CpuStrategy {
 public:
  Gather(const records::SharedModel& model, int num_threads)
      : model_(model),
        walk_(gather_kernel(available_isas().back(), model->flat.nan_side)),
        sums_(model->flat),
        scratch_(static_cast<std::size_t>(num_threads)) {
    for (Scratch& each : scratch_) {
      each.places.resize(block_size());
      each.sums.resize(block_size() * sums_.bytes());
    }
  }

  void evaluate(const records::RecordView& block, const records::Found& found, int worker) override {
    Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
    const std::size_t count = block.num_records;
    std::int32_t* const places = scratch.places.data();
    sums_.begin(count, scratch.sums.data());
    for (std::size_t t = 0; t < model_->flat.trees.size(); ++t) {
      const records::FlatTree& tree = model_->flat.trees[t];
      std::fill_n(places, count, static_cast<std::int32_t>(records::kRootSlot));
      walk_({model_->flat.nodes.data() + tree.first_slot, model_->flat.bits, tree.depth, records::values_of(block),
             places});
      const std::int32_t* answers = model_->flat.answers.data() + tree.first_slot;
      for (std::size_t i = 0; i < count; ++i) places[i] = answers[places[i]];
      sums_.add(t, places, count, scratch.sums.data(), found);
    }
    sums_.finish(scratch.sums.data(), count, found);
  }

 private:
  struct Scratch {
    records::AlignedVector<std::int32_t> places;
    records::AlignedVector<std::byte> sums;
  };

  records::SharedModel model_;
  GatherKernel walk_;
  records::AnswerSums sums_;
  std::vector<Scratch> scratch_;
};

std::unique_ptr<records::RecordEvaluator> make_gather(const records::StrategyRequest& request) {
  auto pool = std::make_shared<ThreadPool>(request.threads);
  return records::evaluate_on_cpu(request, std::make_unique<Gather>(request.model, pool->num_threads()), pool);
}

}  // namespace

records::Strategy gather_strategy() { return {"gather", false, false, records::always_supported, make_gather}; }

}  // namespace fernwood::lab
