// What happens when memory is out.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "experiments/ablations.hpp"
#include "failing_memory.hpp"
#include "stage.hpp"
#include "slow_counting.hpp"
#include "thread_pool.hpp"
#include "threads.hpp"

namespace bpe_lab {

namespace {

// Calls work(round) again and again; each time another of its allocations fails, until none does.
template <class Work>
void with_failing_memory(Work&& work) {
  for (long round = 0;; ++round) {
    work(round);
    if (allocations_left.exchange(-1) >= 0) return;
  }
}

}  // namespace

// Lack of memory is an exception, and nothing else: no end of the process, no half of a result.
void check_failing_memory() {
  WordCounts table;
  Counts expected;
  std::size_t failures = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const std::string word = std::string(i % 3 == 0 ? 100000 : 3, 'w') + std::to_string(i);
    // First the arena gets no memory, then the larger table does not.
    bool added = false;
    for (long left = 0; !added; ++left) {
      allocations_left = left;
      try {
        add_word(table, word, 1);
        added = true;
      } catch (const std::bad_alloc&) {
        ++failures;
      }
      allocations_left = -1;
      if (!added) check(as_map(table) == expected && table.size() == expected.size(), "half a word was added", word);
    }
    expected[word] = 1;
    check(as_map(table) == expected && table.size() == expected.size(), "a word was not added", word);
  }
  check(failures > 10, "memory failed too rarely", std::to_string(failures));

  with_failing_memory([](long round) {
    allocations_left = round;
    try {
      require_threads(4);
    } catch (const std::exception&) {
    }
  });

  with_failing_memory([](long round) {
    std::atomic<int> done{0};
    const std::function<void(std::size_t)> work = [&done](std::size_t) { ++done; };
    ThreadPool pool(4);
    allocations_left = round;
    pool.run(100, work);
    check(done == 100, "parts were not done", std::to_string(done));
  });

  std::string text;
  for (int i = 0; i < 3000; ++i) text += " a long word with number" + std::to_string(i % 700) + (i % 40 == 0 ? "<|x|>" : "");
  const Counts counts = count_slowly(text, {"<|x|>"});
  for (const int threads : {1, 3}) {
    with_failing_memory([&](long round) {
      MemoryText read{text, 4096};
      const ProgressCallback report{[](void*) { return true; }, nullptr};
      allocations_left = round;
      try {
        const Counted counted =
            count_files({{MemoryText::read, &read}}, {"<|x|>"}, threads, 4096, false, report);
        const long left = allocations_left.exchange(-1);
        check(as_map(counted.words) == counts, "lack of memory changed the counts", "");
        allocations_left = left;
      } catch (const std::exception&) {
      }
    });
  }

  WordCounts words;
  for (const char* const word : {"banana", "ananas", "bandana", "abababab", "aaaaaaaaaaaa"}) {
    add_word(words, word, 1);
  }
  std::vector<NamedStage> stages(std::begin(kStages), std::end(kStages));
  stages.push_back({"core_parts", make_core_parts});
  for (const auto& [name, make] : stages) {
    std::size_t n_merges = 0;
    {
      const std::unique_ptr<Stage> stage = make_stage(make, words, {256, 0, 3, {}});
      stage->count_pairs();
      n_merges = run_merges(*stage, 256, 1000, 1e9).lefts.size();
    }
    with_failing_memory([&, name = name, make = make](long round) {
      allocations_left = round;
      try {
        const std::unique_ptr<Stage> stage = make_stage(make, words, {256, 0, 3, {}});
        stage->count_pairs();
        check(run_merges(*stage, 256, 1000, 1e9).lefts.size() == n_merges, "lack of memory changed the merges", name);
      } catch (const std::exception&) {
      }
    });
  }
}

}  // namespace bpe_lab
