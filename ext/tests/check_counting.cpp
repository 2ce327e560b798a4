// The scanner, the special tokens, the word table and the counter against slow_counting.hpp.
#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "counter.hpp"
#include "portable_scanner.hpp"
#include "scanner.hpp"
#include "slow_counting.hpp"
#include "special_tokens.hpp"

namespace bpe_lab {

namespace {

// In a block of memory of its own, so that a read behind the promised padding is found.
struct Padded {
  explicit Padded(const std::string& text) : bytes(new std::uint8_t[text.size() + kPadding]), size(text.size()) {
    std::memcpy(bytes.get(), text.data(), size);
    std::memset(bytes.get() + size, 'e', kPadding);  // a letter: what reads on would take it
  }
  std::unique_ptr<std::uint8_t[]> bytes;
  std::size_t size;
};

std::ptrdiff_t read_twenty_times(void* reads, std::uint8_t* into, std::size_t size) {
  if (++*static_cast<int*>(reads) > 20) return -1;
  std::memset(into, ' ', size);
  return static_cast<std::ptrdiff_t>(size);
}

std::ptrdiff_t read_without_end(void*, std::uint8_t* into, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) into[i] = i % 7 == 0 ? ' ' : 'a';
  return static_cast<std::ptrdiff_t>(size);
}

void check_scanner(const std::string& text) {
  const Padded padded(text);
  const std::uint8_t* const begin = padded.bytes.get();
  std::vector<std::size_t> ends;
  const std::uint8_t* const stop =
      scan_words(begin, begin + padded.size, [&](const std::uint8_t*, const std::uint8_t* after) {
        ends.push_back(static_cast<std::size_t>(after - begin));
      });
  add_all_to_digest(ends);
  std::size_t portable_stop = 0;
  const auto portable_ends = portable_word_ends(begin, begin + padded.size, portable_stop);

  std::size_t valid = 0;
  const std::vector<Point> points = points_of(text, valid);
  check(static_cast<std::size_t>(stop - begin) == valid, "the scanner stopped elsewhere", text);
  check(portable_stop == valid, "the portable scanner stopped elsewhere", text);
  if (valid == text.size()) {
    const std::vector<std::size_t> expected = word_ends(text, points);
    check(ends == expected, "the scanner cut elsewhere", text);
    check(portable_ends == expected, "the portable scanner cut elsewhere", text);
  }
  // Of the other patterns the walk is tested beside `regex`, in Python.
  for (const char* const pattern : {"cl100k", "llama3", "qwen2", "nanochat", "o200k"}) {
    ends.clear();
    const std::uint8_t* const stopped = with_pattern(pattern_of(pattern), [&](auto traits) {
      const auto note = [&](const std::uint8_t*, const std::uint8_t* after) {
        ends.push_back(static_cast<std::size_t>(after - begin));
      };
      return scan_words<decltype(traits)>(begin, begin + padded.size, note);
    });
    const auto walked_ends = portable_word_ends(begin, begin + padded.size, portable_stop, pattern);
    add_all_to_digest(ends);
    check(static_cast<std::size_t>(stopped - begin) == valid, pattern, text);
    check(portable_stop == valid, pattern, text);
    check(valid < text.size() || ends == walked_ends, pattern, text);
  }
  if (text.size() >= 16) {
    check(ascii_letters(begin) == portable_ascii_letters(begin), "ascii_letters differ", text);
  }
}

}  // namespace

void check_scanners(Random& random, std::size_t rounds) {
  // The scanner takes 64 bytes at a time: all that reaches over such an edge, at every place of it.
  for (const char* const across :
       {"  x", " \n\n ", "'s", "'ll x", "'re've'd", "''s", "1 2", "  \u00a0x", " \u3000\nx", "\u00e9\u00e9 ",
        "\u5b57\u5b57", "\u0301\u0301a", "\u0661\u06612", "\U0001f600\U0001f600", "\U00020000", "\xc3",
        "\xe5\xad", "\xed\xa0\x80", "\xe0\x80\x80", "\xf0\x9f\x98", "\n \n x", ".\n/\n \na", "12345678",
        "'\u017fa", "\u00e9\u0301", "\u5b57A", "aB"}) {
    for (const std::size_t before : {std::size_t{56}, std::size_t{120}}) {
      for (std::size_t more = 0; more < 16; ++more) {
        for (const char* behind : {"", "a", " b", "\u00a0", "\x80"}) {
          check_scanner(std::string(before + more, 'a') + across + behind);
          check_scanner(std::string(before + more, ' ') + across + behind + std::string(70, 'c'));
        }
      }
    }
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::size_t flavour = below(random, 4);
    std::string text = random_text(random, 1 + below(random, 120), flavour > 0, flavour == 3);
    if (below(random, 3) == 0) text.resize(std::min<std::size_t>(text.size(), 60 + below(random, 10)));
    if (round % 16 == 0) {
      for (char& c : text) c = static_cast<char>(random());
    }
    check_scanner(text);
  }
}

void check_special_tokens(Random& random, std::size_t rounds) {
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto word = [&](std::size_t longest) {
      std::string made(1 + below(random, longest), '<');
      for (char& c : made) c = "<<a\xff"[below(random, round % 2 == 0 ? 3 : 4)];
      return made;
    };
    std::vector<std::string> specials;
    for (std::size_t i = below(random, 30); i > 0; --i) specials.push_back(word(1 + below(random, 12)));
    std::string text;
    for (std::size_t i = below(random, 30); i > 0; --i) {
      text += specials.empty() || below(random, 2) == 0 ? word(4) : one_of(random, specials);
    }
    const SpecialTokens tokens(specials);
    const std::uint8_t* const begin = bytes_of(text);
    const std::uint8_t* const end = begin + text.size();
    for (std::size_t at = 0; at < text.size(); ++at) {
      std::size_t first = at, length = 0, found = 0;
      while (first < text.size() && (length = match_slowly(text, first, specials)) == 0) ++first;
      check(tokens.find(begin + at, end, found) == begin + first && found == length,
            "another special token was found", text.substr(at));
      bool spans = false;
      for (std::size_t before = 0; before < at; ++before) {
        spans = spans || before + match_slowly(text, before, specials) > at;
      }
      check(tokens.span(begin, begin + at, end) == spans, "a special token spans a cut, or none does", text);
    }
  }
}

// Any bytes, with any counts, as Python adds them.
void check_tables(Random& random) {
  Counts expected;
  WordCounts counts;
  for (std::size_t i = 0; i < 60000; ++i) {
    std::string word(1 + below(random, below(random, 10) == 0 ? 40 : 5), 'a');
    for (char& c : word) c = static_cast<char>(below(random, 3) - 1);
    const std::uint64_t count = 1 + below(random, 1u << 31);
    expected[word] += count;
    add_word(counts, word, count);
  }
  check(as_map(counts) == expected && counts.size() == expected.size(), "the counts differ", "");
  for (const auto& [word, count] : expected) {
    check(counts.count_of(bytes_of(word), word.size()) == count, "a word has another count", word);
  }
}

void check_counting(Random& random, std::size_t rounds) {
  const std::vector<std::vector<std::string>> special_sets = {
      {}, {"<|endoftext|>"}, {"<|", "<|endoftext|>"}, {" ", "a", "ab", "'s"}, {"字", "\n"}};
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::vector<std::string>& specials = one_of(random, special_sets);
    const bool bad = round % 4 == 3;
    std::vector<std::string> texts;
    for (std::size_t i = 1 + below(random, 3); i > 0; --i) {
      texts.push_back(random_text(random, below(random, round % 8 == 0 ? 4000 : 300), true, bad));
    }
    Counts expected;
    std::size_t bad_file = texts.size(), bad_offset = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::size_t valid = 0;
      points_of(texts[i], valid);
      if (valid < texts[i].size()) {
        bad_file = i;
        bad_offset = valid;
        break;
      }
      for (const auto& [word, count] : count_slowly(texts[i], specials)) expected[word] += count;
    }
    Counts replaced;  // by the first setting; the others must give the same
    for (const int threads : {1, 2, 3, 8}) {
      for (const std::size_t block_bytes : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
        for (const bool replace : {false, true}) {
          const Counted counted = count_texts(random, texts, specials, threads, block_bytes, replace);
          if (bad_file == texts.size()) {
            check(!counted.invalid.found, "good text was called bad", texts[0]);
            check(as_map(counted.words) == expected, "the counts differ", texts[0]);
          } else if (replace) {
            const Counts counts = as_map(counted.words);
            check(!counted.invalid.found, "replaced text was called bad", texts[0]);
            if (replaced.empty()) replaced = counts;
            check(counts == replaced, "the counts of replaced text differ", texts[0]);
          } else {
            check(counted.invalid.found && counted.invalid.file == bad_file &&
                      counted.invalid.offset == bad_offset,
                  "another error was found", texts[bad_file]);
          }
        }
      }
    }
  }
  for (const char* const pattern : {"cl100k", "llama3", "qwen2", "nanochat", "o200k"}) {
    for (std::size_t round = 0; round < rounds; ++round) {
      const std::string text = random_text(random, 1 + below(random, 300), true, false);
      const std::vector<std::string>& specials = one_of(random, special_sets);
      Counts whole;  // of one block
      for (const std::size_t block_bytes : {std::size_t{1} << 20, std::size_t{1}, std::size_t{7}, std::size_t{100}}) {
        const int threads = block_bytes == 7 ? 3 : 1;
        const Counted counted =
            count_texts(random, {text}, specials, threads, block_bytes, false, pattern_of(pattern));
        if (whole.empty()) whole = as_map(counted.words);
        check(!counted.invalid.found && as_map(counted.words) == whole, "a cut changes counts", text);
      }
    }
  }
  // Many words of about the same frequency, then few: with the small table before the large one, and without.
  std::string many;
  for (std::size_t i = 0; i < 60000; ++i) {
    many += std::to_string(below(random, i < 40000 ? 20000 : 20));
    many += below(random, 9) == 0 ? "\n" : " ";
    if (i % 40 == 0) many += std::string(1 + below(random, 18), '\0') + "a";  // NULs are one word
    if (i % 50 == 0) many += std::string(15 + below(random, 4), 'w') + "x ";
  }
  const Counted counted_many = count_texts(random, {many}, {}, 1, 4096);
  check(as_map(counted_many.words) == count_slowly(many, {}), "the counts of many words differ", "");

  for (const int threads : {1, 2, 8}) {
    const ProgressCallback checkpoint{[](void*) { return true; }, nullptr}, stop_now{[](void*) { return false; }, nullptr};
    const Counted counted = count_files({{read_without_end, nullptr}}, {}, threads, 4096, false, stop_now);
    check(counted.interrupted, "nobody stopped it", "");
    int reads = 0;
    bool failed = false;
    try {
      count_files({{read_twenty_times, &reads}}, {}, threads, 64, false, checkpoint);
    } catch (const std::runtime_error&) {
      failed = true;
    }
    check(failed, "a failure was lost", "");
  }
}

// Any bytes, or pieces of words; then by one setting of the counter.
void fuzz_counting(Random& random) {
  const bool any = below(random, 2) == 0;
  std::string text = any ? std::string(below(random, 200), ' ') : random_text(random, below(random, 60), true, true);
  for (char& c : text) c = any ? static_cast<char>(random()) : c;
  check_scanner(text);
  std::vector<std::string> specials;
  std::size_t valid = 0;
  for (std::size_t i = below(random, 4); i > 0; --i) {
    const std::size_t from = below(random, text.size() + 1);
    const std::string token = text.substr(from, 1 + below(random, 5));
    points_of(token, valid);
    if (valid > 0 && valid == token.size()) specials.push_back(token);
  }
  points_of(text, valid);
  const Counted counted = count_texts(random, {text}, specials, 1, 1 + below(random, 100), false);
  check(counted.invalid.found == (valid < text.size()), "another error was found", text);
  if (counted.invalid.found) {
    check(counted.invalid.offset == valid, "another byte was called bad", text);
  } else {
    check(as_map(counted.words) == count_slowly(text, specials), "the counts differ", text);
  }
}

}  // namespace bpe_lab
