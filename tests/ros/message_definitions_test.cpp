// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "ros/message_definitions.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "fernwood/ros/messages.h"

namespace fernwood::ros {

TEST(MessageDefinitions, TellEachTypeOnceBehindTheOneThatHasIt) {
  const std::string line = std::string(80, '=') + "\n";
  EXPECT_EQ(message_definition(kCompressedImageType),
            "std_msgs/Header header\nstring format\nuint8[] data\n" + line +
                "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n" + line +
                "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n");
  EXPECT_EQ(message_definition(kTransformsType).find("MSG: geometry_msgs/Quaternion"),
            message_definition(kTransformsType).rfind("MSG: geometry_msgs/Quaternion"));
}

TEST(MessageDefinitions, ThereIsOneOfEachTypeThatIsWritten) {
  for (const std::string_view type :
       {kImageType, kCompressedImageType, kCameraInfoType, kTransformsType, kPointCloudType, kLabelInfoType,
        kDiagnosticsType, kStringType, kVectorType, kOccupancyGridType, kDetectionsType, kMarkersType})
    EXPECT_NE(message_definition(type), "") << type;
  EXPECT_THROW(message_definition("odd/Type"), std::out_of_range);
}

}  // namespace fernwood::ros
