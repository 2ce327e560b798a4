// Where special tokens stand in a text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "maps.hpp"
#include "pair.hpp"

namespace bpe_lab {

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

}  // namespace bpe_lab
