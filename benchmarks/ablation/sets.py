"""One small set of each kind of study: how it is made, what imputes it, and its error.

A set is a folder with study, truth and, if there is one, panel. The error of a set is the mean squared error of DS over
the genotypes of the truth that the study lacks (all, if it has likelihoods or reads), or the share of switch errors of a
phased one. Needs bcftools, and samtools for reads; HAPLOSPIN_DATA is the folder of the data.
"""
import gzip
import hashlib
import os
import pathlib
import random
import resource
import shlex
import subprocess

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
DATA = pathlib.Path(os.environ.get("HAPLOSPIN_DATA", "")) / "genotypes"
BREEDS = DATA / "breeds"
CHR20 = DATA / "chr20_1kg"
CHR20_MAP = CHR20 / "chr20.b37.plink.map"
READ_LENGTH, READ_ERROR = 2000, 0.01


class Failed(Exception):
    """A command failed."""


def run(*words, stdin=None):
    """Runs a command, and returns its output and CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run([str(word) for word in words], input=stdin, capture_output=True, text=True)
    if result.returncode != 0:
        raise Failed(f"{shlex.join(map(str, words))} failed: {result.stderr.strip()[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def samples_of(path):
    return run("bcftools", "query", "-l", path)[0].split()


def change_genotypes(source, target, change):
    """Writes a copy of a VCF file with genotypes alone, each change(genotype, marker, sample)."""
    lines = run("bcftools", "view", source)[0].splitlines()
    out, marker = [], 0
    for line in lines:
        if not line.startswith("#"):
            fields = line.split("\t")
            fields[7:9] = [".", "GT"]
            fields[9:] = [change(call[:3], marker, s) for s, call in enumerate(fields[9:])]
            line = "\t".join(fields)
            marker += 1
        out.append(line)
    run("bcftools", "view", "-Oz", "-o", target, stdin="\n".join(out) + "\n")
    run("bcftools", "index", "-f", target)


def unphased(call):
    return "/".join(sorted((call[0], call[2])))


# ---- Makers. Each writes to a folder, with the program as it is. ----

def mask(folder, program, array="omniexpress", people=100):
    targets = (CHR20 / "target_samples.txt").read_text().split()
    (folder / "people.txt").write_text("\n".join(targets[:people]) + "\n")
    run(program, "mask", "--panel", CHR20 / "1kgP3_chr20.mac5.bcf", "--samples", folder / "people.txt", "--sites",
        CHR20 / f"{array}.sites.tsv", "--out", folder / "set")
    run(program, "panel", "build", "--panel", folder / "set.ref.vcf.gz", "--out", folder / "panel.hsp")
    (folder / "set.target.vcf.gz").rename(folder / "study.vcf.gz")
    (folder / "set.truth.vcf.gz").rename(folder / "truth.vcf.gz")


def make_array(folder, program):
    mask(folder, program)


def make_phased(folder, program):
    """The phase that the program finds without a panel, which has more errors than that of the truth."""
    mask(folder, program)
    change_genotypes(folder / "study.vcf.gz", folder / "unphased.vcf.gz", lambda call, m, s: unphased(call))
    run(program, "phase", "--target", folder / "unphased.vcf.gz", "--map", CHR20_MAP, "--out", folder / "study.vcf.gz",
        "--threads", 1)


def make_unphased(folder, program):
    mask(folder, program)
    (folder / "study.vcf.gz").rename(folder / "phased.vcf.gz")
    change_genotypes(folder / "phased.vcf.gz", folder / "study.vcf.gz", lambda call, m, s: unphased(call))


def people_of_region(folder, region, people, *options):
    """Phased people of chr20, with all markers at which they differ: truth.vcf.gz, and panel.vcf.gz of others."""
    targets = (CHR20 / "target_samples.txt").read_text().split()[:people]
    panel = CHR20 / "1kgP3_chr20.mac5.bcf"
    run("bcftools", "view", "-r", region, "-S", "^" + str(CHR20 / "target_samples.txt"), "-c1", "-Oz", "-o",
        folder / "panel.vcf.gz", panel)
    run("bcftools", "view", "-r", region, "-s", ",".join(targets), *options, "-Oz", "-o", folder / "truth.vcf.gz", panel)
    for name in ("panel", "truth"):
        run("bcftools", "index", "-f", folder / f"{name}.vcf.gz")


def make_sequenced(folder, program):
    people_of_region(folder, "20:60000-300000", 200, "-c1")
    change_genotypes(folder / "truth.vcf.gz", folder / "study.vcf.gz", lambda call, m, s: unphased(call))


def make_missing(folder, program):
    mask(folder, program, people=150)
    draw = random.Random(1).random
    (folder / "truth.vcf.gz").unlink()
    (folder / "study.vcf.gz").rename(folder / "truth.vcf.gz")
    change_genotypes(folder / "truth.vcf.gz", folder / "study.vcf.gz",
                     lambda call, m, s: "./." if draw() < 0.1 else unphased(call))


def make_chips(folder, program):
    """Half of the people have every fifth marker."""
    mask(folder, program, people=150)
    (folder / "truth.vcf.gz").unlink()
    (folder / "study.vcf.gz").rename(folder / "truth.vcf.gz")
    change_genotypes(folder / "truth.vcf.gz", folder / "study.vcf.gz",
                     lambda call, m, s: "./." if s % 2 and m % 5 else unphased(call))


def make_errors(folder, program):
    """One called genotype of fifty is wrong."""
    mask(folder, program)
    draw = random.Random(1)
    (folder / "study.vcf.gz").rename(folder / "right.vcf.gz")
    change_genotypes(folder / "right.vcf.gz", folder / "study.vcf.gz",
                     lambda call, m, s: call if draw.random() >= 0.02 else call[:2] + str(1 - int(call[2])))


def make_mostly_missing(folder, program):
    """Four fifths of the genotypes of 120 bulls are missing."""
    draw = random.Random(1).random
    names = samples_of(BREEDS / "cattle/truth.vcf.gz")[:120]
    run("bcftools", "view", "-t", "1", "-s", ",".join(names), "-Oz", "-o", folder / "truth.vcf.gz", BREEDS / "cattle/truth.vcf.gz")
    change_genotypes(folder / "truth.vcf.gz", folder / "study.vcf.gz",
                     lambda call, m, s: "./." if draw() < 0.8 else unphased(call))


def make_phase(folder, program):
    """All markers of a part of chr20, with a panel."""
    people_of_region(folder, "20:60000-460000", 60)
    change_genotypes(folder / "truth.vcf.gz", folder / "study.vcf.gz", lambda call, m, s: unphased(call))


def simulate(folder, *options):
    text = run("bcftools", "view", folder / "truth.vcf.gz")[0]
    text = run(HERE.parent / "lowcoverage/simulate", *options, stdin=text)[0]
    run("bcftools", "view", "-Oz", "-o", folder / "study.vcf.gz", stdin=text)
    run("bcftools", "index", "-f", folder / "study.vcf.gz")


def make_likelihoods(folder, program):
    people_of_region(folder, "20:60000-260000", 16)
    simulate(folder, "--coverage", 1)


def make_tags(folder, program):
    people_of_region(folder, "20:60000-200000", 60, "-q", "0.05:minor")
    simulate(folder, "--tags", 3)


def make_reads(folder, program):
    """Reads that span several sites. A base is that of the haplotype, or a wrong one; between sites it is A."""
    people_of_region(folder, "20:60000-260000", 8, "-v", "snps")
    names = samples_of(folder / "truth.vcf.gz")
    rows = [line.split("\t") for line in
            run("bcftools", "query", "-f", "%POS\t%REF\t%ALT[\t%GT]\n", folder / "truth.vcf.gz")[0].splitlines()]
    draw = random.Random(1)
    files = []
    for s, name in enumerate(names):
        lines = ["@HD\tVN:1.6\tSO:coordinate", "@SQ\tSN:20\tLN:63025520", f"@RG\tID:1\tSM:{name}"]
        starts = sorted(draw.randrange(60000 - READ_LENGTH, 260000) for _ in range((200000 + READ_LENGTH) // READ_LENGTH))
        for n, start in enumerate(starts):
            bases, side = ["A"] * READ_LENGTH, draw.randrange(2)
            for row in rows:
                at = int(row[0]) - start
                if 0 <= at < READ_LENGTH:
                    right = row[1 + int(row[3 + s][2 * side])]
                    bases[at] = right if draw.random() >= READ_ERROR else draw.choice("ACGT".replace(right, ""))
            lines.append(f"{n}\t0\t20\t{start}\t60\t{READ_LENGTH}M\t*\t0\t0\t{''.join(bases)}\t{'5' * READ_LENGTH}\tRG:Z:1")
        files.append(folder / f"{name}.bam")
        run("samtools", "view", "-b", "-o", files[-1], "-", stdin="\n".join(lines) + "\n")
        run("samtools", "index", files[-1])
    (folder / "list.txt").write_text("".join(f"{file}\n" for file in files))


def make_adapted(folder, program):
    mask(folder, program)
    names = samples_of(folder / "set.ref.vcf.gz")[::4]
    run("bcftools", "view", "-r", "20:60000-1000000", "-s", ",".join(names), "-c1", "-Oz", "-o", folder / "small.vcf.gz",
        folder / "set.ref.vcf.gz")
    run(program, "panel", "build", "--panel", folder / "small.vcf.gz", "--out", folder / "small.hsp")
    run(program, "panel", "adapt", "--panel", folder / "small.hsp", "--sites", CHR20 / "omniexpress.sites.tsv", "--map",
        CHR20_MAP, "--out", folder / "panel.hsp")


def make_small(folder, program):
    """A quarter of the cattle of the panel are the new panel, and the others the study."""
    run(HERE.parent / "breeds/small-panels", "--sets", BREEDS, "--out", folder)


def drop(kind, density):
    def make(folder, program):
        run(HERE.parent / "breeds/drop", "--founders", BREEDS / "herd/truth.vcf.gz", "--map", BREEDS / "herd/map.txt",
            "--kind", kind, "--density", density, "--out", folder)
    return make


def make_parents(folder, program):
    """Sparse children whose parents are in the panel."""
    drop("fullsibs", 20)(folder, program)
    rows = [line.split() for line in (folder / "pedigree.txt").read_text().splitlines()]
    founders, children = [[row[0] for row in rows if (row[1] == "0") == first] for first in (True, False)]
    (folder / "study.vcf.gz").rename(folder / "all.vcf.gz")
    run("bcftools", "view", "-s", ",".join(founders), "-Oz", "-o", folder / "panel.vcf.gz", folder / "truth.vcf.gz")
    text = run("bcftools", "view", "-s", ",".join(children), folder / "all.vcf.gz")[0]
    run("bcftools", "view", "-i", "F_MISSING<0.2", "-Oz", "-o", folder / "study.vcf.gz", stdin=text)


def no_maker(folder, program):
    pass


# ---- Sets. ----

class Set:
    def __init__(self, kind, make, options, source=None, is_phase=False, is_whole=False):
        self.kind, self.make, self.options, self.source = kind, make, options, source
        self.is_phase, self.is_whole = is_phase, is_whole

    def folder(self, work):
        return self.source or work / self.kind.replace(" ", "-")


def breed(kind, name, *more):
    source = BREEDS / name
    return Set(kind, no_maker, ["impute", "--ref", "{}/panel.vcf.gz", "--target", "{}/study.vcf.gz", "--map", "{}/map.txt",
                                *more], source)


def with_panel(kind, make, panel="panel.hsp", *more, **flags):
    return Set(kind, make, ["impute", "--ref", "{}/" + panel, "--target", "{}/study.vcf.gz", "--map", CHR20_MAP, *more],
               **flags)


def herd(kind, make, *more):
    return Set(kind, make, ["impute", "--target", "{}/study.vcf.gz", "--map", "{}/map.txt", *more])


SETS = {s.kind: s for s in (
    with_panel("array", make_array),
    with_panel("phased", make_phased),
    with_panel("errors", make_errors),
    with_panel("unphased", make_unphased),
    with_panel("adapted", make_adapted, "panel.hsp", "--region", "20:60000-1000000"),
    with_panel("likelihoods", make_likelihoods, "panel.vcf.gz", "--likelihoods", "PL", is_whole=True),
    Set("reads", make_reads, ["impute", "--ref", "{}/panel.vcf.gz", "--target-list", "{}/list.txt", "--region",
                              "20:60000-260000", "--map", CHR20_MAP], is_whole=True),
    Set("sequenced with panel", make_phase, ["phase", "--ref", "{}/panel.vcf.gz", "--target", "{}/study.vcf.gz", "--map",
                                         CHR20_MAP], is_phase=True),
    Set("sequenced", make_sequenced, ["phase", "--target", "{}/study.vcf.gz", "--map", CHR20_MAP], is_phase=True),
    Set("missing", make_missing, ["impute", "--target", "{}/study.vcf.gz", "--map", CHR20_MAP]),
    Set("chips", make_chips, ["impute", "--target", "{}/study.vcf.gz", "--map", CHR20_MAP]),
    Set("tags", make_tags, ["impute", "--target", "{}/study.vcf.gz", "--likelihoods", "PL", "--map", CHR20_MAP],
        is_whole=True),
    breed("mice", "hsmice400"),
    breed("outbred mice", "DOmice"),
    breed("sheep", "sheep100"),
    breed("pigs", "pigF2", "--pedigree", "{}/pig.fam"),
    Set("small panel", make_small, ["impute", "--ref", "{}/cattle/panel.vcf.gz", "--target", "{}/cattle/study.vcf.gz",
                                    "--map", "{}/cattle/map.txt"]),
    Set("parents", make_parents, ["impute", "--ref", "{}/panel.vcf.gz", "--target", "{}/study.vcf.gz", "--map",
                                  "{}/map.txt", "--pedigree", "{}/pedigree.txt"]),
    Set("mostly missing", make_mostly_missing, ["impute", "--target", "{}/study.vcf.gz", "--map",
                                                BREEDS / "cattle/map.txt"]),
    herd("half sibs", drop("nodams", 5)),
    herd("generations", drop("three", 5), "--pedigree", "{}/pedigree.txt"),
    herd("F2", drop("F2", 20)),
    Set("lines", no_maker, ["impute", "--target", "{}/study.vcf.gz", "--map", "{}/map.txt"], BREEDS / "dhmaize_missing50"),
)}


# ---- Errors. ----

def table(path, field):
    """Returns the texts of a field by marker."""
    rows = {}
    for line in run("bcftools", "query", "-f", f"%CHROM\t%POS\t%REF\t%ALT[\t%{field}]\n", path)[0].splitlines():
        columns = line.split("\t")
        rows[tuple(columns[:4])] = columns[4:]
    return rows


def count(text):
    return np.nan if "." in text else sum(map(int, text.replace("/", "|").split("|")))


def squared_errors(folder, imputed, is_whole):
    """Returns the sum of squared errors and the number of genotypes of each sample."""
    truth, dosages, study = table(folder / "truth.vcf.gz", "GT"), table(imputed, "DS"), {}
    names, samples = samples_of(folder / "truth.vcf.gz"), samples_of(imputed)
    if not is_whole:
        study = table(folder / "study.vcf.gz", "GT")
    index = [names.index(sample) for sample in samples]
    sums, counts = np.zeros(len(samples)), np.zeros(len(samples))
    for marker, row in dosages.items():
        if marker not in truth:
            continue
        true = np.array([count(truth[marker][i]) for i in index], float)
        is_known = ~np.isnan(true)
        if marker in study:
            is_known &= np.array(["." in call for call in study[marker]])
        if not is_known.any():
            continue
        error = (np.array(row, float) - true) ** 2
        sums += np.where(is_known, error, 0)
        counts += is_known
    return sums, counts


def switch_errors(folder, phased):
    """Returns the number of switch errors and of pairs of neighboring heterozygotes of each sample."""
    truth, found = table(folder / "truth.vcf.gz", "GT"), table(phased, "GT")
    people = len(next(iter(truth.values())))
    sums, counts, before = np.zeros(people), np.zeros(people), [None] * people
    for marker, row in truth.items():
        for s, call in enumerate(row):
            if call[0] == call[2]:
                continue
            is_same = call[0] == found[marker][s][0]
            if before[s] is not None:
                counts[s] += 1
                sums[s] += before[s] != is_same
            before[s] = is_same
    return sums, counts


def prepare(name, work, program):
    """Makes the files of a set, if they are not there."""
    folder = SETS[name].folder(work)
    if SETS[name].source is None and not (folder / "done").exists():
        folder.mkdir(parents=True, exist_ok=True)
        SETS[name].make(folder, program)
        (folder / "done").touch()


SCORED = {}  # errors by set and what is in the output


def digest(path):
    """Returns a digest of a VCF file without its header, which has the command."""
    with gzip.open(path, "rb") as file:
        return hashlib.sha256(b"".join(line for line in file if not line.startswith(b"##"))).digest()


def measure(name, work, program, seed=1):
    """Returns the errors and the number of errors that there could be, [samples], and CPU seconds."""
    chosen, folder = SETS[name], SETS[name].folder(work)
    out = work / f"out.{os.getpid()}.vcf.gz"
    options = [str(word).replace("{}", str(folder)) for word in chosen.options]
    _, seconds = run(program, *options, "--threads", 1, "--seed", seed, "--out", out)
    key = name, digest(out)
    if key not in SCORED:
        scored = folder / "cattle" if name == "small panel" else folder
        SCORED[key] = switch_errors(scored, out) if chosen.is_phase else squared_errors(scored, out, chosen.is_whole)
    out.unlink()
    return (*SCORED[key], seconds)
