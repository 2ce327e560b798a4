// Threads that cannot be started are an exception here; in OpenMP they are the end of the process.
#pragma once

#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace bpe_lab {

// Starts as many threads as an OpenMP region of this size will, and lets them go again.
inline void require_threads(int threads) {
#ifdef _OPENMP
  std::vector<std::thread> started;
  std::mutex hold;
  bool failed = false;
  {
    const std::lock_guard<std::mutex> held(hold);
    try {
      for (int i = 1; i < threads; ++i) {
        started.emplace_back([&hold] { const std::lock_guard<std::mutex> wait(hold); });
      }
    } catch (const std::exception&) {  // also of memory: those that run must be joined in any case
      failed = true;
    }
  }
  for (std::thread& thread : started) thread.join();
  if (failed) {
    throw std::runtime_error("the system starts only " + std::to_string(started.size() + 1) + " of " +
                             std::to_string(threads) + " threads: ask for fewer");
  }
#else
  (void)threads;
#endif
}

}  // namespace bpe_lab
