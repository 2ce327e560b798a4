// See portable_scanner.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Where the words of a named pattern end, and where the scanner stopped; kPadding bytes behind `end` must be readable.
std::vector<std::size_t> portable_word_ends(const std::uint8_t* begin, const std::uint8_t* end,
                                            std::size_t& stopped,
                                            const std::string& pattern = "gpt2");
unsigned portable_ascii_letters(const std::uint8_t* p);
