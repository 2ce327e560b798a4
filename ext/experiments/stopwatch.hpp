// A clock for the work that is measured in C++.
#pragma once

#include <chrono>

namespace bpe_lab {

// Seconds that pass between `start` and `stop`, added up.
class StopWatch {
 public:
  void start() { begin_ = std::chrono::steady_clock::now(); }
  void stop() {
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  double seconds = 0;

 private:
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace bpe_lab
