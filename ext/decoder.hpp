// Ids -> the bytes of their tokens, one behind the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "maps.hpp"

namespace bpe_lab {

// Integers of one type, as a buffer holds them.
struct IdArray {
  const void* data;
  std::size_t count;
  int width;  // bytes of each; negative: they are signed
};

class Decoder {
 public:
  // Each id once, and its token.
  Decoder(const std::vector<std::uint32_t>& ids, const std::vector<std::string>& tokens) {
    // Ids that are far apart would make the array far longer than the vocabulary.
    for (const std::uint32_t id : ids) {
      if (id < 4 * ids.size() && id >= near_.size()) near_.resize(id + std::size_t{1});
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Token& token = ids[i] < near_.size() ? near_[ids[i]] : far_[ids[i]];
      token.begin = bytes_.size();
      token.length = tokens[i].size();
      bytes_ += tokens[i];
    }
    bytes_.append(kShort, '\0');  // is copied with the last token
  }

  // Adds up how many bytes the ids have, and returns how many they are up to the first that is in no vocabulary.
  std::size_t measure(const IdArray& ids, std::size_t& bytes) const {
    bytes = 0;
    return each(ids, [&](const Token& token) {
      bytes += token.length;
      return true;
    });
  }

  // Writes the bytes of the ids, which are `size` as `measure` says.
  void write(const IdArray& ids, char* out, std::size_t size) const {
    const char* const end = out + size;
    const std::size_t done = each(ids, [&](const Token& token) {
      const auto room = static_cast<std::size_t>(end - out);
      if (token.length > room) return false;
      const char* const from = bytes_.data() + token.begin;
      if (token.length <= kShort && kShort <= room) {
        std::memcpy(out, from, kShort);  // of a constant size: no call
      } else {
        std::memcpy(out, from, token.length);
      }
      out += token.length;
      return true;
    });
    if (done < ids.count || out != end) throw std::runtime_error("the ids changed while they were decoded");
  }

 private:
  static constexpr std::size_t kShort = 16, kNone = ~std::size_t{0};
  struct Token {
    std::size_t begin = 0, length = kNone;
  };

  const Token* find(std::uint64_t id) const {
    if (id < near_.size()) return &near_[id];
    return id <= UINT32_MAX ? far_.find(id) : nullptr;
  }

  // Calls visit(token) for all ids, as long as it returns true and they are in the vocabulary; returns for how many.
  template <class Visit>
  std::size_t each(const IdArray& ids, Visit&& visit) const {
    const auto each_of = [&](auto id) {
      const char* at = static_cast<const char*>(ids.data);
      for (std::size_t i = 0; i < ids.count; ++i, at += sizeof(id)) {
        std::memcpy(&id, at, sizeof(id));  // it may lie anywhere
        const Token* const token = find(static_cast<std::uint64_t>(id));  // a negative one is above all ids then
        if (token == nullptr || token->length == kNone || !visit(*token)) return i;
      }
      return ids.count;
    };
    switch (ids.width) {
      case 1: return each_of(std::uint8_t{});
      case 2: return each_of(std::uint16_t{});
      case 4: return each_of(std::uint32_t{});
      case 8: return each_of(std::uint64_t{});
      case -1: return each_of(std::int8_t{});
      case -2: return each_of(std::int16_t{});
      case -4: return each_of(std::int32_t{});
      case -8: return each_of(std::int64_t{});
      default: throw std::invalid_argument("no integers of this width");
    }
  }

  std::string bytes_;
  std::vector<Token> near_;
  FlatMap<Token> far_;
};

}  // namespace bpe_lab
