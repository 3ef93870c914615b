// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <memory>
#include <optional>
#include <sstream>

#include "fernwood/forest/forest.h"
#include "fernwood/web/live_page.h"
#include "fuzz/target.h"
#include "web/web_page.h"

namespace fernwood::fuzz {

namespace {

namespace http = boost::beast::http;

/// Without TCP_NODELAY, a message waits 40 ms for the acknowledgement of the previous one.
const boost::asio::ip::tcp::no_delay kAtOnce(true);

/// A page of `live --serve` with some frames, and a browser whose connections are reused until one fails.
class Live {
 public:
  Live() {
    const Bytes model = pixel_model_seeds()[0];
    write_bytes(scratch_folder() / "live.fernwood", model.data(), model.size());
    forest_ = forest::load_forest(scratch_folder() / "live.fernwood");
    page_.emplace(forest_, "frames:fuzz", "cpu", web::WebOptions{});
    predict::LiveFrame shown;
    shown.captured.frame = std::make_shared<const image::Frame>(
        image::Frame{Array2<image::Rgb>(12, 16, image::Rgb{9, 8, 7}), Array2<std::uint16_t>(12, 16, 1234)});
    shown.prediction.labels = image::LabelImage(12, 16, 1);
    for (int i = 0; i < 3; ++i) page_->show(shown, {});
  }

  void say(const std::string& text) {
    if (!window_ || window_->failure) {
      window_ = std::make_unique<web::WebPage>(web::WebPlace(page_->url()));
      window_->socket.next_layer().set_option(kAtOnce);
    }
    window_->say(text);
  }

  /// When the reply arrives, all earlier messages have been read. @return  HTTP status; 0 if the server closed the
  /// connection.
  unsigned get(const std::string& target) {
    const web::WebPlace place(page_->url());
    try {
      if (!browser_) {
        browser_.emplace(web::connected(place, context_));
        browser_->set_option(kAtOnce);
      }
      http::request<http::empty_body> request(http::verb::get, "/" + place.token + target, 11);
      request.set(http::field::host, place.host());
      http::write(*browser_, request);
      boost::beast::flat_buffer buffer;
      web::WebResponse response;
      http::read(*browser_, buffer, response);
      return response.result_int();
    } catch (const boost::system::system_error&) {
      browser_.reset();
      return 0;
    }
  }
  unsigned enter() { return get("/shown/3/labels"); }

 private:
  forest::Forest forest_;
  std::optional<web::LivePage> page_;
  boost::asio::io_context context_;
  std::optional<boost::asio::ip::tcp::socket> browser_;
  std::unique_ptr<web::WebPage> window_;
};

}  // namespace

int fuzz_live(const std::uint8_t* data, std::size_t size) {
  static Live live;
  constexpr int kMaxLines = 20;
  std::istringstream lines{std::string(text_of(data, size))};
  std::string line;
  for (int i = 0; i < kMaxLines && std::getline(lines, line); ++i)
    line.starts_with('/') ? void(live.get(line)) : live.say(line);
  const unsigned status = live.enter();
  law(status == 200 || live.enter() == 200, "a page gives its newest frame no more");
  return 0;
}

std::vector<Bytes> live_seeds() {
  return {
      bytes_of("{\"hold\": 2}\n/shown/2/color\n{\"hold\": null}\n{\"hold\": 99}\n[[[[]]]]\n{}\n\n"),
      bytes_of("/\n/shown/3/color\n/shown/1/depth\n/shown/3/labels\n/shown/3/why?x=3&y=4\n/live.js\n/socket\n"),
      bytes_of("/shown/3/why?x=-1&y=99999999999999999999\n/shown/18446744073709551616/color\n/shown//\n/%00?token=\n")};
}

}  // namespace fernwood::fuzz
