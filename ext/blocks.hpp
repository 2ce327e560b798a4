// Files -> blocks of text that can be counted on their own, in any order, by any thread.
//
// A block may end where no special token spans the cut and no word can reach over it: after a letter
// before anything but a letter, after a number before anything but a number, or after a non-space before
// white space. (`bpe_lab/counting/byte_ranges.py` has the same rule and its reasons.) What follows the
// last such place of a block is carried into the next one.
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "maps.hpp"
#include "scanner.hpp"

namespace bpe_lab {

// Where the bytes of a file come from.
class Source {
 public:
  virtual ~Source() = default;
  // Up to `size` bytes; 0 only at the end.
  virtual std::size_t read(std::uint8_t* into, std::size_t size) = 0;
};

// Bytes from a function: Python opens and unpacks files, and sees when they change.
class CallbackSource final : public Source {
 public:
  // Returns the number of bytes, -1 when it failed.
  using Read = std::ptrdiff_t (*)(void* context, std::uint8_t* into, std::size_t size);

  CallbackSource(Read read, void* context) : read_(read), context_(context) {}

  std::size_t read(std::uint8_t* into, std::size_t size) override {
    std::size_t got = 0;
    while (got < size) {
      const std::ptrdiff_t more = read_(context_, into + got, size - got);
      if (more < 0) throw std::runtime_error("a source failed");
      if (more == 0) break;
      got += static_cast<std::size_t>(more);
    }
    return got;
  }

 private:
  const Read read_;
  void* const context_;
};

// The special tokens, as a tree of their first bytes. A branch ends where one token is left: so what a
// place costs does not grow with the number of tokens, nor the tree with their length.
class SpecialTokens {
 public:
  explicit SpecialTokens(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {
    std::sort(tokens_.begin(), tokens_.end());
    std::size_t shared = 0;  // bytes that a token has in common with the one before it
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string& token = tokens_[i];
      const std::size_t next = i + 1 < tokens_.size() ? common(token, tokens_[i + 1]) : 0;
      const std::size_t depth = std::min(token.size(), std::max(shared, next) + 1);
      std::uint32_t node = 0;
      for (std::size_t at = 0; at < depth; ++at) node = child_or_new(node, byte_of(token[at]));
      token_of_[node] = &token;
      longest_ = std::max(longest_, token.size());
      shared = next;
    }
    for (const std::string& token : tokens_) {
      first_[byte_of(token[0])] = child(0, byte_of(token[0]));
      one_first_byte_ = one_first_byte_ && token[0] == tokens_[0][0];
    }
  }
  SpecialTokens(const SpecialTokens&) = delete;
  SpecialTokens& operator=(const SpecialTokens&) = delete;

  std::size_t longest() const { return longest_; }

  // The next one in [p, end): its first byte, and its length in `length`; `end` when there is none.
  const std::uint8_t* find(const std::uint8_t* p, const std::uint8_t* end,
                           std::size_t& length) const {
    length = 0;
    if (tokens_.empty()) return end;
    for (; p < end; ++p) {
      if (one_first_byte_) {
        p = static_cast<const std::uint8_t*>(
            std::memchr(p, tokens_[0][0], static_cast<std::size_t>(end - p)));
        if (p == nullptr) return end;
      } else if (first_[*p] == 0) {
        continue;
      }
      length = match(p, end);
      if (length != 0) return p;
    }
    return end;
  }

  // Whether one begins before `cut` and ends after it.
  bool span(const std::uint8_t* begin, const std::uint8_t* cut, const std::uint8_t* end) const {
    if (tokens_.empty()) return false;
    const std::uint8_t* p = cut - std::min(longest_ - 1, static_cast<std::size_t>(cut - begin));
    for (; p < cut; ++p) {
      if (match(p, end) > static_cast<std::size_t>(cut - p)) return true;
    }
    return false;
  }

  // Calls visit(token, known) for the tokens that the text at p may begin with, the shortest first. It
  // does begin with its first `known` bytes: with all of them, or it is the one where a branch ends.
  template <class Visit>
  void candidates(const std::uint8_t* p, const std::uint8_t* end, Visit&& visit) const {
    std::uint32_t node = first_[*p];
    for (std::size_t known = 1; node != 0; ++known) {
      if (const std::string* const token = token_of_[node]) {
        visit(*token, known);
        if (token->size() > known) return;
      }
      node = p + known < end ? child(node, p[known]) : 0;
    }
  }

 private:
  // The length of the longest one that begins at p; 0: none does.
  std::size_t match(const std::uint8_t* p, const std::uint8_t* end) const {
    std::size_t longest = 0;
    candidates(p, end, [&](const std::string& token, std::size_t known) {
      if (static_cast<std::size_t>(end - p) >= token.size() &&
          std::memcmp(p + known, token.data() + known, token.size() - known) == 0) {
        longest = token.size();
      }
    });
    return longest;
  }

  static std::uint8_t byte_of(char c) { return static_cast<std::uint8_t>(c); }

  // The bytes that both begin with.
  static std::size_t common(const std::string& a, const std::string& b) {
    const auto end = a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
    return static_cast<std::size_t>(std::mismatch(a.begin(), end, b.begin()).first - a.begin());
  }

  // A node by its parent and a byte; 0: there is none. The root is 0.
  std::uint32_t child(std::uint32_t node, std::uint8_t byte) const {
    const std::uint32_t* const found = children_.find(pair_of(node, byte));
    return found == nullptr ? 0 : *found;
  }

  std::uint32_t child_or_new(std::uint32_t node, std::uint8_t byte) {
    std::uint32_t& found = children_[pair_of(node, byte)];
    if (found == 0) {
      found = static_cast<std::uint32_t>(token_of_.size());
      token_of_.push_back(nullptr);
    }
    return found;
  }

  std::vector<std::string> tokens_;  // sorted
  FlatMap<std::uint32_t> children_;
  // By node: the token that ends there, or the only one that goes on from there.
  std::vector<const std::string*> token_of_{nullptr};
  std::uint32_t first_[256] = {};  // the children of the root
  bool one_first_byte_ = true;
  std::size_t longest_ = 0;
};

// A buffer with readable bytes behind its text.
class Text {
 public:
  std::uint8_t* data() { return bytes_.get(); }
  const std::uint8_t* begin() const { return bytes_.get(); }
  const std::uint8_t* end() const { return bytes_.get() + size; }

  void reserve(std::size_t wanted) {
    if (bytes_ != nullptr && wanted <= capacity_) return;
    const std::size_t capacity = std::max(wanted, capacity_ + capacity_ / 2);
    // Not zeroed: pages that no text reaches are never touched.
    std::unique_ptr<std::uint8_t[]> grown(new std::uint8_t[capacity + kPadding]);
    if (size != 0) std::memcpy(grown.get(), bytes_.get(), size);
    bytes_ = std::move(grown);
    capacity_ = capacity;
  }

  void append(const std::uint8_t* from, std::size_t count) {
    if (count == 0) return;  // `from` may be nothing at all
    reserve(size + count);
    std::memcpy(bytes_.get() + size, from, count);
    size += count;
  }

  void pad() {
    reserve(size);  // of an empty file nothing was read
    std::memset(bytes_.get() + size, 0, kPadding);
  }

  std::size_t size = 0;

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t capacity_ = 0;
};

struct Block {
  Text text;
  std::size_t file = 0;      // its number
  std::uint64_t offset = 0;  // of its first byte in the file (of the unpacked text)
};

// The last place in (floor, size) where a block may end; 0 when there is none.
inline std::size_t last_cut(const std::uint8_t* data, std::size_t size, std::size_t floor,
                            const SpecialTokens& specials) {
  // A cut is known by the character behind it and by all but one byte of a special token.
  const std::size_t behind = std::max<std::size_t>(4, specials.longest());
  if (size < behind) return 0;
  const std::uint8_t* const end = data + size;
  for (std::size_t cut = size - behind; cut > floor; --cut) {
    const std::uint8_t* const p = data + cut;
    if (is_continuation(*p)) continue;
    const std::uint8_t* before = p - 1;
    while (before > data && p - before < 4 && is_continuation(*before)) --before;
    const Character left = character_at(before, p);
    if (left.kind == kInvalid || before + left.length != p) continue;
    const Character right = character_at(p, end);
    if (right.kind == kInvalid) continue;
    const bool word_ends = left.kind == kLetter || left.kind == kNumber
                               ? right.kind != left.kind
                               : left.kind != kSpace && right.kind == kSpace;
    if (word_ends && !specials.span(data, p, end)) return cut;
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
  BlockReader(std::vector<std::unique_ptr<Source>> sources, const SpecialTokens& specials,
              std::size_t block_bytes, bool replace)
      : sources_(std::move(sources)),
        specials_(specials),
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
        cut = last_cut(block.text.begin(), block.text.size, searched, specials_);
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
    Source& source = *sources_[file_];
    if (!replace_) {
      text.reserve(text.size + wanted);
      const std::size_t got = source.read(text.data() + text.size, wanted);
      text.size += got;
      return got != 0;
    }
    raw_.reserve(raw_.size + wanted);
    const std::size_t got = source.read(raw_.data() + raw_.size, wanted);
    raw_.size += got;
    const std::size_t used = replace_invalid(raw_.begin(), raw_.end(), got == 0, text);
    if (used != 0) std::memmove(raw_.data(), raw_.data() + used, raw_.size - used);
    raw_.size -= used;
    return got != 0;
  }

  std::vector<std::unique_ptr<Source>> sources_;
  const SpecialTokens& specials_;
  const std::size_t block_bytes_;
  const bool replace_;
  std::size_t file_ = 0;
  std::uint64_t offset_ = 0;
  Text carry_, raw_;
};

}  // namespace bpe_lab
