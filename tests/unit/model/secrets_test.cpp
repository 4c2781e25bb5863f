// A secret is found in every spelling, and nothing else is.
#include "model/secrets/secrets.hpp"

#include "catch.hpp"
#include "model/secrets/pieces.hpp"
#include "model/secrets/secret_values.hpp"
#include "model/secrets/shell_secrets.hpp"

using namespace infermeter;

namespace {

const std::string kKey = "sk-live/Ab12+cd34==Z";

std::string masked(const std::string& text) { return Secrets({{kKey}}).mask(text); }

std::vector<std::string> values_of(const std::vector<Secret>& secrets) {
  std::vector<std::string> values;
  for (const auto& secret : secrets) values.push_back(secret.value);
  return values;
}

using TextList = std::vector<std::string>;

}  // namespace

TEST_CASE("secrets: a key is masked in every spelling") {
  const char* spelling = GENERATE("sk-live/Ab12+cd34==Z", "SK-LIVE/AB12+CD34==Z",  // any case
                                  "sk-live%2FAb12%2Bcd34%3D%3DZ",                  // URL, as of a form
                                  "sk-live%2fAb12%2bcd34%3d%3dZ",  // in the other hexadecimal case
                                  "sk-live/Ab12%2Bcd34==Z",        // only one character
                                  "%73%6B%2D%6C%69%76%65%2F%41%62%31%32%2B%63%64%33%34%3D%3D%5A",
                                  "sk-live%252FAb12%252Bcd34%253D%253DZ",  // encoded twice
                                  "sk-live\\/Ab12+cd34==Z",                // JSON
                                  "\\u0073\\u006b-live\\u002fAb12\\u002Bcd34\\u003d\\u003dZ",
                                  "sk-live\\\\u002fAb12\\\\u002bcd34==Z",      // JSON in JSON
                                  "sk-live\\x2fAb12\\x2bcd34==Z",              // of a Python log
                                  "sk-live&#x2F;Ab12&#43;cd34==Z",             // HTML
                                  "736b2d6c6976652f416231322b636433343d3d5a",  // hexadecimal
                                  "c2stbGl2ZS9BYjEyK2NkMzQ9PV",                // base64 at its three places
                                  "NrLWxpdmUvQWIxMitjZDM0PT1a", "zay1saXZlL0FiMTIrY2QzND09W");
  CAPTURE(spelling);
  CHECK(masked(std::string("<") + spelling + ">") == "<****>");
}

TEST_CASE("secrets: both alphabets of base64 are masked") {
  const Secrets secrets({{"\xff\xfe\xfdkey-\xfb\xef\xbe?>"}});
  CHECK(secrets.mask("//79a2V5Lfvvvj8+") == "****");
  CHECK(secrets.mask("__79a2V5Lfvvvj8-") == "****");
  CHECK(secrets.mask("%2F%2F79a2V5Lfvvvj8%2B") == "****");
}

TEST_CASE("secrets: a key in wrapped base64, or with a line break or a space in it, was not found") {
  CHECK(masked("c2stbGl2ZS9BYj\nEyK2NkMzQ9PV") == "****");
  CHECK(masked("c2stbGl2ZS9BYj\\r\\nEyK2NkMzQ9PV") == "****");
  CHECK(masked("sk-live/Ab12\r\n+cd34==Z") == "****");
  CHECK(masked("sk-live/Ab12 cd34==Z") == "****");
  CHECK(masked("sk-l\nsk-live/Ab12+cd34==Z") == "sk-l\n****");
}

TEST_CASE("secrets: a key with a tab, an indented line or spaces in it was not found") {
  CHECK(masked("sk-\tlive/Ab12+cd34==Z") == "****");
  CHECK(masked("s\nk-live/Ab12+cd34==Z") == "****");
  CHECK(masked("sk-live/Ab\r\n    12+cd34==Z!") == "****!");
  CHECK(masked("sk-live/Ab\\n    12+cd34==Z!") == "****!");
  CHECK(masked("sk-live/Ab%0D%0A%2012+cd34==Z!") == "****!");
  CHECK(masked("sk-live/Ab&#10;12+cd34==Z!") == "****!");
  CHECK(masked("73 6b 2d 6c 69 76 65 2f 41 62 31 32 2b 63 64 33 34 3d 3d 5a") == "****");
  CHECK(Secrets({{"Token abc-12345"}}).mask("Token\n  abc-12345 Token abc-12345") == "**** ****");
  // What we write has columns, whose words may stand side by side.
  CHECK(Secrets({{"p50p90p95"}}).mask_written("p50 p90 p95") == "p50 p90 p95");
}

TEST_CASE("secrets: a key in hexadecimal with marks between its bytes was not found") {
  CHECK(masked("73:6b:2d:6c:69:76:65:2f:41:62:31:32:2b:63:64:33:34:3d:3d:5a!") == "****!");
  CHECK(masked("73:6B:2D:6C:69:76:65:2F:41:62:31:32:2B:63:64:33:34:3D:3D:5A!") == "****!");
  CHECK(masked("73-6b-2d-6c-69-76-65-2f-41-62-31-32-2b-63-64-33-34-3d-3d-5a!") == "****!");
  CHECK(masked(
            "0x73, 0x6b, 0x2d, 0x6c, 0x69, 0x76, 0x65, 0x2f, 0x41, 0x62, 0x31, 0x32, 0x2b, 0x63, 0x64, 0x33, "
            "0x34, 0x3d, 0x3d, 0x5a!") == "****!");
  CHECK(masked("736B 2D6C 6976 652F 4162 3132 2B63 6433 343D 3D5A!") == "****!");
  CHECK(Secrets({{"sixLtr"}}).mask("7369784C7472 73:69:78:4c:74:72") == "**** ****");
  // What we write has them too.
  CHECK(Secrets({{"sk-live-Ab12"}}).mask_written("73 6b 2d 6c 69 76 65 2d 41 62 31 32") == "****");
}

TEST_CASE("secrets: a key of letters only stood in the query of a URL that we wrote") {
  const Secrets secrets({{"choices"}});
  CHECK(secrets.mask_written("choices of http://h/v1?x=1&k=choices&y=2") ==
        "choices of http://h/v1?x=1&k=****&y=2");
  CHECK(secrets.mask_written("infermeter run 'http://h?k=choices'") == "infermeter run 'http://h?k=****'");
  CHECK(secrets.mask_written("\"choices=choices\" ? a=choices") == "\"choices=choices\" ? a=choices");
}

TEST_CASE("secrets: a slash that JSON in JSON escapes hid the key") {
  for (const char* slash : {"\\/", "\\\\/", "\\\\\\/", "\\\\\\\\/"})
    CHECK(masked(std::string("<sk-live") + slash + "Ab12+cd34==Z>") == "<****>");
  CHECK(Secrets({{"dom\\/Ab12cd"}}).mask(R"(dom\/Ab12cd dom\\\/Ab12cd dom\/Ab12cd)").find("Ab12") ==
        std::string::npos);
}

TEST_CASE("secrets: a text without a secret stays byte for byte") {
  for (const char* text :
       {"", "sk-live/Ab12+cd34==Y", "100% of \\u0073k & more %", "\\", "%2", "&#x;", "a\xff"})
    CHECK(masked(text) == text);
  CHECK(Secrets().mask("anything") == "anything");
}

TEST_CASE("secrets: from 8 bytes in any case, 6 and 7 as they are, shorter ones not at all") {
  CHECK(Secrets({{"eightLtr"}}).mask("EIGHTLTR eightltr") == "**** ****");
  CHECK(Secrets({{"sevenLt"}}).mask("sevenLt SEVENLT") == "**** SEVENLT");
  CHECK(Secrets({{"sixLtr"}}).mask("sixLtr sixltr") == "**** sixltr");
  CHECK(Secrets({{"five5"}}).empty());
}

TEST_CASE("secrets: the whole value of a header is masked before the key in it") {
  const Secrets secrets(secrets_in_header("Authorization", "Bearer sk-abcdef123"));
  CHECK(secrets.mask("got 'Bearer sk-abcdef123', or sk-abcdef123") == "got '****', or ****");
  CHECK(secrets.mask("bearer+sk-abcdef123") == "****");
}

TEST_CASE("secrets: the part of a key that a cut left is masked, and what was only short is not") {
  const Secrets secrets({{"sk-abcdef123456"}});
  CHECK(secrets.mask("no such key sk-abcdef12", true) == "no such key ****");
  CHECK(secrets.mask("no such key sk-abcdef12") == "no such key sk-abcdef12");
  CHECK(secrets.mask_front("key sk-abcdef123456 is bad", 12) == "key **** is ");
  CHECK(secrets.mask_front("a key sk-abcdef123456", 9) == "a key ***");
}

TEST_CASE("secrets: in JSON neither numbers nor the names of fields are lost, whatever the key is") {
  const Secrets digits({{"12345678"}}), word({{"prompt_tokens"}}), key({{"sk-live-Ab12Cd34"}});
  CHECK(digits.mask_json(R"({"n":12345678,"m":[12345678],"id":"12345678"})") ==
        R"({"n":12345678,"m":[12345678],"id":"****"})");
  CHECK(word.mask_json(R"({"prompt_tokens":9,"is":"prompt_tokens"})") ==
        R"({"prompt_tokens":9,"is":"****"})");
  CHECK(key.mask_json(R"({"sk-live-Ab12Cd34" : 5,"a":"\"sk-live\u002dAb12Cd34\""})") ==
        R"({"****" : 5,"a":"\"****\""})");
}

TEST_CASE("secrets: masking leaves JSON valid where a key begins inside an escape") {
  CHECK(Secrets({{"n-key-12345"}}).mask(R"("a\n-key-12345")") == R"("a****")");
  CHECK(Secrets({{"73k-abcd123"}}).mask(R"("\u0073k-abcd123")") == R"("****")");
  CHECK(Secrets({{"n-key-12345"}}).mask(R"("a\\n-key-12345")") == R"("a\\****")");
}

TEST_CASE("secrets: what we write loses keys, but no word that may be our own") {
  const auto written = [](const std::string& key) { return Secrets({{key}}).mask_written("<" + key + ">"); };
  for (const char* key : {"sk-live-Ab12Cd34", "AbCdEfGhIjKl", "abcd1234efgh", "sk_live_51abcdefghijkl",
                          "averylongkeyofonlyletters"})
    CHECK(written(key) == "<****>");
  for (const char* key : {"choices", "12345678", "ttft_p99_ms", "measured", "http_error", "schema_version",
                          "requests.jsonl", "text/event-stream"})
    CHECK(written(key) == "<" + std::string(key) + ">");
  const Secrets header({{"gpt-4o-Mini", false}});
  CHECK(header.mask_written("gpt-4o-Mini") == "gpt-4o-Mini");
  CHECK(header.mask_json(R"({"gpt-4o-Mini":1})") == R"({"****":1})");
}

TEST_CASE("secrets: those of a URL, of Basic credentials and of ordinary headers") {
  CHECK(values_of(secrets_in_url("http://me:pass@word@h:1/p?api-version=1&api-key=k1&x=2&sig=s#f")) ==
        TextList{"me:pass@word", "pass@word", "k1", "s"});
  CHECK(values_of(secrets_in_header("Authorization", "Basic bWU6cGFzc3dvcmQ=")) ==
        TextList{"Basic bWU6cGFzc3dvcmQ=", "bWU6cGFzc3dvcmQ=", "me:password", "password"});
  CHECK(secrets_in_header("Content-Type", "application/json").empty());
}

TEST_CASE("secrets: the variables that hold one") {
  CHECK(is_secret_variable("HF_TOKEN", "hf_1"));
  CHECK(is_secret_variable("AWS_SECRET_ACCESS_KEY", "x"));
  CHECK_FALSE(is_secret_variable("SSH_AUTH_SOCK", "agent.17"));
  CHECK_FALSE(is_secret_variable("API_KEY", "/run/secrets/key"));
  CHECK_FALSE(is_secret_variable("TOKENIZERS_PARALLELISM", "false"));
}

TEST_CASE("secrets: a hook's header value stood in the command line") {
  struct Row {
    const char *command, *shown;
    TextList values;
  };
  const Row rows[] = {
      {"curl -H 'Authorization: Bearer sk-1234567' http://h",
       "curl -H 'Authorization: ****' http://h",
       {"Bearer sk-1234567", "sk-1234567"}},
      {"curl -H\"X-Api-Key: abc\" h", "curl -H\"X-Api-Key: ****\" h", {"abc"}},
      {"curl --header=X-K:v1 h", "curl --header=X-K:**** h", {"v1"}},
      {"curl -H \"Authorization: Bearer $KEY\" h", "curl -H \"Authorization: ****\" h", {}},
      {"curl -u me:pw1 h; curl -uyou:pw2 h",
       "curl -u **** h; curl -u**** h",
       {"me:pw1", "pw1", "you:pw2", "pw2"}},
      {"HF_TOKEN=hf_1 vllm serve m --api-key k2 --max-tokens 8 --tokenizer t",
       "HF_TOKEN=**** vllm serve m --api-key **** --max-tokens 8 --tokenizer t",
       {"hf_1", "k2"}},
      {"serve --token='k 3' --key \"k 4\"", "serve --token='****' --key \"****\"", {"k 3", "k 4"}},
      {"curl 'http://me:pw@h/flush?api_key=k5&x=1'",
       "curl 'http://****@h/flush?api_key=****&x=1'",
       {"me:pw", "pw", "k5"}},
      {"curl 'http://me:pw@h/?api_key=pw&sig=h'",
       "curl 'http://****@h/?api_key=****&sig=****'",
       {"me:pw", "pw", "h"}},
      {"curl -d '{\"api_key\": \"k6\", \"n\": 1}' h",
       "curl -d '{\"api_key\": \"****\", \"n\": 1}' h",
       {"k6"}},
      {"echo 'Authorization: Bearer k7'", "echo 'Authorization: Bearer ****'", {"k7"}},
      {"curl -sSH 'X-Api-Key: k8' h; curl -fsu me:k9 h",
       "curl -sSH 'X-Api-Key: ****' h; curl -fsu **** h",
       {"k8", "me:k9", "k9"}},
      {"sh -c 'API_KEY=k10 serve --port 1'", "sh -c 'API_KEY=**** serve --port 1'", {"k10"}},
      {"ssh h \"export TOKEN='k11'; x --password k12\"",
       "ssh h \"export TOKEN='****'; x --password ****\"",
       {"k11", "k12"}},
      {"docker run --env=HF_TOKEN=k13 --env A=b image",
       "docker run --env=HF_TOKEN=**** --env A=b image",
       {"k13"}},
      {"python3 -c 'import os; os.environ[\"API_KEY\"]=\"k14\"'",
       "python3 -c 'import os; os.environ[\"API_KEY\"]=\"****\"'",
       {"k14"}},
      {"sshpass -p k15 ssh h", "sshpass -p **** ssh h", {"k15"}},
      {"redis-cli -a k16 flushall; mysql -uroot -pk17",
       "redis-cli -a **** flushall; mysql -uroot -p****",
       {"k16", "k17"}},
      {"docker login -u me -p k18 r", "docker login -u me -p **** r", {"k18"}},
      {"curl -s http://h -o a; docker run -p 80:80 i", "curl -s http://h -o a; docker run -p 80:80 i", {}},
      {"python -u serve.py --trust-remote-code", "python -u serve.py --trust-remote-code", {}},
      {"docker run -u 1000:1000 image", "docker run -u 1000:1000 image", {}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.command);
    CHECK(mask_command(row.command) == row.shown);
    TextList values = values_of(secrets_in_command(row.command));
    CHECK(values == row.values);
  }
}

TEST_CASE("secrets: a plan's are those of all its targets, classes, proxies and hooks") {
  Plan plan;
  plan.targets[0].api_key = "target-key-1";
  plan.targets[0].headers = {{"X-Auth", "header-key-2"}, {"X-Model", "my-model-3"}};
  plan.targets[0].model = "my-model-3";
  plan.targets[0].proxy = "http://me:proxy-pass-4@p:1";
  plan.targets[0].url = "http://h/v1?api-key=query-key-5";
  plan.classes[0].headers = {{"X-Auth", "class-key-6"}};
  plan.sweep.before_point = "curl -H 'X-Token: hook-key-7' h";
  plan.secrets = {"variable-8"};
  CHECK(secrets_of(plan).mask("target-key-1 header-key-2 my-model-3 proxy-pass-4 query-key-5 class-key-6 "
                              "hook-key-7 variable-8") == "**** **** my-model-3 **** **** **** **** ****");
}

TEST_CASE(
    "secrets: a stream that spells a key over several events is withheld, any other one is shown and cut") {
  const Secrets secrets({{kKey}});
  const auto event = [](const std::string& text) {
    return "data: {\"id\":\"c1\",\"choices\":[{\"delta\":{\"content\": \"" + text + "\"}}]}\n\n";
  };
  const std::string pieces = event("sk-l") + event("ive/A") + event("b12+c") + event("d34==Z");
  CHECK(masked_stream(secrets, pieces, 1024) == "**** (withheld: it holds a secret in pieces)");
  CHECK(masked_stream(secrets, pieces.substr(0, pieces.size() - 60), 1024).starts_with("**** (withheld"));
  const std::string whole_too = "data: {\"id\":\"" + kKey + "\"}\n\n";
  CHECK(masked_stream(secrets, whole_too + pieces, 1024).starts_with("**** (withheld"));
  CHECK(masked_stream(secrets, event("a ") + event(kKey) + event(" b"), 1024) ==
        event("a ") + event("****") + event(" b"));
  CHECK(masked_stream(secrets, event("Hello") + event(" there"), 20) == event("Hello").substr(0, 20));
  for (const auto* odd : {"", "\"", "\"a", "\"a\"", "\"a\":", "\"a\":\"", "\"a\":\"b\\", "<html>\"x\": 3"})
    CHECK(masked_stream(secrets, odd, 99) == odd);
}
