#include "text_encoder.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "scanner.hpp"
#include "thread_pool.hpp"

namespace bpe_lab {

bool TextEncoder::feed(const std::uint8_t* bytes, std::size_t size, bool last, const SpecialIds& specials) {
  text_.append(bytes, size);
  text_.pad();
  return with_pattern(pattern_, [&](auto pattern) { return encode_text<decltype(pattern)>(last, specials); });
}

void TextEncoder::feed_words(const std::uint8_t* bytes, const std::vector<std::size_t>& lengths) {
  for (const std::size_t length : lengths) text_.append(bytes + text_.size, length);
  text_.pad();
  encode_words(text_.size, [&](const auto& add) {
    const std::uint8_t* word = text_.begin();
    for (const std::size_t length : lengths) {
      add(word, word + length);
      word += length;
    }
    return true;
  });
}

// Encodes the first `size` bytes of what waits. find(add) calls add(begin, end) for each word; false: the text is not UTF-8.
template <class Find>
bool TextEncoder::encode_words(std::size_t size, Find&& find) {
  words_.write_to(room_for(size));
  if (!find(words_.adder())) return false;
  count_ = static_cast<std::size_t>(words_.drain() - ids_.data());
  std::memmove(text_.data(), text_.begin() + size, text_.size - size);
  text_.size -= size;
  begun_ += size;
  return true;
}

template <class Pattern>
bool TextEncoder::encode_text(bool last, const SpecialIds& specials) {
  const std::size_t cut =
      last ? text_.size : last_cut<Pattern>(text_.begin(), text_.size, looked_at_, specials);
  const std::uint8_t* p = text_.begin();
  const std::uint8_t* const end = p + cut;
  std::size_t length = 0;
  const std::uint8_t* const refused = specials.refused().find(p, end, length);
  if (length != 0) {
    refused_ = {std::string(refused, refused + length), begun_ + static_cast<std::size_t>(refused - p)};
    return false;
  }
  const bool valid = encode_words(cut, [&](const auto& add) {
    while (p < end) {
      const std::uint8_t* const special = specials.tokens().find(p, end, length);
      if (scan_words<Pattern>(p, special, add) != special) return false;
      if (length != 0) words_.add_id(specials.id(special, length));
      p = special + length;
    }
    return true;
  });
  // What was no cut is none later, but near the end, where not all was known.
  const std::size_t unknown = std::max<std::size_t>(4, specials.longest());
  looked_at_ = text_.size - std::min(text_.size, unknown);
  return valid;
}

std::size_t encode_documents(const std::vector<TextEncoder*>& encoders, const std::vector<Document>& documents,
                             const SpecialIds& specials, std::vector<std::vector<std::uint32_t>>& ids) {
  ids.assign(documents.size(), {});
  std::atomic<std::size_t> next{0}, bad{documents.size()};
  ThreadPool pool(static_cast<int>(encoders.size()));
  pool.run(encoders.size(), [&](std::size_t part) {
    TextEncoder& encoder = *encoders[part];
    for (std::size_t i = next++; i < documents.size(); i = next++) {
      std::size_t at = 0;
      do {
        if (!encoder.feed_block(documents[i], at, true, specials)) {
          std::size_t first = bad;
          while (i < first && !bad.compare_exchange_weak(first, i)) {}
          break;
        }
        ids[i].insert(ids[i].end(), encoder.ids(), encoder.ids() + encoder.count());
      } while (at < documents[i].size);
      encoder.reset();
    }
  });
  return bad;
}

}  // namespace bpe_lab
