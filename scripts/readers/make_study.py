"""Makes a small study and its panel on both sides of the end of PAR1 of chrX: panel.vcf and study.vcf in a folder.

Men have two alleles within the region and one behind it. Some sites have two ALT alleles; the study has missing and
half-missing calls, unphased heterozygotes, and sites that the panel lacks, whose calls the output copies as they are.
usage: make_study.py FOLDER
"""
import random
import sys

from table import PAR_END

LENGTH = 156_040_895
PANEL_PEOPLE, PEOPLE, SITES = 40, 8, 160
FOUNDERS = 6

folder = sys.argv[1]
draw = random.Random(5)


def is_man(person):
    return person % 2 == 0


def mosaic(founders):
    """A haplotype that changes its founder now and then."""
    founder, alleles = draw.randrange(FOUNDERS), []
    for site in founders:
        if draw.random() < 0.03:
            founder = draw.randrange(FOUNDERS)
        alleles.append(site[founder])
    return alleles


def make_sites():
    """A list of (position, REF, ALT alleles, whether the panel has it)."""
    sites, position = [], PAR_END - 80_000
    for i in range(SITES):
        position += draw.randrange(500, 1500)
        ref = draw.choice("ACGT")
        others = [base for base in "ACGT" if base != ref]
        if i % 11 == 5:
            alts = others[:2]
        elif i % 13 == 6:
            alts = [ref + "CA"]
        elif i % 17 == 3:
            ref, alts = ref + "TT", [ref]
        else:
            alts = [draw.choice(others)]
        sites.append((position, ref, alts, i % 8 != 7))
    return sites


def genotype(haplotypes, site, man, behind, separator="|"):
    alleles = [str(h[site]) for h in haplotypes]
    return alleles[0] if man and behind else separator.join(alleles)


def with_gaps(call, count, unphased):
    """A call of the study: one in twelve is missing, one in twelve half-missing; the chip has not the panel's phase."""
    alleles = call.split("|")
    if count % 12 == 1:
        alleles = ["."] * len(alleles)
    elif count % 12 == 5 and len(alleles) == 2:
        alleles[count % 2] = "."
    return ("/" if unphased else "|").join(alleles)


def write(name, people, sites, calls):
    with open(f"{folder}/{name}.vcf", "w") as out:
        print("##fileformat=VCFv4.2", f"##contig=<ID=chrX,length={LENGTH}>",
              '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
              "\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() + people), sep="\n", file=out)
        for (position, ref, alts, _), row in zip(sites, calls):
            print("chrX", position, f"x{position}", ref, ",".join(alts), ".", "PASS", ".", "GT", *row,
                  sep="\t", file=out)


sites = make_sites()
founders = [[draw.choice([0] * 3 + list(range(1, len(alts) + 1)) * 2) for _ in range(FOUNDERS)]
            for _, _, alts, _ in sites]
panel = [[mosaic(founders), mosaic(founders)] for _ in range(PANEL_PEOPLE)]
study = [[mosaic(founders), mosaic(founders)] for _ in range(PEOPLE)]

in_panel = [i for i, site in enumerate(sites) if site[3]]
write("panel", [f"panel{i}" for i in range(PANEL_PEOPLE)], [sites[i] for i in in_panel],
      [[genotype(h, i, is_man(p), sites[i][0] > PAR_END) for p, h in enumerate(panel)] for i in in_panel])

typed = [i for i in range(SITES) if i % 2 == 1]
names = [("man" if is_man(p) else "woman") + str(p) for p in range(PEOPLE)]
write("study", names, [sites[i] for i in typed],
      [[with_gaps(genotype(h, i, is_man(p), sites[i][0] > PAR_END), i * 7 + p * 5, unphased=(i + p) % 3 == 0)
        for p, h in enumerate(study)] for i in typed])
write("truth", names, sites,
      [[genotype(h, i, is_man(p), sites[i][0] > PAR_END) for p, h in enumerate(study)] for i in range(SITES)])
with open(f"{folder}/study.sex", "w") as out:
    for p, name in enumerate(names):
        print(0, name, 0, 0, 1 if is_man(p) else 2, -9, file=out)
