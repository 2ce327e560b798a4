// Files -> blocks of text that can be counted on their own, in any order, by any thread.
//
// A block may end where no special token spans the cut and no word of the pattern can reach over it: see may_cut in
// patterns.hpp. (`cut` in bpe_lab/words/patterns.py is the same rule as a regex.) What follows the last such place of a
// block is carried into the next one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "patterns.hpp"
#include "scanner.hpp"
#include "special_tokens.hpp"

namespace bpe_lab {

// Where the bytes of a file come from: Python opens and unpacks files, and sees when they change.
struct Source {
  // Returns how many bytes it has read: 0 only at the end, -1 when it failed.
  std::ptrdiff_t (*read)(void* context, std::uint8_t* into, std::size_t size);
  void* context;

  // Reads `size` bytes, fewer only at the end.
  std::size_t fill(std::uint8_t* into, std::size_t size) const {
    std::size_t got = 0;
    while (got < size) {
      const std::ptrdiff_t more = read(context, into + got, size - got);
      if (more < 0) throw std::runtime_error("a source failed");
      if (more == 0) break;
      got += static_cast<std::size_t>(more);
    }
    return got;
  }
};

// A buffer with readable bytes behind its text.
class Text {
 public:
  std::uint8_t* data() { return bytes_.data(); }
  const std::uint8_t* begin() const { return bytes_.data(); }
  const std::uint8_t* end() const { return bytes_.data() + size; }

  void reserve(std::size_t wanted) {
    if (begin() != nullptr && wanted <= capacity_) return;
    const std::size_t capacity = std::max(wanted, capacity_ + capacity_ / 2);
    Array<std::uint8_t> grown(capacity + kPadding);
    if (size != 0) std::memcpy(grown.data(), begin(), size);
    bytes_ = std::move(grown);
    capacity_ = capacity;
  }

  void append(const std::uint8_t* from, std::size_t count) {
    if (count == 0) return;  // `from` may be nothing at all
    reserve(size + count);
    std::memcpy(data() + size, from, count);
    size += count;
  }

  void pad() {
    reserve(size);  // of an empty file nothing was read
    std::memset(data() + size, 0, kPadding);
  }

  std::size_t size = 0;

 private:
  Array<std::uint8_t> bytes_;
  std::size_t capacity_ = 0;
};

struct Block {
  Text text;
  std::size_t file = 0;      // its number
  std::uint64_t offset = 0;  // of its first byte in the file (of the unpacked text)
};

// The last place in (floor, size) where a block may end; 0 when there is none.
template <class Pattern, class Specials>
std::size_t last_cut(const std::uint8_t* data, std::size_t size, std::size_t floor,
                     const Specials& specials) {
  // A cut is known by the character behind it and by all but one byte of a special token.
  const std::size_t behind = std::max<std::size_t>(4, specials.longest());
  if (size < behind) return 0;
  const std::uint8_t* const end = data + size;
  for (std::size_t cut = size - behind; cut > floor; --cut) {
    const std::uint8_t* const p = data + cut;
    if (may_cut<Pattern>(data, p, end) && !specials.span(data, p, end)) return cut;
  }
  return 0;
}

// Copies `from` to `into` with U+FFFD in the place of what is not UTF-8, as Python's "replace" does.
// Returns how much of `from` was used: a sequence that `end` cuts off waits, unless it is the `last`.
inline std::size_t replace_invalid(const std::uint8_t* from, const std::uint8_t* end, bool last,
                                   Text& into) {
  static constexpr std::uint8_t kReplacement[] = {0xEF, 0xBF, 0xBD};
  const std::uint8_t* const begin = from;
  const std::uint8_t* valid = from;
  while (from < end) {
    const Character at = character_at(from, end);
    if (at.kind != kInvalid) {
      from += at.length;
      continue;
    }
    if (!last && end - from < 4 && from + at.length == end) break;
    into.append(valid, static_cast<std::size_t>(from - valid));
    into.append(kReplacement, 3);
    from += at.length;
    valid = from;
  }
  into.append(valid, static_cast<std::size_t>(from - valid));
  return static_cast<std::size_t>(from - begin);
}

// Hands out the blocks of several files in order. Not for two threads at once.
class BlockReader {
 public:
  BlockReader(std::vector<Source> sources, const SpecialTokens& specials,
              std::size_t block_bytes, bool replace, PatternId pattern = PatternId::kGpt2)
      : sources_(std::move(sources)),
        specials_(specials),
        pattern_(pattern),
        block_bytes_(block_bytes),
        replace_(replace) {}

  // False at the end.
  bool next(Block& block) {
    while (file_ < sources_.size()) {
      block.text.size = 0;
      block.text.append(carry_.begin(), carry_.size);
      block.file = file_;
      block.offset = offset_;
      carry_.size = 0;
      std::size_t cut = 0, searched = 0;
      for (std::size_t wanted = block_bytes_; cut == 0; wanted = block.text.size + 1) {
        const bool more = fill(block.text, wanted);
        if (!more) {
          cut = block.text.size;
          ++file_;
          offset_ = 0;
          break;
        }
        cut = with_pattern(pattern_, [&](auto pattern) {
          return last_cut<decltype(pattern)>(block.text.begin(), block.text.size, searched, specials_);
        });
        // The bytes near the end decided nothing yet: more will follow them.
        const std::size_t undecided = std::max<std::size_t>(4, specials_.longest());
        searched = block.text.size > undecided ? block.text.size - undecided : 0;
      }
      carry_.append(block.text.begin() + cut, block.text.size - cut);
      block.text.size = cut;
      if (file_ == block.file) offset_ += cut;
      block.text.pad();
      if (cut != 0) return true;
    }
    return false;
  }

 private:
  // Reads up to `wanted` more bytes; false at the end of the file.
  bool fill(Text& text, std::size_t wanted) {
    const Source& source = sources_[file_];
    if (!replace_) {
      text.reserve(text.size + wanted);
      const std::size_t got = source.fill(text.data() + text.size, wanted);
      text.size += got;
      return got != 0;
    }
    raw_.reserve(raw_.size + wanted);
    const std::size_t got = source.fill(raw_.data() + raw_.size, wanted);
    raw_.size += got;
    const std::size_t used = replace_invalid(raw_.begin(), raw_.end(), got == 0, text);
    if (used != 0) std::memmove(raw_.data(), raw_.data() + used, raw_.size - used);
    raw_.size -= used;
    return got != 0;
  }

  std::vector<Source> sources_;
  const SpecialTokens& specials_;
  const PatternId pattern_;
  const std::size_t block_bytes_;
  const bool replace_;
  std::size_t file_ = 0;
  std::uint64_t offset_ = 0;
  Text carry_, raw_;
};

}  // namespace bpe_lab
