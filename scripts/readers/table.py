"""The table that every reader prints: a line for each record and sample, tab-separated.

Columns: contig, position (from 1), REF, ALT (separated by commas), sample, alleles, phase, DS, GP, HDS, LDS, DR2.
Values are separated by commas; a missing value is '.', and '?' is a column that the program cannot tell. Alleles are
in their order in the record, phase is '|' or '/', and '?' for one allele.
"""
import math

PAR_END = 2_781_479  # The last position of PAR1 of chrX in GRCh38.
COLUMNS = "contig position ref alt sample alleles phase DS GP HDS LDS DR2".split()


def number(value):
    return "." if value is None or math.isnan(value) else f"{float(value):.6g}"


def numbers(values):
    """Values of a field, without the missing ones at the end, by which programs fill a row up to the longest one."""
    if values is None:
        return "."
    try:
        texts = [number(value) for value in values]
    except TypeError:
        texts = [number(values)]
    while texts and texts[-1] == ".":
        texts.pop()
    return ",".join(texts) or "."


def allele_list(alleles):
    """Alleles, of which None and negative numbers are missing."""
    return ",".join("." if allele is None or allele < 0 else str(allele) for allele in alleles)


def row(contig, position, ref, alt, sample, alleles="?", phase="?", DS="?", GP="?", HDS="?", LDS="?", DR2="?"):
    if "," not in alleles:
        phase = "?"
    print(contig, position, ref, alt, sample, alleles, phase, DS, GP, HDS, LDS, DR2, sep="\t")


def bgen_row(contig, position, alleles, sample, probabilities, phased):
    """A row of BGEN, whose probabilities are those of the alleles of each haplotype, or of the genotypes."""
    ref, *alts = alleles.split(",")
    values = [float(value) for value in probabilities if not math.isnan(value)]
    if phased and values:
        values = values[1::2]
    row(contig, position, ref, ",".join(alts), sample, **{"HDS" if phased else "GP": numbers(values) if values else "."})


def split_call(gt):
    """The columns `alleles` and `phase` of a genotype as it is written in VCF."""
    gt = gt or "."
    return gt.replace("|", ",").replace("/", ","), "/" if "/" in gt else "|"
