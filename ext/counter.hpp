// Files -> word table, by any number of threads.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "blocks.hpp"
#include "word_counts.hpp"
#include "word_queue.hpp"

namespace bpe_lab {

// The first bytes that are not UTF-8.
struct InvalidText {
  bool found = false;
  std::size_t file = 0;
  std::uint64_t offset = 0;
  std::uint8_t byte = 0;
};

struct Counted {
  WordCounts words;
  InvalidText invalid;
  bool interrupted = false;
};

inline constexpr std::chrono::milliseconds kReportEvery{100};

// Calls add(begin, end) for the words of a block. Returns where it stopped: the end, or an invalid byte.
template <class Pattern = Gpt2, bool kByMasks = kHasMasks, class Add>
const std::uint8_t* push_words(const Block& block, const SpecialTokens& specials, Add add) {
  const std::uint8_t* p = block.text.begin();
  const std::uint8_t* const end = block.text.end();
  while (p < end) {
    std::size_t length = 0;
    const std::uint8_t* const special = specials.find(p, end, length);
    const std::uint8_t* const stop = scan_words<Pattern, kByMasks>(p, special, add);
    if (stop != special) return stop;
    p = special + length;
  }
  return end;
}

// What one thread has for adding the words of its blocks to the counts.
class BlockCounter {
 public:
  BlockCounter(WordCounts& counts, const SpecialTokens& specials, PatternId pattern = PatternId::kGpt2)
      : specials_(specials), pattern_(pattern), recent_(counts) {}

  // Returns where it stopped: the end, or an invalid byte.
  const std::uint8_t* add(const Block& block) {
    const std::uint64_t before = recent_.pushed_out();
    const std::uint8_t* const stop = with_pattern(pattern_, [&](auto pattern) {
      using Pattern = decltype(pattern);
      return foreseen_ ? push_words<Pattern>(block, specials_, recent_.adder<true>())
                       : push_words<Pattern>(block, specials_, recent_.adder<false>());
    });
    recent_.forget_text();
    foreseen_ = (recent_.pushed_out() - before) * kBytesPerPushedOut < block.text.size;
    return stop;
  }

  // All words are in the counts after this.
  void finish() { recent_.flush(); }

 private:
  // English pushes a word out every 75 bytes or more: nearly all words are found. A text of many languages every 24.
  static constexpr std::uint64_t kBytesPerPushedOut = 60;
  const SpecialTokens& specials_;
  const PatternId pattern_;
  RecentWords recent_;
  bool foreseen_ = true;  // that a word is found, in the next block as in the last one
};

// Called from the calling thread, a few times a second; counting stops when it returns false.
struct ProgressCallback {
  bool (*call)(void* context);
  void* context;
  std::chrono::milliseconds every = kReportEvery;
};

Counted count_files(std::vector<Source> sources,
                    const std::vector<std::string>& special_tokens, int threads, std::size_t block_bytes, bool replace,
                    const ProgressCallback& report, PatternId pattern = PatternId::kGpt2);

}  // namespace bpe_lab
