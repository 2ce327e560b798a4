// What the checks of the C++ share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "blocks.hpp"
#include "counter.hpp"
#include "word_counts.hpp"

namespace bpe_lab {

// Draws from a seed, or first from the bytes that a fuzzer has chosen.
class Random {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}
  Random(const std::uint8_t* bytes, std::size_t size) : generator_(2024), at_(bytes), end_(bytes + size) {}

  std::uint64_t operator()() { return at_ == end_ ? generator_() : *at_++; }

  std::size_t below(std::size_t bound) {
    std::uint64_t drawn = (*this)();
    for (std::size_t most = bound >> 8; most > 0 && at_ != end_; most >>= 8) drawn = drawn << 8 | (*this)();
    return drawn % bound;
  }

 private:
  std::mt19937_64 generator_;
  const std::uint8_t *at_ = nullptr, *end_ = nullptr;
};

using Counts = std::map<std::string, std::uint64_t>;

// Ends the program when it does not hold; says of which text or name.
void check(bool holds, const char* what, const std::string& of);

// What was computed, into the digest that the program prints: every build and processor has the same.
void add_to_digest(std::uint64_t value);

template <class Values>
void add_all_to_digest(const Values& values) {
  for (const auto value : values) add_to_digest(static_cast<std::uint64_t>(value));
}

void check_scanners(Random& random, std::size_t rounds);
void check_special_tokens(Random& random, std::size_t rounds);
void check_tables(Random& random);
void check_counting(Random& random, std::size_t rounds);
void check_encoding(Random& random, std::size_t rounds);
void check_stages(Random& random, std::size_t rounds);
void check_larger(Random& random);
void check_failing_memory();

// One short case each, for a fuzzer.
void fuzz_counting(Random& random);
void fuzz_stages(Random& random);
void fuzz_encoding(Random& random);

// Never in two operands of one expression: compilers take these in either order, and the digests would differ.
inline std::size_t below(Random& random, std::size_t bound) { return random.below(bound); }

template <class T>
const T& one_of(Random& random, const std::vector<T>& choices) {
  return choices[below(random, choices.size())];
}

inline const std::uint8_t* bytes_of(const std::string& text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

// Is read in pieces of `most` bytes.
struct MemoryText {
  const std::string& bytes;
  std::size_t most, at = 0;

  static std::ptrdiff_t read(void* context, std::uint8_t* into, std::size_t size) {
    MemoryText& text = *static_cast<MemoryText*>(context);
    const std::size_t got = std::min({size, text.most, text.bytes.size() - text.at});
    std::memcpy(into, text.bytes.data() + text.at, got);
    text.at += got;
    return static_cast<std::ptrdiff_t>(got);
  }
};

// `Words`: a WordTable or WordCounts.
template <class Words>
Counts as_map(const Words& words) {
  Counts counts;
  for (const WordSlot* slot = words.next(nullptr); slot != nullptr; slot = words.next(slot)) {
    counts[std::string(reinterpret_cast<const char*>(word_bytes(*slot)), slot->length)] += slot->count;
  }
  for (const auto& [word, count] : counts) {
    for (const char c : word) add_to_digest(static_cast<unsigned char>(c));
    add_to_digest(count);
  }
  return counts;
}

inline void add_word(WordCounts& counts, const std::string& word, std::uint64_t count) {
  counts.add_word(bytes_of(word), word.size(), count);
}

// The texts are read in pieces of any size.
inline Counted count_texts(Random& random, const std::vector<std::string>& texts,
                           const std::vector<std::string>& specials, int threads, std::size_t block_bytes,
                           bool replace = false, PatternId pattern = PatternId::kGpt2) {
  std::vector<MemoryText> in_memory;
  for (const std::string& text : texts) in_memory.push_back({text, 1 + below(random, 5000)});
  std::vector<Source> sources;
  for (MemoryText& text : in_memory) sources.push_back({MemoryText::read, &text});
  const ProgressCallback report{[](void*) { return true; }, nullptr};
  return count_files(std::move(sources), specials, threads, block_bytes, replace, report, pattern);
}

}  // namespace bpe_lab
