// For clang with the headers of LibTorch 1.13, which hold a std::vector of the type c10::IValue before it is complete.
// A constexpr member function of C++20 is compiled where it is first named, one of C++17 at the end of the source. So
// this includes <vector> of libstdc++ with the functions of C++17. cmake/Dependencies.cmake gives it to the compiler.
#pragma once

#define _Bit_iterator _ConstexprBitIterator  // <string> declares a constexpr function of an iterator of vector<bool>
#include <string>
#undef _Bit_iterator
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#include <vector>
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR constexpr
