// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/frame_files.h"
#include "fernwood/core/file.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/formats/export_labels.h"

namespace fernwood::formats {

using namespace dataset;

namespace {

TEST(VocExport, ListsTheFramesOfAnEarlierExportToo) {
  const TestFolder folder, out;
  for (const char* name : {"a", "b"}) add_frame(folder, name, {kFloor, kFloor, kProp, kProp, kFloor, kFloor});
  ThreadPool pool(1);
  const Dataset data = Dataset::open(folder.path());
  const auto list_after = [&](const std::vector<std::uint32_t>& frames) {
    const Dataset some = data.with_frames(frames);
    export_labels(some, truth_of(some, pool), "voc", out.path(), pool);
    return read_text(out / "ImageSets/Segmentation/trainval.txt");
  };
  EXPECT_EQ(list_after({1}), "b\n");
  EXPECT_EQ(list_after({0}), "b\na\n");
  EXPECT_EQ(list_after({0, 1}), "b\na\n");
  std::filesystem::remove(out / "SegmentationClass/b.png");
  EXPECT_EQ(list_after({0}), "a\n") << "the labels of b are not there";
}

}  // namespace
}  // namespace fernwood::formats
