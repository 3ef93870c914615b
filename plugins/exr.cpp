// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The plug-in exr: depth in OpenEXR files, read by OpenEXR.

#include <ImathBox.h>
#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfInputFile.h>

#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

#include "fernwood/dataset/image_io.h"

namespace {

class Bytes : public Imf::IStream {
 public:
  Bytes(const std::uint8_t* bytes, std::size_t size) : IStream("bytes"), bytes_(bytes), size_(size) {}
  bool read(char out[], int count) override {
    if (count < 0 || static_cast<std::size_t>(count) > size_ - at_) throw std::runtime_error("the file ends early");
    std::memcpy(out, bytes_ + at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return at_ < size_;
  }
  std::uint64_t tellg() override { return at_; }
  void seekg(std::uint64_t at) override {
    if (at > size_) throw std::runtime_error("the file ends early");
    at_ = static_cast<std::size_t>(at);
  }

 private:
  const std::uint8_t* bytes_;
  std::size_t size_, at_ = 0;
};

/// The name of the depth channel: as in Blender and OpenEXR's conventions, as in images with one channel, or the first
/// channel.
std::string depth_channel(const Imf::ChannelList& channels) {
  for (const char* name : {"Z", "depth.Z", "Depth.Z", "depth", "Y", "R"})
    if (channels.findChannel(name) != nullptr) return name;
  return channels.begin() == channels.end() ? "" : channels.begin().name();
}

}  // namespace

extern "C" {

const char* fernwood_plugin_version() { return FERNWOOD_VERSION; }

/// @param image  With the size that the caller has read from the file and checked.
bool fernwood_decode_image(const std::uint8_t* bytes, std::size_t size_bytes, fernwood::dataset::FallbackImage* image) {
  try {
    Bytes stream(bytes, size_bytes);
    Imf::InputFile file(stream, /*numThreads=*/0);
    const Imath::Box2i window = file.header().dataWindow();
    const std::string channel = depth_channel(file.header().channels());
    const auto cols = static_cast<std::size_t>(window.max.x - window.min.x + 1),
               rows = static_cast<std::size_t>(window.max.y - window.min.y + 1);
    if (channel.empty() || cols != image->cols || rows != image->rows || window != file.header().displayWindow())
      return false;
    image->bits = 32;
    image->num_channels = 1;
    image->is_float = true;
    image->bytes.resize(rows * cols * sizeof(float));
    Imf::FrameBuffer buffer;
    buffer.insert(channel,
                  Imf::Slice::Make(Imf::FLOAT, image->bytes.data(), window, sizeof(float), cols * sizeof(float)));
    file.setFrameBuffer(buffer);
    file.readPixels(window.min.y, window.max.y);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}
}
