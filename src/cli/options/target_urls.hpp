// The URLs of a run as they are given: `URL`, `name=URL` for one of several targets, and several between
// commas for the replicas of one.
#pragma once

#include <string>
#include <vector>

#include "cli/options/values.hpp"

namespace infermeter {

struct NamedUrls {
  std::string name;               // empty: none was given
  std::vector<std::string> urls;  // ≥ 1, each one a URL
};

/// Of the arguments of the command line; empty where none is given. Several need names. Throws UsageError.
std::vector<NamedUrls> named_urls(const Values& values);
/// Of one block: all are replicas of one target.
std::vector<std::string> replica_urls(const Values& values);

/// "api.example.com" or "localhost:8000": what a target without a name is called.
std::string host_of(const std::string& url);

}  // namespace infermeter
