#include "engine/session/scraper.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "engine/prepare/probe.hpp"
#include "infermeter/base/errors.hpp"
#include "io/http/curl_transport.hpp"
#include "model/target_url.hpp"
#include "protocol/metrics/server_page.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kLongestPage = 8'000'000;
constexpr nanoseconds kLongestScrape = 2s;
constexpr nanoseconds kPatience = 500ms;
constexpr int kNice = 19;  // of a scraping thread: the workers go first

constexpr std::array<std::string_view, 3> kUsualPaths{"/metrics", "/v1/metrics", "/prometheus/metrics"};

/// The page that a URL names; without a path its usual one.
std::string page_url(const std::string& text, const TargetUrl& parsed) {
  const std::size_t scheme = text.find("://");
  const std::size_t path = text.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  const bool bare = path == std::string::npos || path + 1 == text.size();
  return parsed.origin() + (bare ? std::string(kUsualPaths.front()) : text.substr(path));
}

MetricsPage given_page(const std::string& text, const PreparedTarget& prepared) {
  const TargetUrl parsed = resolve_target_url(text);
  const auto same = [&](const TargetUrl& url) { return url.origin() == parsed.origin(); };
  return {.urls = {page_url(text, parsed)},
          .given = true,
          .own = same(prepared.url) || std::ranges::any_of(prepared.replicas, same)};
}

MetricsPage usual_page(const TargetUrl& url) {
  MetricsPage page{.urls = {}, .own = true};
  for (const auto path : kUsualPaths) page.urls.push_back(url.root_url(path));
  return page;
}

/// Of another host than the target's only TLS is taken over: its socket, proxy and key are not meant for it.
TransportOptions transport_of(const ScraperSetup& setup, const MetricsPage& page) {
  TransportOptions options{.target = setup.prepared.target, .headers = {}, .connect_timeout = kLongestScrape};
  options.any_encoding = true;
  options.target.fresh_connections = false;
  for (const auto& [name, value] : setup.plan.metrics.headers)
    options.headers.push_back(fmt::format("{}: {}", name, value));
  if (page.own) {
    options.headers.insert(options.headers.end(), setup.prepared.headers.begin(),
                           setup.prepared.headers.end());
    return options;
  }
  options.target.url = page.urls.front();
  options.target.unix_socket.clear();
  options.target.proxy.clear();
  options.target.resolve.clear();
  options.target.http2 = false;
  return options;
}

std::string status_words(const HttpAnswer& answer) {
  const std::string to = answer.header("location");
  if (answer.status >= 300 && answer.status < 400 && !to.empty())
    return fmt::format("it has moved to {}", mask_url(to));
  return fmt::format("status {}", answer.status);
}

}  // namespace

std::vector<MetricsPage> metrics_pages(const Plan& plan, const PreparedTarget& prepared) {
  std::vector<MetricsPage> pages;
  if (!plan.metrics.on) return pages;
  for (const auto& text : prepared.target.metrics_urls) pages.push_back(given_page(text, prepared));
  if (!pages.empty() || !plan.preflight) return pages;
  pages.push_back(usual_page(prepared.url));
  for (const auto& replica : prepared.replicas) pages.push_back(usual_page(replica));
  return pages;
}

/// One page's thread.
class Scraper::Reader {
 public:
  Reader(const ScraperSetup& setup, MetricsPage& page) : setup_(setup), page_(page) {
    thread_ = std::thread([this] { run(); });
  }
  ~Reader() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  void ask() {
    {
      const std::lock_guard lock(mutex_);
      ++asked_;
    }
    changed_.notify_all();
  }
  void wait(Instant until) {
    std::unique_lock lock(mutex_);
    const auto done = [&] { return ended_ || served_ >= asked_; };
    if (!page_.slow && !changed_.wait_until(lock, until, done)) page_.slow = true;
  }

 private:
  void run() noexcept;
  void serve();
  bool read();
  bool read_from(CurlTransport& transport, const std::string& url);
  bool fail(const std::string& url, std::string_view problem, Instant at, bool told = false);
  void take(Scrape&& scrape, const std::string& url, Instant at);

  ScraperSetup setup_;
  MetricsPage& page_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 1, served_ = 0;  // the session's start is the first
  bool ended_ = false;
  std::atomic<bool> stop_{false};
  std::unique_ptr<CurlTransport> transport_;
  std::thread thread_;
};

void Scraper::Reader::run() noexcept {
  try {
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
    try {
      transport_ = std::make_unique<CurlTransport>(transport_of(setup_, page_));
      serve();
    } catch (const Error& error) {
      page_.over = true;
      fail(page_.urls.front(), error.what(), now());
    }
  } catch (const std::exception&) {
    page_.over = true;  // memory is exhausted: the load needs what is left
  }
  transport_.reset();
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void Scraper::Reader::serve() {
  Instant next = now();
  while (!stop_) {
    std::uint64_t served = 0;
    {
      const std::lock_guard lock(mutex_);
      served = asked_;
    }
    if (!read() && page_.over) return;
    next = std::max(next + setup_.plan.metrics.interval, now());
    std::unique_lock lock(mutex_);
    served_ = served;
    changed_.notify_all();
    changed_.wait_until(lock, next, [&] { return stop_ || asked_ > served_; });
  }
}

/// Of several candidates the first that has metrics stays; none that the user did not name is asked twice.
bool Scraper::Reader::read() {
  for (const auto& url : page_.urls) {
    if (stop_) return false;
    if (!read_from(*transport_, url)) continue;
    page_.found = true;
    page_.urls = {std::string(url)};
    return true;
  }
  page_.over = !page_.given && !page_.found && !stop_;
  return false;
}

void Scraper::Reader::take(Scrape&& scrape, const std::string& url, Instant at) {
  scrape.target = setup_.target;
  scrape.page = setup_.prepared.secrets.mask_written(mask_url(url));
  scrape.at_us = std::chrono::floor<std::chrono::microseconds>(at - setup_.origin).count();
  setup_.take(std::move(scrape));
}

/// A usual path that a server does not have is nothing to tell, nor is a scrape that the session's end broke
/// off, unless it was the first.
bool Scraper::Reader::fail(const std::string& url, std::string_view problem, Instant at, bool told) {
  if (!told && !page_.given && !page_.found) return false;
  if (stop_ && page_.found) return false;
  Scrape scrape;
  scrape.problem =
      stop_ ? "no whole answer before the end" : setup_.prepared.secrets.mask(std::string(problem));
  take(std::move(scrape), url, at);
  return false;
}

bool Scraper::Reader::read_from(CurlTransport& transport, const std::string& url) {
  const TimeLimit limit = TimeLimit(stop_).within(now(), kLongestScrape, "a scrape's limit");
  const HttpAnswer answer = fetch(transport, {.url = url}, limit, kLongestPage);
  if (answer.outcome != Outcome::ok) return fail(url, answer.message, answer.started);
  if (answer.status != 200) return fail(url, status_words(answer), answer.started);
  ServerPage page = read_server_page(answer.body, setup_.prepared.facts.model);
  if (!page.problem.empty()) return fail(url, page.problem, answer.started, page.known);
  take(std::move(page.scrape), url, answer.sent);
  return true;
}

Scraper::Scraper(const ScraperSetup& setup, std::vector<MetricsPage>& pages) {
  for (auto& page : pages) {
    if (page.over) continue;
    try {
      readers_.emplace_back(setup, page);
    } catch (const std::system_error&) {
      page.over = true;  // no thread is left for it: the load needs them more
    }
  }
}

Scraper::~Scraper() = default;

void Scraper::edge() {
  for (auto& reader : readers_) reader.ask();
}

void Scraper::wait() {
  const Instant until = now() + kPatience;
  for (auto& reader : readers_) reader.wait(until);
}

}  // namespace infermeter
