// Texts -> ids, piece by piece: what is read so far is encoded up to the last place that no word and no special
// token reaches over, and the rest waits for what follows. So memory does not grow with the text, unless
// a word does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "blocks.hpp"
#include "patterns.hpp"
#include "special_tokens.hpp"
#include "word_encoder.hpp"

namespace bpe_lab {

// Special tokens with their ids, and those that no text may have.
class SpecialIds {
 public:
  SpecialIds(const std::vector<std::string>& tokens, const std::vector<std::uint32_t>& ids,
             const std::vector<std::string>& refused)
      : tokens_(tokens), refused_(refused) {
    for (std::size_t i = 0; i < tokens.size(); ++i) ids_[tokens[i]] = ids[i];
  }

  const SpecialTokens& tokens() const { return tokens_; }
  const SpecialTokens& refused() const { return refused_; }

  std::uint32_t id(const std::uint8_t* token, std::size_t length) const {
    return ids_.find(std::string_view(reinterpret_cast<const char*>(token), length))->second;
  }

  // As for `last_cut`: a text is cut neither in those that are found nor in those that are refused.
  std::size_t longest() const { return std::max(tokens_.longest(), refused_.longest()); }

  bool span(const std::uint8_t* begin, const std::uint8_t* cut, const std::uint8_t* end) const {
    return tokens_.span(begin, cut, end) || refused_.span(begin, cut, end);
  }

 private:
  SpecialTokens tokens_, refused_;
  std::map<std::string, std::uint32_t, std::less<>> ids_;
};

// A special token that was refused.
struct Refused {
  std::string token;         // empty: there is none
  std::uint64_t offset = 0;  // of its first byte in the text
};

struct Document {
  const std::uint8_t* bytes;
  std::size_t size;
};

// What one thread needs to encode texts, one after the other.
class TextEncoder {
 public:
  // How much of a long text is best taken at once: its ids are still in the cache when they are copied.
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 18;

  TextEncoder(std::shared_ptr<const Vocabulary> vocabulary, PatternId pattern)
      : vocabulary_(std::move(vocabulary)), pattern_(pattern), words_(*vocabulary_) {}

  // Takes the next bytes of a text, with `last` all that are left; `ids` are then those of what could be encoded.
  // Returns false when a special token is `refused()`, or what it was given is not UTF-8.
  bool feed(const std::uint8_t* bytes, std::size_t size, bool last, const SpecialIds& specials);

  // Feeds the next block of a text, or with `last` false of its next part: from `at` on, which moves behind the block.
  bool feed_block(const Document& text, std::size_t& at, bool last, const SpecialIds& specials) {
    const std::uint8_t* const block = text.bytes + at;
    const std::size_t size = std::min(text.size - at, kBlockBytes);
    at += size;
    return feed(block, size, last && at == text.size, specials);
  }

  // Takes words that somebody else has found, one behind the other.
  void feed_words(const std::uint8_t* bytes, const std::vector<std::size_t>& lengths);

  const std::uint32_t* ids() const { return ids_.data(); }
  std::size_t count() const { return count_; }
  const Refused& refused() const { return refused_; }
  WordEncoder& words() { return words_; }

  // What waits is forgotten, and so is the memory that one long word has asked for.
  void reset() {
    words_.forget_waiting();
    text_.size = 0;
    begun_ = looked_at_ = 0;
    refused_ = {};
    if (room_ <= 4 * kBlockBytes) return;
    text_ = Text();
    ids_ = Array<std::uint32_t>();
    room_ = 0;
  }

 private:
  std::uint32_t* room_for(std::size_t bytes) {
    if (room_ < bytes + WordEncoder::kInlineIds) {
      room_ = 2 * bytes + WordEncoder::kInlineIds;
      ids_ = Array<std::uint32_t>(room_);
    }
    return ids_.data();
  }

  template <class Pattern>
  bool encode_text(bool last, const SpecialIds& specials);
  template <class Find>
  bool encode_words(std::size_t size, Find&& find);

  const std::shared_ptr<const Vocabulary> vocabulary_;
  const PatternId pattern_;
  WordEncoder words_;
  Text text_;  // what is not encoded yet
  std::size_t looked_at_ = 0;  // no cut up to there
  std::uint64_t begun_ = 0;    // where text_ begins in the text
  Refused refused_;
  Array<std::uint32_t> ids_;
  std::size_t room_ = 0, count_ = 0;
};

// Encodes whole texts, by as many threads as there are encoders. The first text that cannot be encoded, or their number.
std::size_t encode_documents(const std::vector<TextEncoder*>& encoders, const std::vector<Document>& documents,
                             const SpecialIds& specials, std::vector<std::vector<std::uint32_t>>& ids);

}  // namespace bpe_lab
