// Where words begin in 64 bytes, contractions aside, by the patterns that llama3 began: as in scanner.hpp, no branch
// for a word.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block_classes.hpp"
#include "patterns.hpp"

namespace bpe_lab {

// patterns.hpp says what words are. Keeps what the next 64 bytes must know of these.
template <class Pattern>
class WordStarts {
 public:
  using Bits = ClassesOf<Pattern>;

  // Words begin at `starts`. False: more bytes than the next 64 decide that; `left` are there in all.
  bool operator()(const Bits& before, const Bits& here, const Bits& next, std::ptrdiff_t left,
                  std::uint64_t& starts) {
    // Line ends behind others, and slashes among them. A sum carries a bit through the run that it is added to.
    std::uint64_t tail = here.line_end;
    if constexpr (Pattern::kCases) tail |= here.slash;
    const std::uint64_t first_taken = (here.line_end & after(here.other(), other_)) | (tail & taken_ >> 63);
    const std::uint64_t taken = (tail & ~(tail + first_taken)) | first_taken;
    const std::uint64_t other = here.other() & ~taken;

    // Others begin with their blank, if there is one. If not, the first may stand before letters.
    const std::uint64_t first_other = begins(other, other_) & ~after(here.blank, before.blank);
    const std::uint64_t behind_lead = first_other << 1 | prefix_;
    const std::uint64_t behind_prefix = (behind_lead + here.following) & ~here.following;

    // White space that is no line end: what stands before letters, or apart from the white space before it.
    const std::uint64_t gap = here.space & ~here.line_end, gap_before = before.space & ~before.line_end;
    const std::uint64_t last_gap = gap & ~(here.space >> 1 | next.space << 63);
    std::uint64_t gap_behind_line_end = gap & after(here.line_end, before.line_end);
    // But not before another line end, unless it is the first that is not taken.
    const std::uint64_t doubtful = gap_behind_line_end & ~after(taken, taken_);
    const std::uint64_t gap_ends = doubtful + gap;
    std::uint64_t line_end_behind_gap = gap_ends & here.line_end;
    if (gap_ends < doubtful) {  // the last one goes on in the next 64 bytes
      const std::uint64_t next_gap = next.space & ~next.line_end;
      if (~next_gap == 0 && left > 128) return false;
      if (((next_gap + 1) & next.line_end) != 0) gap_behind_line_end &= ~last_begin(gap, 64);
    }
    for (; line_end_behind_gap != 0; line_end_behind_gap &= line_end_behind_gap - 1) {
      gap_behind_line_end &= ~last_begin(gap, static_cast<unsigned>(__builtin_ctzll(line_end_behind_gap)));
    }

    starts = (begins(here.letter, before.letter) & ~after(gap, gap_before) & ~behind_prefix) | first_other |
             (begins(here.space, before.space) & ~taken) | gap_behind_line_end | last_gap |
             numbers(before, here);
    if constexpr (Pattern::kCases) starts |= here.upper & after(here.lower, before.lower);
    prefix_ = first_other >> 63 | (behind_lead + here.following < behind_lead);
    other_ = other;
    taken_ = taken;
    return true;
  }

 private:
  // Where the run that ends before a bit begins.
  static std::uint64_t last_begin(std::uint64_t runs, unsigned end) {
    const std::uint64_t below = ~runs & (end < 64 ? (std::uint64_t{1} << end) - 1 : ~std::uint64_t{0});
    return below == 0 ? 1 : std::uint64_t{2} << (63 - __builtin_clzll(below));
  }

  std::uint64_t numbers(const Bits& before, const Bits& here) {
    if (Pattern::kDigits == 1) return here.number & ~here.following;
    const std::uint64_t first = begins(here.number, before.number);
    std::uint64_t long_run = here.number;  // of more bytes than a group has digits
    for (unsigned i = 1; i <= Pattern::kDigits; ++i) long_run &= here.number << i;
    if ((long_run | here.number >> 63 | (here.number & before.number >> 63)) == 0) return first;
    std::uint64_t starts = first;
    for (std::uint64_t left = here.number & ~here.following; left != 0; left &= left - 1) {
      const std::uint64_t digit = left & -left;
      if ((digit & first) != 0 || digits_ == Pattern::kDigits) {
        starts |= digit;
        digits_ = 0;
      }
      ++digits_;
    }
    return starts;
  }

  std::uint64_t other_ = 0, taken_ = 0;  // of the 64 bytes before
  std::uint64_t prefix_ = 0;             // a bit if the first letter, or what follows its first byte, has one before it
  unsigned digits_ = 0;                  // of the last group of numbers
};

}  // namespace bpe_lab
