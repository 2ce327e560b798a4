// Files -> word table, by any number of threads.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "blocks.hpp"
#include "word_queue.hpp"
#include "word_table.hpp"

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

Counted count_files(std::vector<Source> sources,
                    const std::vector<std::string>& special_tokens, int threads, std::size_t block_bytes, bool replace,
                    const Report& report, PatternId pattern = PatternId::kGpt2);

}  // namespace bpe_lab
