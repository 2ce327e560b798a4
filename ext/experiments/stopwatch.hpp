// A clock for the work that is measured in C++.
#pragma once

#include <chrono>

namespace bpe_lab {

template <class Work>
double seconds_of(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace bpe_lab
