// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/cuda/buffer.h"
#include "records/evaluate/evaluation_model.h"
#include "records/evaluate/packed_forest.h"

namespace fernwood::records {

/// Records as kernels read them: floats as they came, or ranks.
template <typename Value>
struct HeldRows {
  const Value* data;
  std::size_t record_step, attribute_step;
  std::size_t num_records;

  FW_HD const Value* row(std::size_t record) const { return data + record * record_step; }
  /// @param row  Of row(). @param attribute  As tests name it.
  FW_HD Value value(const Value* row, std::uint32_t attribute) const { return row[attribute * attribute_step]; }
};

/// Records in the form that tests of a model want them.
class RowHolder {
 public:
  explicit RowHolder(const EvaluationModel& model);

  /// @param records  On the GPU.
  void hold(const RecordView& records, HeldRows<float>& rows, const cuda::Stream& stream);
  /// Values become ranks, by columns, a column for each attribute that tests ask.
  void hold(const RecordView& records, HeldRows<std::uint16_t>& rows, const cuda::Stream& stream);

  RankView ranks() const { return {attributes_.view(), thresholds_.view(), marks_.view()}; }

 private:
  cuda::GpuBuffer<RankedAttribute> attributes_;
  cuda::GpuBuffer<float> thresholds_;
  cuda::GpuBuffer<std::uint32_t> marks_;
  cuda::GpuBuffer<std::uint16_t> held_;
};

/// Calls `use` with the way in which a model's values are held: FloatsNanRight{}, FloatsNanEither{} or Ranks16{}.
template <typename Use>
void with_held(const EvaluationModel& model, Values values, const Use& use) {
  if (values == Values::kRanks)
    use(Ranks16{});
  else if (model.flat.nan_side == NanSide::kRight)
    use(FloatsNanRight{});
  else
    use(FloatsNanEither{});
}

}  // namespace fernwood::records
