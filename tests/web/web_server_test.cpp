// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/web/web_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <new>
#include <thread>

#include "core/sanitizers.h"
#include "fernwood/core/error.h"
#include "option_rows.h"
#include "sentences.h"
#include "wait_for.h"
#include "web/web_page.h"

#ifndef FERNWOOD_ADDRESS_SANITIZER  // it has its own functions for memory

namespace {

/// Whether this thread is refused memory.
thread_local bool refuses_memory = false;

}  // namespace

// Not inlined, else g++ 12 takes std::free() after new for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size_bytes) {
  void* const memory = refuses_memory ? nullptr : std::malloc(size_bytes);
  return memory ? memory : throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

#endif

namespace fernwood::web {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::asio::ip::tcp;

/// A server that runs during its lifetime and answers each message with its length.
class Running {
 public:
  explicit Running(WebOptions options = {})
      : server_(options, {.get =
                              [](const std::string& path) {
                                if (path == "/fails") throw Error(ErrorKind::kData, "a damaged frame");
                                if (path.ends_with("refused")) {
                                  const auto refuse = []() -> WebAnswer {
                                    throw std::system_error(EAGAIN, std::system_category());
                                  };
                                  return path == "/refused" ? refuse() : WebAnswer{.later = refuse};
                                }
                                if (path == "/none") return WebAnswer{404, "text/plain", "none"};
                                return WebAnswer{200, "text/html", "asked for " + path};
                              },
                          .opened = [this](int) { ++num_opened; },
                          .on_message =
                              [this](int client, const std::string& text) {
                                if (text == "end") throw Error(ErrorKind::kResource, "the disk is full");
                                if (text == "flood")
                                  for (int i = 0; i < 1000; ++i) server_.send(client, std::string(1 << 20, 'x'));
                                server_.send_to_all(std::to_string(text.size()));
                              },
                          .closed = [this](int) { ++num_closed; }}),
        thread_([this](std::stop_token stop) {
          try {
            server_.run(stop);
          } catch (const Error& error) {
            failure = error.what();
          }
        }) {
    EXPECT_TRUE(server_.url().starts_with("http://127.0.0.1:"));
  }

  /// Waits until the server has ended by itself.
  void joins() { thread_.join(); }
  WebServer& server() { return server_; }
  WebPlace place() const { return WebPlace(server_.url()); }

  std::string failure;  // valid after joins()
  std::atomic<int> num_opened = 0, num_closed = 0;

 private:
  WebServer server_;
  std::jthread thread_;
};

TEST(WebServer, AnswersWhoHasTheTokenBehindAnyPathOfAProxy) {
  const Running running;
  for (const std::string before : {"", "/user/me/proxy/8765", "/0123456789abcdef0123456789abcdef"}) {
    const std::string folder = before + "/" + running.place().token;
    const auto answer = asked_for(running.place(), folder + "/?frame=3");
    EXPECT_EQ(answer.result_int(), 200u);
    EXPECT_EQ(answer.body(), "asked for /?frame=3");
    EXPECT_EQ(answer.count(http::field::set_cookie), 0u) << "all ports of a host share cookies";
    EXPECT_EQ(asked_for(running.place(), folder + "/none").result_int(), 404u);
    EXPECT_EQ(asked_for(running.place(), folder + "/a.js", http::verb::delete_).result_int(), 405u);
  }
}

TEST(WebServer, RefusesWhoHasNot) {
  const Running running;
  const std::string token = running.place().token;
  for (const std::string& target : {std::string("/"), std::string("/0123456789abcdef0123456789abcdef/"), "/" + token,
                                    "/a.js?token=" + token, "/?/" + token + "/", "/" + token + "0/a.js"})
    EXPECT_EQ(asked_for(running.place(), target).result_int(), 403u) << target;
  EXPECT_NE(Running().place().token, token);
}

TEST(WebServer, RefusesAHostThatIsNotServed) {
  const Running running, trusting({.trusted_origin = "https://hub.example:8443"});
  const auto answer = [](const Running& asks, const std::string& host) {
    return asked_for(asks.place(), "/" + asks.place().token + "/", http::verb::get, {{"Host", host}});
  };
  for (const char* host : {"evil.example", "evil.example:80", "10.0.0.1", "127.0.0.1.evil.example",
                           "[::", "localhost.x", "hub.example:8443"})
    EXPECT_EQ(answer(running, host).result_int(), 403u) << host;
  fernwood::testdata::expect_sentence(answer(running, "hub.example:8443").body());
  for (const char* host : {"localhost:9000", "127.0.0.1", "[::1]:8080"})
    EXPECT_EQ(answer(running, host).result_int(), 200u) << host;
  EXPECT_EQ(answer(trusting, "hub.example:8443").result_int(), 200u);
  for (const char* host : {"hub.example", "ub.example:8443", "/hub.example:8443"})
    EXPECT_EQ(answer(trusting, host).result_int(), 403u) << host;
}

TEST(WebServer, OnlyTheTrustedOriginShowsThePageInAFrame) {
  const auto policy = [](const Running& running) {
    return std::string(asked(running.place(), "/")["Content-Security-Policy"]);
  };
  EXPECT_TRUE(policy(Running()).ends_with("frame-ancestors 'self'"));
  EXPECT_TRUE(policy(Running({.trusted_origin = "https://hub.example"}))
                  .ends_with("frame-ancestors 'self' https://hub.example"));
}

TEST(WebServer, ManyCookiesOfOtherPortsAreReadAndTooManyAreTold) {
  const Running running;
  const auto with_cookies = [&](std::size_t size_bytes) {
    return asked_for(running.place(), "/" + running.place().token + "/", http::verb::get,
                     {{"Cookie", "a=" + std::string(size_bytes / 2, 'b')}, {"More", std::string(size_bytes / 2, 'b')}});
  };
  EXPECT_EQ(with_cookies(60'000).result_int(), 200u);
  const WebResponse refused = with_cookies(70'000);
  EXPECT_EQ(refused.result_int(), 431u);
  fernwood::testdata::expect_sentence(refused.body());
}

TEST(WebServer, SilentConnectionsLockNobodyOut) {
  const Running running;
  boost::asio::io_context context;
  std::vector<boost::asio::ip::tcp::socket> silent;
  for (int i = 0; i < 600; ++i) silent.push_back(connected(running.place(), context));
  EXPECT_EQ(asked(running.place(), "/").result_int(), 200u);
}

TEST(WebServer, MessagesGoBothWays) {
  Running running;
  WebPage one(running.place()), two(running.place());
  ASSERT_FALSE(one.failure || two.failure);
  ASSERT_TRUE(wait_for([&] { return running.num_opened == 2; }));
  one.say("hello");
  EXPECT_EQ(one.hear(), "5");
  EXPECT_EQ(two.hear(), "5");
  running.server().post([&] { running.server().send_to_all("from another thread"); });
  EXPECT_EQ(two.hear(), "from another thread");
  one.socket.close(beast::websocket::close_code::normal, one.failure);
  EXPECT_TRUE(wait_for([&] { return running.num_closed == 1; }));
}

TEST(WebServer, APageOfAnotherPlaceMayNotConnect) {
  const Running running;
  for (const std::string& origin :
       {std::string("http://evil.example"), std::string("null"), std::string(),
        "https://127.0.0.1:" + running.place().port, "http://127.0.0.1:" + running.place().port + ".evil.example"})
    EXPECT_TRUE(WebPage(running.place(), running.place().token, origin).failure) << origin;
  EXPECT_TRUE(WebPage(running.place(), "wrong", "http://127.0.0.1:" + running.place().port).failure);
  const Running trusting({.trusted_origin = "https://hub.example"});
  EXPECT_FALSE(WebPage(trusting.place(), trusting.place().token, "https://hub.example").failure);
  EXPECT_TRUE(WebPage(trusting.place(), trusting.place().token, "http://hub.example").failure);
  const auto posted = asked_for(running.place(), "/" + running.place().token + "/socket", http::verb::post,
                                {{"Origin", "https://hub.example"}});
  EXPECT_EQ(posted.result_int(), 403u);
  fernwood::testdata::expect_sentence(posted.body());
}

TEST(WebServer, TwentyPagesHearTheSame) {
  Running running;
  std::vector<std::unique_ptr<WebPage>> pages;
  for (int i = 0; i < 20; ++i) pages.push_back(std::make_unique<WebPage>(running.place()));
  ASSERT_TRUE(wait_for([&] { return running.num_opened == 20; }));
  pages[7]->say("abc");
  for (const auto& page : pages) EXPECT_EQ(page->hear(), "3");
}

TEST(WebServer, HugeMessagesAndTooManyPagesAreRefused) {
  Running running({.max_clients = 2, .max_message_bytes = 1000});
  WebPage one(running.place()), two(running.place());
  EXPECT_TRUE(WebPage(running.place()).failure) << "a third";
  ASSERT_TRUE(wait_for([&] { return running.num_opened == 2; }));
  one.say(std::string(1001, 'x'));
  one.hear();
  EXPECT_TRUE(one.failure);
  ASSERT_TRUE(wait_for([&] { return running.num_closed == 1; }));
  two.say("still here");
  EXPECT_EQ(two.hear(), "10");
  EXPECT_FALSE(WebPage(running.place()).failure) << "there is room again";
}

TEST(WebServer, APageThatDoesNotListenIsLeft) {
  Running running({.max_waiting_bytes = std::size_t{8} << 20});
  WebPage deaf(running.place()), other(running.place());
  ASSERT_TRUE(wait_for([&] { return running.num_opened == 2; }));
  deaf.say("flood");
  EXPECT_TRUE(wait_for([&] { return running.num_closed == 1; }));
  EXPECT_EQ(other.hear(), "5");
}

TEST(WebServer, WhatIsNoHttpHarmsNobody) {
  const Running running;
  for (const std::string& text : {std::string("\0\1\2\3", 4), std::string("GET\r\n\r\n"), std::string(100'000, 'a'),
                                  std::string("GET / HTTP/9.9\r\n\r\n"),
                                  "GET /" + running.place().token + "/ HTTP/1.1\r\nA: " + std::string(50'000, 'b')}) {
    asio::io_context context;
    tcp::socket socket = connected(running.place(), context);
    beast::error_code failure;
    asio::write(socket, asio::buffer(text), failure);
  }
  EXPECT_EQ(asked(running.place(), "/").result_int(), 200u);
}

TEST(WebServer, AFailureIsTheAnswerToAnAddressAndTheEndElsewhere) {
  Running running;
  const auto failed = asked(running.place(), "/fails");
  EXPECT_EQ(failed.result_int(), 500u);
  EXPECT_EQ(failed.body(), "a damaged frame\n");
  WebPage page(running.place());
  page.say("end");
  running.joins();
  EXPECT_EQ(running.failure, "the disk is full");
}

TEST(WebServer, WhatTheSystemRefusesNowIsTheAnswerAndNotTheEnd) {
  const Running running;
  for (const char* path : {"/refused", "/later/refused"}) {
    const auto refused = asked(running.place(), path);
    EXPECT_EQ(refused.result_int(), 503u) << path;
    fernwood::testdata::expect_sentence(refused.body());
  }
  EXPECT_EQ(asked(running.place(), "/").result_int(), 200u);
}

TEST(WebServer, WhatWorkAsideHoldsIsReleasedOnTheServersThread) {
  std::thread::id released_on;
  std::shared_ptr<void> held(nullptr, [&](void*) { released_on = std::this_thread::get_id(); });
  WebServer server({}, {});
  std::stop_source stop;
  server.do_aside([&stop, held = std::move(held)] { return [&stop, held] { stop.request_stop(); }; });
  server.run(stop.get_token());
  EXPECT_EQ(released_on, std::this_thread::get_id());
}

#ifndef FERNWOOD_ADDRESS_SANITIZER  // UBSan, built along with it, checks objects through a pipe

/// During its lifetime, only descriptors below a number can be opened.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const struct rlimit few = {most, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  struct rlimit before_ = {};
};

TEST(WebServer, WithoutMemoryOnTheOtherThreadItEndsWithThatFailure) {
  WebServer server({}, {});
  server.do_aside([]() -> std::function<void()> {
    refuses_memory = true;
    throw std::bad_alloc();
  });
  EXPECT_THROW(server.run({}), std::bad_alloc);
}

TEST(WebServer, WithoutDescriptorsThereIsAFailureThatFrontEndsKnow) {
  bool is_served = false;
  for (rlim_t most = 0; !is_served && most < 1024; ++most) {  // each descriptor that it opens is missing once
    Failure failure;
    {
      const FewDescriptors refused(most);
      try {
        const WebServer server({.token = std::string(32, 'a')}, {});
        is_served = true;
        continue;
      } catch (...) {
        failure = failure_in_hand();
      }
    }
    EXPECT_EQ(failure.kind, ErrorKind::kResource) << failure.sentence.on_command_line();
    EXPECT_TRUE(failure.is_expected) << failure.sentence.on_command_line();
  }
  EXPECT_TRUE(is_served);
}

#endif

TEST(WebServer, AddressesThatCannotBeAreTold) {
  const auto refused = [](const WebOptions& options) {
    try {
      const WebServer server(options, {});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  fernwood::testdata::expect_sentence(refused({.address = "here"}));
  EXPECT_NE(refused({.address = "192.0.2.1"}), "") << "reserved for documentation";
  for (const char* origin : {"hub.example", "https://", "https://hub.example/user", "https://a; x", "HTTPS://hub"})
    fernwood::testdata::expect_sentence(refused({.trusted_origin = origin}));
  expect_ranges_are_kept<WebOptions>();
  const Running running;
  EXPECT_NE(refused({.port = std::stoi(running.place().port)}), "") << "it is taken";
}

}  // namespace
}  // namespace fernwood::web
