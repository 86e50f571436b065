"""Compares the table of a program with what was meant: each column that the program can tell.

A number may differ by the tolerance: by the rounding of a float, and in BGEN by a step of its bits.
The alleles of an unphased call have no order.
A program may be known to change some alleles: of calls that are half-missing, or have any missing allele.
usage: compare.py MEANT TABLE TOLERANCE [half-missing|missing|unphased]
"""
import sys

from table import COLUMNS

KEY = 5  # contig, position, REF, ALT, sample


def load(path):
    """The rows; some programs also write messages to standard output."""
    lines = (line.rstrip("\n").split("\t") for line in open(path))
    return [line for line in lines if len(line) == len(COLUMNS)]


def equal(meant, seen, tolerance):
    if meant == seen:
        return True
    meant, seen = meant.split(","), seen.split(",")
    try:
        return len(meant) == len(seen) and all(
            m == s or abs(float(m) - float(s)) <= tolerance for m, s in zip(meant, seen))
    except ValueError:
        return False


def in_order(alleles, phase):
    return ",".join(sorted(alleles.split(","))) if phase == "/" else alleles


def is_left_out(alleles, phase, kind):
    missing = "." in alleles.split(",")
    return {"": False, "missing": missing, "half-missing": missing and "," in alleles and alleles != ".,.",
            "unphased": phase == "/"}[kind]


meant, seen, tolerance = load(sys.argv[1]), load(sys.argv[2]), float(sys.argv[3])
known = sys.argv[4] if len(sys.argv) > 4 else ""
wrong = []
if [row[:KEY] for row in meant] != [row[:KEY] for row in seen]:
    different = next((pair for pair in zip(meant, seen) if pair[0][:KEY] != pair[1][:KEY]), None)
    wrong.append(f"records or samples differ: {len(meant)} rows meant, {len(seen)} seen; first: {different}")
told = set()
for m, s in zip(meant, seen):
    m[5], s[5] = in_order(m[5], m[6]), in_order(s[5], m[6])
    for k in range(KEY, len(COLUMNS)):
        if "?" in (m[k], s[k]) or (COLUMNS[k] in ("alleles", "phase") and is_left_out(m[5], m[6], known)):
            continue
        told.add(COLUMNS[k])
        # The alleles themselves are no numbers.
        if not equal(m[k], s[k], tolerance if COLUMNS[k] not in ("alleles", "phase") else 0):
            wrong.append(f"{' '.join(m[:KEY])}: {COLUMNS[k]} {m[k]} was meant, {s[k]} arrived")
print("same:" if not wrong else f"{len(wrong)} DIFFER:", ", ".join(name for name in COLUMNS if name in told))
for line in wrong[:5]:
    print("    " + line)
sys.exit(bool(wrong))
