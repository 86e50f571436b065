"""The table of a VCF of this program, read as the specification says, by splitting its lines.

With --certain, a called genotype without GP and HDS has them, 0 and 1, as BGEN has them.
usage: meant.py FILE.vcf [--certain]
"""
import sys

from table import numbers, row, split_call


def values(fields, name):
    """The values of a FORMAT field of a sample; '.' where it is missing or left out at the end."""
    return numbers(None if value == "." else float(value) for value in fields.get(name, ".").split(","))


def certain(alleles, name):
    """GP or HDS of a called genotype of a site with one ALT allele."""
    if name == "HDS":
        return alleles
    genotypes = ["0", "1"] if "," not in alleles else [0, 1, 2]
    called = alleles if "," not in alleles else alleles.count("1")
    return ",".join("1" if genotype == called else "0" for genotype in genotypes)


for line in open(sys.argv[1]):
    if line.startswith("#"):
        samples = line.split()[9:]
        continue
    contig, position, _, ref, alt, _, _, info, format_, *calls = line.rstrip("\n").split("\t")
    info = dict(item.split("=") for item in info.split(";") if "=" in item)
    for sample, call in zip(samples, calls):
        fields = dict(zip(format_.split(":"), call.split(":")))
        alleles, phase = split_call(fields["GT"])
        table = {name: values(fields, name) for name in ("DS", "GP", "HDS", "LDS")}
        if "--certain" in sys.argv:
            table |= {name: certain(alleles, name) for name in ("GP", "HDS")
                      if table[name] == "." and "." not in alleles}
        row(contig, position, ref, alt, sample, alleles, phase, **table, DR2=info.get("DR2", "."))
