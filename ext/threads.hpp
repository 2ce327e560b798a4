// When several threads share some work. Threads that cannot be started are an exception here; in OpenMP they are the end of
// the process. No signal comes to them. And what is done about threads when the process forks: the child has that one which
// forked.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#ifndef _WIN32
#include <pthread.h>
#include <signal.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

namespace bpe_lab {

inline unsigned forks = 0;  // between the process that loaded this and this one

#ifndef _WIN32
// GCC's OpenMP keeps threads for the next region, and a child would wait there for those of its parent: they end
// before a fork, and the next region starts new ones. (LLVM's does that itself.) Inside of a region nothing happens:
// a region inside of it has one thread anyway.
inline void end_kept_threads() {
#if defined(_OPENMP) && defined(__GNUC__) && !defined(__clang__)
  omp_pause_resource_all(omp_pause_hard);
#endif
}

inline const int kForksSeen = pthread_atfork(end_kept_threads, nullptr, [] { ++forks; });
#endif

// A table or an array with fewer places is looked through by one thread, in microseconds: to wake another takes as long.
inline constexpr std::size_t kMinShared = 1 << 15;

// Threads started while it lives have all signals blocked, but those of faults. One of them would take a signal (after a
// stop any thread of the process may), and Python's main thread would not be told: a Ctrl-C would be lost.
class WithoutSignals {
 public:
#ifndef _WIN32
  // Of one thread nothing is started.
  explicit WithoutSignals(int threads) : held_(threads > 1) {
    if (!held_) return;
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&blocked, fault);
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~WithoutSignals() {
    if (held_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  // An OpenMP region begins with this: all of its threads are there, and the one that began it hears signals again.
  void all_started() const {
    if (held_ && pthread_equal(starter_, pthread_self())) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
#else
  explicit WithoutSignals(int) {}
  void all_started() const {}
#endif
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

#ifndef _WIN32
 private:
  const bool held_;
  const pthread_t starter_ = pthread_self();
  sigset_t before_{};
#endif
};

// Starts as many threads as an OpenMP region of this size will, and lets them go again.
inline void require_threads(int threads) {
#ifdef _OPENMP
  const WithoutSignals without(threads);
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

// Python reads files on OpenMP's threads: a stack too small for that (OMP_STACKSIZE) would be the end of the process, too.
// Looked at once, by threads that do nothing else.
inline void require_stacks(int threads) {
#if defined(_OPENMP) && defined(__GLIBC__)
  static constexpr std::size_t kMinStack = 128 << 10;
  static std::atomic<bool> enough{false};
  if (threads < 2 || enough) return;
  std::size_t smallest = kMinStack;
  const WithoutSignals without(threads);
#pragma omp parallel num_threads(threads) reduction(min : smallest)
  {
    without.all_started();
    pthread_attr_t facts;
    if (omp_get_thread_num() != 0 && pthread_getattr_np(pthread_self(), &facts) == 0) {
      pthread_attr_getstacksize(&facts, &smallest);
      pthread_attr_destroy(&facts);
    }
  }
  if (smallest < kMinStack) {
    throw std::runtime_error("the stack of a thread of OpenMP has only " + std::to_string(smallest >> 10) +
                             " kB: set OMP_STACKSIZE=1M, or use one thread");
  }
  enough = true;
#else
  (void)threads;
#endif
}

}  // namespace bpe_lab
