// The scanner once more, as machines without SSE2 and NEON compile it, under another name: two versions
// of one inline function in one program would be one, whichever the linker takes.
#define BPE_LAB_PORTABLE
#define bpe_lab bpe_lab_portable
#include "scanner.hpp"
#undef bpe_lab

static_assert(!bpe_lab_portable::kHasMasks, "this is not the portable scanner");

#include "portable_scanner.hpp"

std::vector<std::size_t> portable_word_ends(const std::uint8_t* begin, const std::uint8_t* end,
                                            std::size_t& stopped, const std::string& pattern) {
  std::vector<std::size_t> ends;
  bpe_lab_portable::with_pattern(bpe_lab_portable::pattern_of(pattern), [&](auto traits) {
    const std::uint8_t* const stop = bpe_lab_portable::scan_words<decltype(traits)>(
        begin, end, [&](const std::uint8_t*, const std::uint8_t* after) {
          ends.push_back(static_cast<std::size_t>(after - begin));
        });
    stopped = static_cast<std::size_t>(stop - begin);
  });
  return ends;
}

unsigned portable_ascii_letters(const std::uint8_t* p) {
  return bpe_lab_portable::ascii_letters(p);
}
