#include "service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "infermeter/base/errors.hpp"
#include "infermeter/base/random.hpp"

namespace infermeter::sim {
namespace {

constexpr std::uint64_t kChoiceIds = 256;  // an engine id is arrival × 256 + choice; choices are at most 128

std::string_view path_of(std::string_view target) { return target.substr(0, target.find_first_of("?#")); }

std::string refused_field(const GenerationSetup& setup) {
  for (const auto& field : setup.quirks.refused_fields) {
    const auto& fields = setup.request.fields;
    if (std::find(fields.begin(), fields.end(), field) != fields.end()) return field;
  }
  return {};
}

// Faults that wait for an occasion count as suffered only where it came.
void drop_drawn(Quirks& quirks, std::string_view kind) {
  std::erase_if(quirks.drawn, [&](const std::string& drawn) { return drawn == kind; });
}

double checked_scale(double scale) {
  if (std::isfinite(scale) && scale > 0) return scale;
  throw UsageError(fmt::format("--time-scale: {} is not a number above 0", scale));
}

}  // namespace

Service::Service(const ServerOptions& options, std::unique_ptr<EngineModel> engine, std::string model)
    : seed_(options.seed),
      faults_(options.faults, options.seed),
      engine_(std::move(engine), checked_scale(options.time_scale)),
      served_{std::move(model), engine_.context_tokens()},
      truth_(options.truth_path),
      created_(std::time(nullptr)) {}

void Service::start(Instant origin) { engine_.start(origin); }

std::shared_ptr<Reply> Service::handle(const HttpRequest& request) {
  const auto path = path_of(request.target);
  const bool post = request.method == "POST";
  if (path == "/v1/chat/completions" && post) return generate(Endpoint::chat, request);
  if (path == "/v1/completions" && post) return generate(Endpoint::completions, request);
  if (path == "/tokenize" && post) return tokenize(request);
  return answer_get(path, request);
}

std::shared_ptr<Reply> Service::answer_get(std::string_view path, const HttpRequest& request) {
  constexpr std::string_view kPosts[]{"/v1/chat/completions", "/v1/completions", "/tokenize"};
  const bool post_only = std::find(std::begin(kPosts), std::end(kPosts), path) != std::end(kPosts);
  const auto json = [&](std::string_view body) { return plain(200, "application/json", body, request); };
  if (!post_only && request.method == "GET") {
    if (path == "/v1/models") return json(models_json(true));
    if (path == "/v1/models/" + served_.name) return json(models_json(false));
    if (path == "/health") return plain(200, "text/plain", "", request);
    if (path == "/version") return json(R"({"version":")" INFERMETER_VERSION R"("})");
    if (path == "/metrics")
      return plain(200, "text/plain; version=0.0.4; charset=utf-8",
                   metrics_.text(served_.name, engine_.counters()), request);
  }
  const bool known =
      post_only || path == "/v1/models" || path == "/health" || path == "/version" || path == "/metrics";
  if (!known) return problem({404, fmt::format("no such path: {}", path), "NotFoundError", ""}, request);
  const std::string_view allowed = post_only ? "POST" : "GET";
  return problem({405, fmt::format("{} takes {}", path, allowed), "MethodNotAllowedError", ""}, request,
                 fmt::format("allow: {}\r\n", allowed));
}

std::string Service::models_json(bool list) const {
  const std::string name = json_quoted(served_.name);
  const std::string entry = fmt::format(
      R"({{"id":{0},"object":"model","created":{1},"owned_by":"infermeter-sim","root":{0},"parent":null,"max_model_len":{2}}})",
      name, created_, served_.context_tokens);
  return list ? fmt::format(R"({{"object":"list","data":[{}]}})", entry) : entry;
}

std::shared_ptr<Reply> Service::tokenize(const HttpRequest& request) {
  const auto parsed = parse_tokenize_request(request.body, served_);
  if (const auto* wrong = std::get_if<ApiProblem>(&parsed)) return problem(*wrong, request);
  const auto& tokens = std::get<TokenizeRequest>(parsed).tokens;
  return plain(200, "application/json",
               fmt::format(R"({{"count":{},"max_model_len":{},"tokens":[{}],"token_strs":null}})",
                           tokens.size(), served_.context_tokens, fmt::join(tokens, ",")),
               request);
}

std::shared_ptr<Reply> Service::generate(Endpoint endpoint, const HttpRequest& request) {
  GenerationSetup setup;
  setup.number = arrivals_++;
  setup.received = request.received;
  setup.arrived = request.arrived;
  setup.quirks = faults_.draw(setup.number);
  const bool chat = endpoint == Endpoint::chat;
  setup.identity = {endpoint,
                    fmt::format("{}-{:016x}", chat ? "chatcmpl" : "cmpl", mix64(seed_ ^ mix64(setup.number))),
                    served_.name, std::time(nullptr)};
  setup.request_id = request.request_id.empty() ? std::string_view(setup.identity.id) : request.request_id;
  setup.request.endpoint = endpoint;
  if (setup.quirks.stale && request.reused_connection) {
    auto reply = std::make_shared<Reply>(false);
    reply->ending = Ending::reset;
    return refuse_generation(setup, std::move(reply));
  }
  drop_drawn(setup.quirks, "stale");
  if (!setup.quirks.refusal.empty()) return refuse_generation(setup, refusal(setup.quirks, request));
  auto parsed = parse_api_request(endpoint, request.body, served_);
  if (const auto* wrong = std::get_if<ApiProblem>(&parsed))
    return refuse_generation(setup, problem(*wrong, request));
  setup.request = std::move(std::get<ApiRequest>(parsed));
  if (const auto field = refused_field(setup); !field.empty()) {
    const auto message = fmt::format("Unsupported parameter: '{}' is not supported with this model.", field);
    return refuse_generation(setup, problem({400, message, "invalid_request_error", field}, request));
  }
  drop_drawn(setup.quirks, "refuse");
  setup.framing = request.http_1_0 ? Framing::until_close : Framing::chunked;
  setup.keep_alive = request.keep_alive && !(request.http_1_0 && setup.request.stream);
  setup.keep_events = truth_.enabled();
  setup.date = setup.identity.created;
  setup.output_tokens = output_lengths(setup);
  if (auto reply = accept(setup)) return reply;
  return refuse_generation(
      setup, problem({400, "The engine cannot hold this request.", "BadRequestError", ""}, request));
}

std::shared_ptr<Reply> Service::refuse_generation(const GenerationSetup& setup,
                                                  std::shared_ptr<Reply> reply) {
  TruthRecord record;
  record.request_id = setup.request_id;
  record.number = setup.number;
  record.endpoint = setup.identity.endpoint == Endpoint::chat ? "chat" : "completions";
  record.stream = setup.request.stream;
  record.end = "refused";
  record.faults = setup.quirks.drawn;
  record.arrived = setup.arrived;
  record.received = record.ended = setup.received;
  truth_.append(record);
  return reply;
}

std::shared_ptr<Reply> Service::refusal(const Quirks& quirks, const HttpRequest& request) const {
  const auto page = [](std::string_view title) {
    return fmt::format(
        "<html>\n<head><title>{0}</title></head>\n<body><center><h1>{0}</h1></center></body>\n</html>\n",
        title);
  };
  const auto& after = quirks.retry_after;
  const bool milliseconds = after.ends_with("ms");
  const std::string retry = after.empty() ? ""
                            : milliseconds
                                ? fmt::format("retry-after-ms: {}\r\n", after.substr(0, after.size() - 2))
                                : fmt::format("retry-after: {}\r\n", after);
  if (quirks.refusal == "429")
    return problem({429, "Rate limit reached.", "rate_limit_error", ""}, request, retry);
  if (quirks.refusal == "503")
    return problem({503, "The engine is overloaded.", "service_unavailable", ""}, request, retry);
  if (quirks.refusal == "html502") return plain(502, "text/html", page("502 Bad Gateway"), request);
  if (quirks.refusal == "html200") return plain(200, "text/html; charset=utf-8", page("Welcome"), request);
  return problem({500, "The engine failed.", "InternalServerError", ""}, request);
}

// Tokens until an answer ends: its limit, or under `eos` a length of its own that min_tokens may raise.
std::vector<std::uint32_t> Service::output_lengths(const GenerationSetup& setup) const {
  const auto& request = setup.request;
  std::vector<std::uint32_t> lengths(request.prompts.size() * request.n, request.output_limit);
  if (setup.quirks.eos_mean == 0 || request.ignore_eos) return lengths;
  Random random(seed_, setup.number);
  for (auto& length : lengths) {
    const double own = std::ceil(random.exponential() * static_cast<double>(setup.quirks.eos_mean));
    const auto tokens =
        static_cast<std::uint32_t>(std::clamp(own, 1.0, static_cast<double>(served_.context_tokens)));
    length = std::min(length, std::max(tokens, request.min_tokens));
  }
  return lengths;
}

std::shared_ptr<Reply> Service::accept(GenerationSetup setup) {
  const Instant now = setup.arrived;  // parsing takes none of the engine's time
  const auto generation = std::make_shared<Generation>(std::move(setup));
  const std::uint64_t number = generation->setup().number;
  const std::size_t choices = generation->setup().output_tokens.size();
  run_due(now);  // the engine sees arrivals in order of time
  Open open{generation, std::vector<nanoseconds>(choices, nanoseconds(-1)),
            static_cast<std::uint32_t>(choices), std::nullopt, std::nullopt};
  if (!submit(*generation, now)) {
    leave_engine(number, open, now);
    return nullptr;
  }
  by_reply_[&generation->reply()] = number;
  generation->begin(now);
  after_change(number, open_[number] = std::move(open), now);
  return {generation, &generation->reply()};
}

bool Service::submit(const Generation& generation, Instant now) {
  const auto& setup = generation.setup();
  std::uint64_t id = setup.number * kChoiceIds;
  std::size_t choice = 0;
  for (const auto& prompt : setup.request.prompts) {
    SimRequest request{id, block_hashes(prompt), static_cast<std::uint32_t>(prompt.size()), 1};
    for (std::uint32_t i = 0; i < setup.request.n; ++i) {
      request.id = id++;
      request.output_tokens = setup.output_tokens[choice++];
      if (!engine_.submit(request, now)) return false;
    }
  }
  return true;
}

void Service::run_due(Instant now) {
  emissions_.clear();
  engine_.advance(now, emissions_);
  for (std::size_t i = 0; i < emissions_.size(); ++i) deliver(emissions_[i], now);
  while (!wakes_.empty() && wakes_.top().at <= now) {
    const std::uint64_t number = wakes_.top().number;
    wakes_.pop();
    wake(number, now);
  }
}

std::optional<Instant> Service::next_due() const {
  auto next = engine_.next_event();
  if (!wakes_.empty() && (!next || wakes_.top().at < *next)) next = wakes_.top().at;
  return next;
}

void Service::deliver(const Emission& emission, Instant now) {
  const std::uint64_t number = emission.id / kChoiceIds;
  const auto found = open_.find(number);
  if (found == open_.end()) return;  // the client went away meanwhile
  Open& open = found->second;
  if (open.generation->over()) return;  // cut while this one was under way
  const auto choice = static_cast<std::uint32_t>(emission.id % kChoiceIds);
  auto& last = open.last_emission[choice];
  std::optional<RequestTruth> truth;
  if (last < nanoseconds(0) || emission.finished) truth = engine_.truth(emission.id);
  if (last < nanoseconds(0)) {
    if (truth) metrics_.observe_first_token(*truth);
  } else {
    metrics_.observe_gap(emission.at - last);
  }
  last = emission.at;
  if (choice == 0 && truth) open.first_choice = truth;
  if (emission.finished) {
    --open.unfinished;
    if (!truth) truth = RequestTruth{};
    metrics_.observe_finished(*truth, open.generation->setup().output_tokens[choice],
                              open.generation->finish_reason(choice));
    engine_.forget(emission.id);
  }
  open.generation->on_tokens(choice, emission.tokens, emission.finished ? &*truth : nullptr, now);
  after_change(number, open, now);
}

void Service::wake(std::uint64_t number, Instant now) {
  const auto found = open_.find(number);
  if (found == open_.end()) return;
  Open& open = found->second;
  if (!open.wake || *open.wake > now) return;  // an earlier one took its place
  open.wake.reset();
  open.generation->on_time(now);
  after_change(number, open, now);
}

// Last use of `open` by its callers: telling the connection may close it.
void Service::after_change(std::uint64_t number, Open& open, Instant now) {
  const auto wanted = open.generation->wake();
  if (wanted && (!open.wake || *wanted < *open.wake)) wakes_.push({*wanted, number});
  if (wanted) open.wake = open.wake ? std::min(*open.wake, *wanted) : *wanted;
  if (open.generation->over() && open.unfinished > 0) leave_engine(number, open, now);
  const auto generation = open.generation;  // outlives its entry
  Reply& reply = generation->reply();
  const bool news = !reply.outbox.ready().empty() || (reply.ending != Ending::open && reply.outbox.empty());
  if (news && reply.on_ready) reply.on_ready();
}

void Service::leave_engine(std::uint64_t number, Open& open, Instant now) {
  open.unfinished = 0;
  for (std::size_t choice = 0; choice < open.last_emission.size(); ++choice) {
    const std::uint64_t id = number * kChoiceIds + choice;
    engine_.cancel(id, now);
    engine_.forget(id);
  }
  metrics_.count_aborted();
}

void Service::close(const Reply& reply, Instant now) {
  const auto known = by_reply_.find(&reply);
  if (known == by_reply_.end()) return;
  const std::uint64_t number = known->second;
  by_reply_.erase(known);
  const auto found = open_.find(number);
  const auto open = std::move(found->second);
  open_.erase(found);
  Open rest = open;
  const bool written = reply.ending != Ending::open && reply.outbox.empty();
  if (rest.unfinished > 0) leave_engine(number, rest, now);
  record(open, !written ? "aborted" : open.generation->was_cut() ? "cut" : "done", now);
}

void Service::stop(Instant now) {
  for (const auto& [number, open] : open_) record(open, "open", now);
  open_.clear();
  by_reply_.clear();
}

void Service::record(const Open& open, std::string_view end, Instant now) {
  if (!truth_.enabled()) return;
  const auto& setup = open.generation->setup();
  TruthRecord record;
  record.request_id = setup.request_id;
  record.number = setup.number;
  record.endpoint = setup.request.endpoint == Endpoint::chat ? "chat" : "completions";
  record.stream = setup.request.stream;
  record.end = end;
  record.faults = setup.quirks.drawn;
  record.arrived = setup.arrived;
  record.received = setup.received;
  record.ended = now;
  record.engine = open.first_choice;
  record.prompt_tokens = open.generation->prompt_tokens();
  record.output_tokens = open.generation->generated_tokens();
  record.choices = static_cast<std::uint32_t>(setup.output_tokens.size());
  if (end == "done") record.finish_reason = open.generation->finish_reason(0);
  record.events = open.generation->reply().outbox.sent();
  truth_.append(record);
}

std::shared_ptr<Reply> Service::reject(int status, std::string_view message) const {
  HttpRequest request;
  request.keep_alive = false;
  return problem({status, std::string(message), "BadRequestError", ""}, request);
}

std::shared_ptr<Reply> Service::plain(int status, std::string_view type, std::string_view body,
                                      const HttpRequest& request, std::string_view more) const {
  auto reply = std::make_shared<Reply>(false);
  append_head(reply->outbox.bytes(), {.status = status,
                                      .content_type = type,
                                      .length = body.size(),
                                      .keep_alive = request.keep_alive,
                                      .request_id = request.request_id,
                                      .more = more,
                                      .date = std::time(nullptr)});
  if (request.method != "HEAD") reply->outbox.bytes() += body;
  reply->outbox.release_all();
  reply->ending = request.keep_alive ? Ending::keep_alive : Ending::close;
  return reply;
}

std::shared_ptr<Reply> Service::problem(const ApiProblem& problem, const HttpRequest& request,
                                        std::string_view more) const {
  return plain(problem.status, "application/json", problem_json(problem), request, more);
}

}  // namespace infermeter::sim
