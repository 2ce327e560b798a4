// The counter once more, under another name, with a hash of which few bits are left: words collide in their slots and
// in their parts, in small tables and large ones. See portable_scanner.cpp for the name.
#include <cstdint>

#define BPE_LAB_HASH_BITS std::uint64_t{0x900003FF}
#define bpe_lab bpe_lab_bad_hash
#include "counter.hpp"
#undef bpe_lab

#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "bad_hash.hpp"

using namespace bpe_lab_bad_hash;

namespace {

// Words of 1 to 22 bytes, those with small numbers more often, in blocks of 64 KB. Long runs of them are new.
void count_some(std::size_t words, unsigned seed, BlockCounter& counter,
                std::unordered_map<std::string, std::uint64_t>& expected) {
  std::mt19937_64 random(seed);
  Block block;
  while (words > 0) {
    block.text.size = 0;
    while (words > 0 && block.text.size < 1 << 16) {
      const std::size_t number = random() % (1 + random() % 20000);
      std::string word = " ";
      for (std::size_t left = number + 1; left > 0; left /= 26) word += static_cast<char>('a' + left % 26);
      if (number % 8 == 0) word += std::string(number / 8 % 18, 'x');
      if (number % 8 == 1) word += "\xc3\xbf";
      block.text.append(reinterpret_cast<const std::uint8_t*>(word.data()), word.size());
      ++expected[word];
      --words;
    }
    block.text.pad();
    counter.add(block);
  }
  counter.finish();
}

}  // namespace

bool counts_with_bad_hash(std::size_t words) {
  constexpr std::size_t kThreads = 3;
  const SpecialTokens specials({});
  WordCounts counts;
  counts.make_parts();
  std::unordered_map<std::string, std::uint64_t> expected[kThreads];
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      BlockCounter counter(counts, specials);
      count_some(words / kThreads, static_cast<unsigned>(i), counter, expected[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 1; i < kThreads; ++i) {
    for (const auto& [word, count] : expected[i]) expected[0][word] += count;
  }
  std::size_t found = 0;
  for (const WordSlot* slot = counts.next(nullptr); slot != nullptr; slot = counts.next(slot)) {
    const std::string word(reinterpret_cast<const char*>(word_bytes(*slot)), slot->length);
    const auto same = expected[0].find(word);
    if (same == expected[0].end() || same->second != slot->count) return false;
    if (counts.count_of(reinterpret_cast<const std::uint8_t*>(word.data()), word.size()) != slot->count) return false;
    ++found;
  }
  return found == expected[0].size() && found == counts.size();
}
