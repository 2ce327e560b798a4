// What `#pragma omp` in ext/ compiles to, on std::thread: for the thread sanitizer only.
//
// GCC's own OpenMP library is not built for the sanitizer, which cannot see that a region begins after
// what stands before it and ends before what stands behind it: it would report a race at every region.
// Here the threads are started and joined where the sanitizer can see it, so it needs no suppressions,
// and the bodies of the regions are the compiled bodies of the real ones. The program is compiled with
// -fopenmp and linked without it. A pragma that needs another function of the library does not link:
// add the function here.
#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Team {
  explicit Team(unsigned threads) : size(threads) {}
  const unsigned size;
  std::mutex mutex;
  std::condition_variable all_here;
  unsigned waiting = 0, round = 0;
  bool looping = false;
  unsigned long long next = 0, end = 0, chunk = 0;  // of the loop that is shared
};

thread_local Team* team = nullptr;
thread_local int number = 0;

void be_member(Team& of, unsigned as, void (*body)(void*), void* data) {
  team = &of;
  number = static_cast<int>(as);
  body(data);
  team = nullptr;
  number = 0;
}

}  // namespace

extern "C" {

int omp_get_thread_num() { return number; }
int omp_get_num_threads() { return team == nullptr ? 1 : static_cast<int>(team->size); }
int omp_in_parallel() { return team != nullptr && team->size > 1; }
int omp_get_max_threads() { return static_cast<int>(std::thread::hardware_concurrency()); }

void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned) {
  Team one(threads == 0 ? static_cast<unsigned>(omp_get_max_threads()) : threads);
  std::vector<std::thread> others;
  for (unsigned i = 1; i < one.size; ++i) {
    others.emplace_back([&one, i, body, data] { be_member(one, i, body, data); });
  }
  be_member(one, 0, body, data);
  for (std::thread& other : others) other.join();
}

void GOMP_barrier() {
  std::unique_lock<std::mutex> lock(team->mutex);
  const unsigned round = team->round;
  if (++team->waiting == team->size) {
    team->waiting = 0;
    ++team->round;
    team->all_here.notify_all();
  } else {
    team->all_here.wait(lock, [round] { return team->round != round; });
  }
}

// schedule(dynamic, chunk) of an unsigned loop that counts up by one; one such loop in a region.
bool GOMP_loop_ull_nonmonotonic_dynamic_next(unsigned long long* from, unsigned long long* to) {
  const std::lock_guard<std::mutex> lock(team->mutex);
  if (team->next >= team->end) return false;
  *from = team->next;
  *to = team->next = std::min(team->end, team->next + team->chunk);
  return true;
}

bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool, unsigned long long begin, unsigned long long end,
                                              unsigned long long, unsigned long long chunk,
                                              unsigned long long* from, unsigned long long* to) {
  {
    const std::lock_guard<std::mutex> lock(team->mutex);
    if (!team->looping) {
      team->looping = true;
      team->next = begin;
      team->end = end;
      team->chunk = chunk;
    }
  }
  return GOMP_loop_ull_nonmonotonic_dynamic_next(from, to);
}

// schedule(runtime): what was set decides how the pieces are dealt out, not what is done with them.
void omp_set_schedule(int, int) {}
int omp_pause_resource_all(int) { return 0; }  // no thread is kept

bool GOMP_loop_ull_maybe_nonmonotonic_runtime_next(unsigned long long* from, unsigned long long* to) {
  return GOMP_loop_ull_nonmonotonic_dynamic_next(from, to);
}

bool GOMP_loop_ull_maybe_nonmonotonic_runtime_start(bool up, unsigned long long begin,
                                                    unsigned long long end,
                                                    unsigned long long increment,
                                                    unsigned long long* from, unsigned long long* to) {
  return GOMP_loop_ull_nonmonotonic_dynamic_start(up, begin, end, increment, 256, from, to);
}

void GOMP_loop_end_nowait() {}

}  // extern "C"
