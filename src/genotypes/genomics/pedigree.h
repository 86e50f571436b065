// Who the parents of samples are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace haplospin {

// A child with one or both of its parents; indices of samples.
struct Trio {
  size_t child;
  std::optional<size_t> father;
  std::optional<size_t> mother;
};

struct Pedigree {
  std::vector<Trio> trios;          // trios and duos, in the order of the file
  std::vector<Trio> selfed;         // children whose two parents are one person
  std::vector<std::string> absent;  // people of the file that are not among the samples, nor among the others

  // Parents whose sex in the file is not that of their role.
  std::vector<std::string> female_fathers, male_mothers;
  // The person and the parents of the first line where they are in no other one, as the words of a header are that this
  // program does not know; else empty.
  std::vector<std::string> perhaps_header;

  // All people who have a parent in the file. Those who are not among the samples have the numbers from that of the
  // samples to num_people.
  std::vector<Trio> descent;
  size_t num_people = 0;
  std::vector<std::string> names_of_others = {};  // those who are not among the samples, as FAMILY_NAME if need be

  // Those who are also, or only, among others, as those of a panel.
  struct Other {
    size_t person;
    size_t sample;  // of the others
  };
  std::vector<Other> others;

  std::vector<size_t> lines = {};  // [lines of the file] the person that each is of

  // People without genotypes who are to be found, in the order of the output (models/pedigree/absent_animals.h).
  std::vector<size_t> animals = {};
};

}  // namespace haplospin
