// Ways to count the words of a text that lies in memory, by one thread: each has one idea more than the one
// before it, from what anybody would write in C++ to the counter of counter.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "blocks.hpp"
#include "counter.hpp"
#include "experiments/bytes_in_memory.hpp"
#include "scanner.hpp"
#include "special_tokens.hpp"
#include "word_queue.hpp"
#include "word_table.hpp"

namespace bpe_lab {

enum class CountingWay {
  kPlain,   // run by run, into the map of the standard library
  kTable,   // into the table of word_table.hpp
  kMasks,   // the runs of 64 bytes at once
  kQueue,   // words wait until their slots have come
  kRecent,  // the most frequent words in a small table before that: the counter
};

struct CountedBy {
  std::uint64_t words = 0, distinct_words = 0;
  std::uint64_t fingerprint = 0;  // of all words and their counts, in any order
};

// A word goes into the map of the standard library.
class MapOfWords {
 public:
  auto adder() {
    return [this](const std::uint8_t* begin, const std::uint8_t* end) {
      ++counts_[std::string(reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin))];
    };
  }
  WordTable table() const {
    WordTable made;
    for (const auto& [word, count] : counts_) {
      made.add_word(reinterpret_cast<const std::uint8_t*>(word.data()), word.size(), count);
    }
    return made;
  }

 private:
  std::unordered_map<std::string, std::uint64_t> counts_;
};

// A word goes into the table when it is found.
class NoQueue {
 public:
  explicit NoQueue(WordTable& table) : table_(table) {}
  auto adder() {
    return [this](const std::uint8_t* begin, const std::uint8_t* end) {
      table_.add(word_key(begin, static_cast<std::size_t>(end - begin)), 1);
    };
  }

 private:
  WordTable& table_;
};

// Calls visit(block) for all blocks of a text, cut as files are.
template <class Visit>
void each_block(const std::uint8_t* text, std::size_t size, const SpecialTokens& specials, Visit&& visit) {
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(std::make_unique<BytesInMemory>(text, size));
  BlockReader reader(std::move(sources), specials, std::size_t{1} << 20, false);
  Block block;
  while (reader.next(block)) {
    if (visit(block) != block.text.end()) throw std::invalid_argument("the text is not UTF-8: mend it");
  }
}

inline CountedBy fingerprint_of(const WordTable& table) {
  CountedBy made;
  made.distinct_words = table.size();
  for (std::size_t i = 0; i < table.capacity(); ++i) {
    const WordSlot& slot = table.slot(i);
    if (slot.length == 0) continue;
    made.words += slot.count;
    made.fingerprint += mix(slot.low * (slot.length <= kInlineBytes) ^ slot.hash * kSeed1 ^ slot.length,
                            slot.high ^ slot.count * kSeed2);
  }
  return made;
}

inline CountedBy count_by(CountingWay way, const std::uint8_t* text, std::size_t size) {
  const SpecialTokens specials({"<|endoftext|>"});
  WordTable table;
  if (way == CountingWay::kPlain) {
    MapOfWords words;
    each_block(text, size, specials,
               [&](const Block& block) { return push_words<Gpt2, false>(block, specials, words); });
    table = words.table();
  } else if (way == CountingWay::kTable) {
    NoQueue words(table);
    each_block(text, size, specials,
               [&](const Block& block) { return push_words<Gpt2, false>(block, specials, words); });
  } else if (way == CountingWay::kMasks) {
    NoQueue words(table);
    each_block(text, size, specials, [&](const Block& block) { return push_words(block, specials, words); });
  } else if (way == CountingWay::kQueue) {
    WordQueue words(table);
    each_block(text, size, specials, [&](const Block& block) {
      const std::uint8_t* const stop = push_words(block, specials, words);
      words.drain();
      return stop;
    });
  } else {
    BlockCounter words(table, specials);
    each_block(text, size, specials, [&](const Block& block) { return words.add(block); });
    words.finish();
  }
  return fingerprint_of(table);
}

}  // namespace bpe_lab
