#include "slow_counting.hpp"

#include <algorithm>

#include "characters.hpp"

namespace bpe_lab {

std::vector<Point> points_of(const std::string& text, std::size_t& valid) {
  std::vector<Point> points;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint32_t lead = byte(at);
    const std::size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (length == 0 || at + length > text.size()) break;
    std::uint32_t code = length == 1 ? lead : lead & (0x7Fu >> length);
    bool good = true;
    for (std::size_t i = 1; i < length; ++i) {
      good = good && (byte(at + i) & 0xC0) == 0x80;
      code = code << 6 | (byte(at + i) & 0x3Fu);
    }
    static const std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!good || code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) break;
    points.push_back({at, at + length, kind_of<false>(code)});
    at += length;
  }
  valid = at;
  return points;
}

std::vector<std::size_t> word_ends(const std::string& text, const std::vector<Point>& points) {
  std::vector<std::size_t> ends;
  const std::size_t n = points.size();
  const auto letter_at = [&](std::size_t i) { return i < n ? text[points[i].begin] : '\0'; };
  const auto run = [&](std::size_t i, unsigned kind) {
    while (i < n && points[i].kind == kind) ++i;
    return i;
  };
  for (std::size_t i = 0; i < n;) {
    std::size_t end = i;
    if (letter_at(i) == '\'') {
      const char a = letter_at(i + 1), b = letter_at(i + 2);
      if (i + 1 < n && (a == 's' || a == 'd' || a == 'm' || a == 't')) {
        end = i + 2;
      } else if (i + 2 < n && ((a == 'l' && b == 'l') || ((a == 'v' || a == 'r') && b == 'e'))) {
        end = i + 3;
      }
    }
    const std::size_t first = letter_at(i) == ' ' ? i + 1 : i;
    for (const unsigned kind : {kLetter, kNumber, kOther}) {
      if (end == i && run(first, kind) > first) end = run(first, kind);
    }
    if (end == i) {
      end = run(i, kSpace);
      if (end < n && end > i + 1) --end;
    }
    ends.push_back(points[end - 1].end);
    i = end;
  }
  return ends;
}

static void count_piece(const std::string& piece, Counts& counts) {
  std::size_t valid = 0, begin = 0;
  const std::vector<Point> points = points_of(piece, valid);
  for (const std::size_t end : word_ends(piece, points)) {
    ++counts[piece.substr(begin, end - begin)];
    begin = end;
  }
}

std::size_t match_slowly(const std::string& text, std::size_t at, const std::vector<std::string>& specials) {
  std::size_t longest = 0;
  for (const std::string& token : specials) {
    if (text.compare(at, token.size(), token) == 0) longest = std::max(longest, token.size());
  }
  return longest;
}

Counts count_slowly(const std::string& text, const std::vector<std::string>& specials) {
  Counts counts;
  std::size_t begin = 0, at = 0;
  while (at < text.size()) {
    const std::size_t length = match_slowly(text, at, specials);
    if (length != 0) {
      count_piece(text.substr(begin, at - begin), counts);
      begin = at + length;
    }
    at += length != 0 ? length : 1;
  }
  count_piece(text.substr(begin), counts);
  return counts;
}

static const std::vector<std::string> kPieces = {
    "a", "b", "z", "A", "Z", "0", "9", "!", "?", "'", "\"", "@", "[", "`", "{", "/", ":", "-",
    "'s", "'d", "'m", "'t", "'ll", "'ve", "'re", "'l", "'v", "''s", "'s's", " ", "  ", "   ", "\n",
    "\r\n", "\t", "\x0b", "\x0c", " '", " 's", "the", " the", "wordwordwordwordx", std::string(1, '\0'),
    "\x1c", "\x7f", "<|endoftext|>", "<|"};
static const std::vector<std::string> kLong = {"é", "字", "🙂", "\u00a0", "\u3000", "\u0085",
                                        "\u2028", "\u0301", "²", "Ⅷ", "\ufeff", "\u07ff", "\uffff"};
static const std::vector<std::string> kBad = {"\xff", "\x80", "\xc3", "\xe5\xad", "\xf0\x9f\x99", "\xed\xa0\x80",
                                       "\xc0\xaf", "\xe0\x80\x80", "\xf4\x90\x80\x80", "\xf0\x8f\xbf\xbf"};

std::string random_text(Random& random, std::size_t size, bool wide, bool bad) {
  std::vector<std::string> pieces;
  for (std::size_t i = 1 + below(random, 9); i > 0; --i) pieces.push_back(one_of(random, kPieces));
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t dice = below(random, 16);
    text += wide && dice < 2 ? one_of(random, kLong)
            : bad && dice == 2 && below(random, 6) == 0 ? one_of(random, kBad)
                                                         : one_of(random, pieces);
  }
  return text;
}

}  // namespace bpe_lab
