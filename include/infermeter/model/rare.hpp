// A part of a value that most such values do not have: it takes a pointer's size until it is written.
#pragma once

#include <memory>
#include <utility>

namespace infermeter {

/// Behaves like the T that it holds: copies are deep, and one that was never written reads as T{}. Must not
/// be read while another thread writes it.
template <typename T>
class Rare {
 public:
  Rare() = default;
  Rare(const Rare& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(Rare other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Rare() = default;

  const T& operator*() const {
    static const T none{};
    return value_ ? *value_ : none;
  }
  const T* operator->() const { return &**this; }
  /// Creates it if necessary.
  T& write() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace infermeter
