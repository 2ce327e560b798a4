// A pool of threads that help with a job when they are there in time.
//
// The core and the encoder have it: their jobs take a millisecond, and a build without OpenMP has several threads for them,
// too. An OpenMP region ends when all its threads have arrived, and where they spin while they wait, that takes far longer
// beside other programs (rejected.md). Here nobody waits for a thread that has not begun: a part that no other has taken is
// done by the caller. For one that has begun and then loses its processor it does wait.
//
// Counting, scanning and the first counts of `cpp_positions` have OpenMP's threads: one region with a loop in it is all they
// need, and all of its threads have the same to do until the end.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "threads.hpp"

namespace bpe_lab {

class ThreadPool {
 public:
  // `threads`: the caller is one of them. The others are started when the first job comes.
  explicit ThreadPool(int threads) : wanted_(static_cast<std::size_t>(threads) - 1) {}
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  ~ThreadPool() {
    if (forks_ != forks) {
      static_cast<void>(started_.release());
      return;
    }
    {
      const std::lock_guard<std::mutex> lock(started_->mutex);
      over_ = true;
    }
    started_->changed.notify_all();
    for (std::thread& other : started_->others) other.join();
  }

  // Calls work(part) for the parts 0 .. parts - 1: part 0 by the caller, the others by any thread. One call at
  // a time, and not from inside of `work`. All parts are called, also after one that threw; one of their
  // exceptions is thrown.
  void run(std::size_t parts, const std::function<void(std::size_t)>& work) {
    leave_to_parent();
    start_others(std::min(wanted_, parts - 1));
    std::unique_lock<std::mutex> lock(started_->mutex);
    work_ = &work;
    parts_ = parts;
    taken_ = 0;
    started_->changed.notify_all();
    take_parts(lock);
    started_->changed.wait(lock, [this] { return busy_ == 0; });
    work_ = nullptr;
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  struct Started {
    std::vector<std::thread> others;
    std::mutex mutex;
    std::condition_variable changed;
  };

  // In a forked child there are none of them, and what they wait for can be neither used nor destroyed.
  void leave_to_parent() {
    if (forks_ == forks) return;
    auto own = std::make_unique<Started>();
    static_cast<void>(started_.release());
    started_ = std::move(own);
    forks_ = forks;
  }

  void start_others(std::size_t needed) {
    std::vector<std::thread>& others = started_->others;
    if (others.size() >= needed) return;
    const WithoutSignals without(static_cast<int>(needed) + 1);
    try {
      while (others.size() < needed) others.emplace_back([this] { work_on(); });
    } catch (const std::exception&) {  // no thread, or no memory for one: fewer do the same
      wanted_ = others.size();
    }
  }

  void work_on() {
    std::unique_lock<std::mutex> lock(started_->mutex);
    for (;;) {
      started_->changed.wait(lock, [this] { return over_ || (work_ != nullptr && taken_ < parts_); });
      if (over_) return;
      take_parts(lock);
    }
  }

  void take_parts(std::unique_lock<std::mutex>& lock) {
    while (taken_ < parts_) {
      const std::size_t part = taken_++;
      const std::function<void(std::size_t)>& work = *work_;
      ++busy_;
      lock.unlock();
      std::exception_ptr failure;
      try {
        work(part);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure) failure_ = failure;
      if (--busy_ == 0) started_->changed.notify_all();
    }
  }

  std::size_t wanted_;
  unsigned forks_ = forks;
  std::unique_ptr<Started> started_ = std::make_unique<Started>();
  // All of these under the mutex.
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t parts_ = 0, taken_ = 0, busy_ = 0;
  std::exception_ptr failure_;
  bool over_ = false;
};

}  // namespace bpe_lab
