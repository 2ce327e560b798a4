// A text that lies in memory, for what is measured without its file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "blocks.hpp"

namespace bpe_lab {

class BytesInMemory final : public Source {
 public:
  BytesInMemory(const std::uint8_t* bytes, std::size_t size) : at_(bytes), left_(size) {}
  std::size_t read(std::uint8_t* into, std::size_t size) override {
    const std::size_t got = std::min(size, left_);
    if (got != 0) std::memcpy(into, at_, got);
    at_ += got;
    left_ -= got;
    return got;
  }

 private:
  const std::uint8_t* at_;
  std::size_t left_;
};

}  // namespace bpe_lab
