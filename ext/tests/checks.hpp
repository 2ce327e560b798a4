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
#include "word_table.hpp"

namespace bpe_lab {

using Random = std::mt19937_64;
using Counts = std::map<std::string, std::uint64_t>;

// Ends the program when it does not hold; says of which text or name.
void check(bool holds, const char* what, const std::string& of);

void check_scanners(Random& random, std::size_t rounds);
void check_special_tokens(Random& random, std::size_t rounds);
void check_tables(Random& random);
void check_counting(Random& random, std::size_t rounds);
void check_encoding(Random& random, std::size_t rounds);
void check_stages(Random& random, std::size_t rounds);
void check_larger(Random& random);
void check_failing_memory();

inline std::size_t below(Random& random, std::size_t bound) { return random() % bound; }

template <class T>
const T& one_of(Random& random, const std::vector<T>& choices) {
  return choices[below(random, choices.size())];
}

class MemorySource final : public Source {
 public:
  MemorySource(std::string bytes, std::size_t most) : bytes_(std::move(bytes)), most_(most) {}
  std::size_t read(std::uint8_t* into, std::size_t size) override {
    const std::size_t got = std::min({size, most_, bytes_.size() - at_});
    std::memcpy(into, bytes_.data() + at_, got);
    at_ += got;
    return got;
  }

 private:
  const std::string bytes_;
  const std::size_t most_;
  std::size_t at_ = 0;
};

inline Counts as_map(const WordTable& table) {
  Counts counts;
  for (std::size_t i = 0; i < table.capacity(); ++i) {
    const WordSlot& slot = table.slot(i);
    if (slot.length == 0) continue;
    counts[std::string(reinterpret_cast<const char*>(word_bytes(slot)), slot.length)] += slot.count;
  }
  return counts;
}

inline void add_word(WordTable& table, const std::string& word, std::uint64_t count) {
  table.add_word(reinterpret_cast<const std::uint8_t*>(word.data()), word.size(), count);
}

}  // namespace bpe_lab
