// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/distributed_backend.h"

#include <gtest/gtest.h>

#include "core/messages.h"
#include "devices.h"
#include "stream/stream_runs.h"

namespace fernwood::stream {
namespace {

class DistributedBackendOn : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(EveryDevice, DistributedBackendOn, testing::ValuesIn(cpu_and_gpus()), name_of_device);

TEST_P(DistributedBackendOn, RefusesCountsOfMoreRecordsThanALeafHas) {
  const records::RecordTable table = noisy_records(1, 500, 3, 2);
  StreamWork work;
  work.device = to_string(GetParam());
  ThreadPool pool(2);
  const auto alone = make_lone_communicator();
  StreamTimes times;
  DistributedBackend backend({}, {}, work, {}, pool, *alone, times);
  backend.reset({.num_attributes = 3, .num_classes = 2, .grid = {{0, 1, 2, 3}, {0, 0, 0}}}, 1);
  backend.count(*backend.hold(table), {records::RecordNode{0, ~0}});
  const Array2<std::uint64_t> totals = backend.sum_counts();
  Bytes counted, nothing;
  Packer packer(counted), no_counts(nothing);
  backend.pack_counted({0}, packer);
  for (int attribute = 0; attribute < 3; ++attribute) no_counts.put(Bytes());
  Unpacker unpacker(counted), none(nothing);

  backend.unpack_counted({0}, none);
  EXPECT_NO_THROW(backend.search({0}, totals));
  backend.unpack_counted({0}, unpacker);  // each record is counted twice now
  expect_thrown(ErrorKind::kModel, [&] { backend.search({0}, totals); });
}

}  // namespace
}  // namespace fernwood::stream
