// What the scanner makes of many small texts in one call, for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "patterns.hpp"
#include "scanner.hpp"

namespace bpe_lab {

inline constexpr char kEndOfText = '\0', kEndOfWord = '\1';

// `texts`, each with kEndOfText behind it, with kEndOfWord behind each word.
template <class Pattern, bool kByMasks>
std::string marked_words_by(const std::string& texts) {
  std::string marked;
  std::vector<std::uint8_t> text;
  for (std::size_t at = 0; at < texts.size();) {
    const std::size_t size = std::min(texts.find(kEndOfText, at), texts.size()) - at;
    text.assign(size + kPadding, 'e');  // a letter: what reads on would take it
    if (size != 0) std::memcpy(text.data(), texts.data() + at, size);
    const std::uint8_t* const end = text.data() + size;
    const std::uint8_t* const stop =
        scan_words<Pattern, kByMasks>(text.data(), end, [&](const std::uint8_t* begin, const std::uint8_t* behind) {
          marked.append(begin, behind);
          marked.push_back(kEndOfWord);
        });
    if (stop != end) throw std::invalid_argument("a text is not UTF-8: mend it");
    marked.push_back(kEndOfText);
    at += size + 1;
  }
  return marked;
}

inline std::string marked_words(const std::string& texts, PatternId id, bool by_masks) {
  return with_pattern(id, [&](auto pattern) {
    using Pattern = decltype(pattern);
    return by_masks ? marked_words_by<Pattern, kHasMasks>(texts) : marked_words_by<Pattern, false>(texts);
  });
}

// Where a text may be cut, by the rule of the blocks.
inline std::vector<std::size_t> cuts_of(const std::string& text, PatternId id) {
  std::vector<std::size_t> cuts;
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(text.data());
  const std::uint8_t* const end = begin + text.size();
  for (const std::uint8_t* p = begin; p < end; ++p) {
    const bool may = with_pattern(id, [&](auto pattern) { return may_cut<decltype(pattern)>(begin, p, end); });
    if (may) cuts.push_back(static_cast<std::size_t>(p - begin));
  }
  return cuts;
}

}  // namespace bpe_lab
