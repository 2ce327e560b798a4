// Files -> word table, by any number of threads.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "blocks.hpp"
#include "threads.hpp"
#include "word_queue.hpp"
#include "word_table.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace bpe_lab {

// The first bytes that are not UTF-8.
struct InvalidText {
  bool found = false;
  std::size_t file = 0;
  std::uint64_t offset = 0;
  std::uint8_t byte = 0;
};

struct Counted {
  WordTable words;
  InvalidText invalid;
  bool interrupted = false;
  double merge_seconds = 0;  // of the threads' tables
};

inline constexpr std::chrono::milliseconds kReportEvery{100};

// Pushes the words of a block. Returns where it stopped: the end, or an invalid byte.
template <class Pattern = Gpt2, bool kByMasks = kHasMasks, class Words>
const std::uint8_t* push_words(const Block& block, const SpecialTokens& specials, Words& words) {
  const std::uint8_t* p = block.text.begin();
  const std::uint8_t* const end = block.text.end();
  const auto add = words.adder();
  while (p < end) {
    std::size_t length = 0;
    const std::uint8_t* const special = specials.find(p, end, length);
    const std::uint8_t* const stop = scan_words<Pattern, kByMasks>(p, special, add);
    if (stop != special) return stop;
    p = special + length;
  }
  return end;
}

// What one thread has for adding the words of its blocks to its table.
class BlockCounter {
 public:
  BlockCounter(WordTable& table, const SpecialTokens& specials, PatternId pattern = PatternId::kGpt2)
      : specials_(specials), pattern_(pattern), queue_(table), recent_(queue_) {}

  // Returns where it stopped: the end, or an invalid byte.
  const std::uint8_t* add(const Block& block) {
    return with_pattern(pattern_, [&](auto pattern) { return add_by<decltype(pattern)>(block); });
  }

  // All words are in the table after this.
  void finish() {
    recent_.flush();
    queue_.drain();
  }

 private:
  template <class Pattern>
  const std::uint8_t* add_by(const Block& block) {
    const std::uint8_t* stop;
    if (without_recent_ > 0) {
      --without_recent_;
      stop = push_words<Pattern>(block, specials_, queue_);
    } else {
      const std::uint64_t before = recent_.pushed_out();
      stop = push_words<Pattern>(block, specials_, recent_);
      if ((recent_.pushed_out() - before) * kBytesPerPushedOut > block.text.size) without_recent_ = kBlocksWithout;
    }
    queue_.drain();
    return stop;
  }

  // English pushes a word out every 75 bytes or more, and gains; a text of many languages every 24, and loses.
  static constexpr std::uint64_t kBytesPerPushedOut = 60;
  static constexpr int kBlocksWithout = 15;  // before the next one tells whether the text has changed
  const SpecialTokens& specials_;
  const PatternId pattern_;
  WordQueue queue_;
  RecentWords recent_;
  int without_recent_ = 0;
};

// Called from the calling thread, a few times a second; counting stops when it returns false.
struct Report {
  bool (*call)(void* context);
  void* context;
  std::chrono::milliseconds every = kReportEvery;
};

// One thread reads at a time. Nobody waits for long: where reading takes longer than counting, other threads
// may always be faster, and the one that waits may be the one that reports.
class ReadingTurn {
 public:
  struct Holder {
    explicit Holder(ReadingTurn& held) : turn(held) {}
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    ~Holder() {
      {
        const std::lock_guard<std::mutex> lock(turn.mutex_);
        turn.taken_ = false;
      }
      turn.free_.notify_one();
    }
    ReadingTurn& turn;
  };

  // False when it did not become free in that time; a Holder gives it back.
  bool take(std::chrono::milliseconds patience) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!free_.wait_for(lock, patience, [this] { return !taken_; })) return false;
    taken_ = true;
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  bool taken_ = false;
};

inline Counted count_files(std::vector<std::unique_ptr<Source>> sources,
                           const std::vector<std::string>& special_tokens, int threads,
                           std::size_t block_bytes, bool replace,
                           const Report& report, PatternId pattern = PatternId::kGpt2) {
  const SpecialTokens specials(special_tokens);
  BlockReader reader(std::move(sources), specials, block_bytes, replace, pattern);
  Counted result;
  require_threads(threads);
  std::vector<WordTable> tables(static_cast<std::size_t>(threads));
  ReadingTurn reading;
  std::mutex failing;
  std::exception_ptr failure;
  std::atomic<bool> stop{false};

#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
#endif
  {
#ifdef _OPENMP
    const int thread = omp_get_thread_num();
#else
    const int thread = 0;
#endif
    try {
      BlockCounter counter(tables[static_cast<std::size_t>(thread)], specials, pattern);
      Block block;
      auto reported = std::chrono::steady_clock::now();
      while (!stop) {
        block.text.size = 0;
        if (reading.take(kReportEvery)) {
          const ReadingTurn::Holder holder(reading);
          if (stop || !reader.next(block)) break;
        }
        const std::uint8_t* const at = counter.add(block);
        if (at != block.text.end()) {
          stop = true;
          const std::uint64_t offset =
              block.offset + static_cast<std::uint64_t>(at - block.text.begin());
          const std::lock_guard<std::mutex> lock(failing);
          // Blocks are handed out in order, so those before the first bad one are all in work.
          InvalidText& first = result.invalid;
          if (!first.found || block.file < first.file ||
              (block.file == first.file && offset < first.offset)) {
            first = {true, block.file, offset, *at};
          }
        }
        if (thread == 0) {
          const auto now = std::chrono::steady_clock::now();
          if (now - reported >= report.every) {
            reported = now;
            if (!report.call(report.context)) {
              result.interrupted = true;
              stop = true;
            }
          }
        }
      }
      counter.finish();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(failing);
      if (!failure) failure = std::current_exception();
      stop = true;
    }
  }
  if (failure) std::rethrow_exception(failure);
  const auto begin = std::chrono::steady_clock::now();
  result.words = std::move(tables[0]);
  for (std::size_t i = 1; i < tables.size() && !result.interrupted; ++i) {
    result.words.take(std::move(tables[i]));
    result.interrupted = !report.call(report.context);
  }
  result.merge_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace bpe_lab
