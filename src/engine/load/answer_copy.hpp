// The head of one answer and the beginning of its body, as the server sent them, for the log.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/log/log.hpp"
#include "model/secrets/pieces.hpp"
#include "model/secrets/secrets.hpp"

namespace infermeter {

struct AnswerCopy {
  std::string head, body;
  std::size_t most = kLoggedBytes;  // of each; a secret that the log's cut divides needs some more
  Secrets own;                      // that only this request has; the log knows those of the run

  void on_status(int status) {
    head = std::to_string(status);
    body.clear();
  }
  void on_header(std::string_view name, std::string_view value) {
    if (head.size() >= most) return;
    head.append("; ").append(name).append(": ").append(value);
  }
  void on_body(std::string_view bytes) {
    if (body.size() < most) body.append(bytes.substr(0, most - body.size()));
  }
  /// Gives both away.
  void move_into(LogEntry& entry) {
    entry.head = own.empty() ? std::move(head) : masked_stream(own, head, kLoggedBytes);
    entry.body = own.empty() ? std::move(body) : masked_stream(own, body, kLoggedBytes);
  }
};

}  // namespace infermeter
