// The relation of the alleles of two markers at one position, and the names of sites in messages.
#pragma once

#include <cstdint>
#include <string>

#include "haplospin/marker.h"

namespace haplospin {

// Ordered from the best match to none. "Flipped" means read from the other strand; it is used only if the alleles do
// not match without it, because A/T and C/G are the same on both strands.
enum class AlleleRelation : uint8_t { kSame, kSwapped, kFlipped, kFlippedAndSwapped, kOther };

// Upper and lower case are the same.
AlleleRelation RelateAlleles(const Marker& study, const Marker& panel);

// Relates a study marker without ALT ("."), all of whose alleles are REF: kSame where that is the panel's REF, kSwapped
// where it is the panel's ALT, as PLINK writes a site with one allele. A single base says nothing about an indel.
AlleleRelation RelateMonomorphic(const Marker& study, const Marker& panel);

// The complement on the other strand, in upper case; "" if the allele is not a sequence of bases.
std::string ReverseComplement(const std::string& allele);

// A single base exchanged for another.
bool IsSnv(const Marker& marker);

// A/T or C/G: the other strand has the same two alleles.
bool IsStrandAmbiguous(const Marker& marker);

// "20:100 A>C".
std::string SiteName(const std::string& contig, const Marker& marker);

// "20:100 A>C, panel has C>A".
std::string SiteNameWithPanel(const std::string& contig, const Marker& study, const Marker& panel);

}  // namespace haplospin
