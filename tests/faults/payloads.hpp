// The odd bytes of the faults, by name; an unknown name throws std::invalid_argument. Plain values; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace infermeter::faults {

/// The body of an error status; `echo` holds the key that the request had.
std::string error_body(const std::string& name, const std::string& key);
/// A whole body with status 200 that is no answer.
std::string whole_body(const std::string& name);
/// A whole stream of the endpoint with something in it.
std::string sse_body(const std::string& name, const std::string& endpoint);
/// One or more events of a stream.
std::string payload(const std::string& name, const std::string& endpoint);
std::vector<std::pair<std::string, std::string>> header_fields(const std::string& name);
/// Lines in front of an HTTP/1.1 answer.
std::string first_lines(const std::string& name);
/// A body in chunks with something wrong, or odd, in their frames.
std::string chunks(const std::string& name, const std::string& body);
/// Bytes that are neither HTTP/1.1 nor HTTP/2.
std::string garbage();
/// HTTP/2 frames, mostly of this stream; `code` is an error code.
std::string raw_bytes(const std::string& name, std::uint32_t stream, const std::string& code = {});

}  // namespace infermeter::faults
