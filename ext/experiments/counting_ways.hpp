// Ways to count the words of a text that lies in memory, by one thread: each has one idea more than the one
// before it, from what anybody would write in C++ to the counter of counter.hpp. Two more count nothing: they show how
// fast any counter could be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "blocks.hpp"
#include "counter.hpp"
#include "scanner.hpp"
#include "special_tokens.hpp"
#include "word_queue.hpp"
#include "word_table.hpp"

namespace bpe_lab {

enum class CountingWay {
  kPass,    // the bytes are read
  kScan,    // and the words found, by the scanner of the counter
  kPlain,   // run by run, into the map of the standard library
  kTable,   // into the table of word_table.hpp
  kMasks,   // the runs of 64 bytes at once
  kQueue,   // words wait until their slots have come
  kRecent,  // the most frequent words in a small table, the others divided by their hashes: the counter
};

struct CountedBy {
  std::uint64_t words = 0, distinct_words = 0;
  // Of all words and their counts, in any order. Of kPass: the bytes, added up as integers; of kScan: as lengths.
  std::uint64_t fingerprint = 0;
};

// Eight sums: no addition waits for the one before it, so memory is what the pass waits for. A block has zeros behind
// its end.
inline std::uint64_t sum_of(const Block& block) {
  std::uint64_t sums[8] = {};
  for (const std::uint8_t* p = block.text.begin(); p < block.text.end(); p += 64) {
    for (std::size_t i = 0; i < 8; ++i) sums[i] += load64(p + 8 * i);
  }
  return std::accumulate(sums, sums + 8, std::uint64_t{0});
}

struct BytesInMemory {
  const std::uint8_t* at;
  std::size_t left;

  static std::ptrdiff_t read(void* context, std::uint8_t* into, std::size_t size) {
    BytesInMemory& bytes = *static_cast<BytesInMemory*>(context);
    const std::size_t got = std::min(size, bytes.left);
    if (got != 0) std::memcpy(into, bytes.at, got);
    bytes.at += got;
    bytes.left -= got;
    return static_cast<std::ptrdiff_t>(got);
  }
};

// Calls visit(block) for all blocks of a text, cut as files are.
template <class Visit>
void each_block(const std::uint8_t* text, std::size_t size, const SpecialTokens& specials, Visit&& visit) {
  BytesInMemory bytes{text, size};
  BlockReader reader({{BytesInMemory::read, &bytes}}, specials, std::size_t{1} << 20, false);
  Block block;
  while (reader.next(block)) {
    if (visit(block) != block.text.end()) throw std::invalid_argument("the text is not UTF-8: mend it");
  }
}

// `Words`: a WordTable or WordCounts.
template <class Words>
CountedBy fingerprint_of(const Words& words) {
  CountedBy counted;
  counted.distinct_words = words.size();
  for (const WordSlot* slot = words.next(nullptr); slot != nullptr; slot = words.next(slot)) {
    counted.words += slot->count;
    counted.fingerprint += mix(slot->low * (slot->length <= kInlineBytes) ^ slot->hash * kSeed1 ^ slot->length,
                               slot->high ^ slot->count * kSeed2);
  }
  return counted;
}

inline CountedBy count_by(CountingWay way, const std::uint8_t* text, std::size_t size) {
  const SpecialTokens specials({"<|endoftext|>"});
  CountedBy counted;
  WordTable table;
  const auto add_to_table = [&table](const std::uint8_t* begin, const std::uint8_t* end) {
    table.add(word_key(begin, static_cast<std::size_t>(end - begin)), 1);
  };
  const auto push_blocks = [&](auto add) {
    each_block(text, size, specials, [&](const Block& block) { return push_words(block, specials, add); });
  };
  const auto push_runs = [&](auto add) {
    each_block(text, size, specials, [&](const Block& block) { return push_words<Gpt2, false>(block, specials, add); });
  };
  switch (way) {
    case CountingWay::kPass:
      each_block(text, size, specials, [&](const Block& block) {
        counted.fingerprint += sum_of(block);
        return block.text.end();
      });
      return counted;
    case CountingWay::kScan:
      push_blocks([&counted](const std::uint8_t* begin, const std::uint8_t* end) {
        ++counted.words;
        counted.fingerprint += static_cast<std::size_t>(end - begin);
      });
      return counted;
    case CountingWay::kPlain: {
      std::unordered_map<std::string, std::uint64_t> map;
      push_runs([&map](const std::uint8_t* begin, const std::uint8_t* end) {
        ++map[std::string(reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin))];
      });
      WordCounts counts;
      for (const auto& [word, count] : map) {
        counts.add_word(reinterpret_cast<const std::uint8_t*>(word.data()), word.size(), count);
      }
      return fingerprint_of(counts);
    }
    case CountingWay::kTable:
      push_runs(add_to_table);
      break;
    case CountingWay::kMasks:
      push_blocks(add_to_table);
      break;
    case CountingWay::kQueue: {
      WordQueue words(table);
      each_block(text, size, specials, [&](const Block& block) {
        const std::uint8_t* const stop = push_words(block, specials, words.adder());
        words.drain();
        return stop;
      });
      break;
    }
    case CountingWay::kRecent: {
      WordCounts counts;
      BlockCounter words(counts, specials);
      each_block(text, size, specials, [&](const Block& block) { return words.add(block); });
      words.finish();
      return fingerprint_of(counts);
    }
  }
  return fingerprint_of(table);
}

}  // namespace bpe_lab
