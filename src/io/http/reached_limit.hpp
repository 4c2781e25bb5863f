// Which limit of this machine a transfer met, from what libcurl and the kernel say of its failure. Used by
// the transport only. One thread.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string_view>

#include "io/http/curl_state.hpp"

namespace infermeter {

/// A socket() that failed, with its errno.
void note_socket_error(Transfer& transfer, int error);
/// A connect() that failed at once, in the system's words.
void note_connect_error(Transfer& transfer, std::string_view words);

/// The limit that ended the transfer; nothing if something else did.
std::optional<ClientLimit> limit_met(const Transfer& transfer, CURLcode code);

}  // namespace infermeter
