"""Shared by the scripts of this folder: data, running commands, results as JSON lines, accuracy, figures."""
import argparse
import copy
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def arguments(description, **more):
    """The options of every script; `more` adds (default, help) pairs."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--work", type=Path, required=True, help="folder for prepared files, models and results")
    parser.add_argument("--settings", default="cpu", help="settings/NAME.json: cpu, or paper for the paper's sizes [cpu]")
    parser.add_argument("--haplospin", default=str(ROOT / "build/release/bin/haplospin"), help="the program")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--panel", help="phased panel, its study samples (file or number), array (file of sites or number "
                        "of random markers) and map [chr20_1kg of $HAPLOSPIN_DATA and its Omni2.5 array]")
    parser.add_argument("--samples")
    parser.add_argument("--sites")
    parser.add_argument("--map")
    for name, (default, text) in more.items():
        parser.add_argument("--" + name.replace("_", "-"), default=default, help=text)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    options.values = json.loads((Path(__file__).parent / "settings" / f"{options.settings}.json").read_text())
    return options


class Results:
    """JSON lines, one per result; existing results are not computed again."""

    def __init__(self, path):
        self.path = path
        self.rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def find(self, **key):
        return next((row for row in self.rows if all(row.get(k) == v for k, v in key.items())), None)

    def add(self, **row):
        row["date"] = time.strftime("%Y-%m-%d %H:%M")
        row["load"] = round(os.getloadavg()[0], 1)
        self.rows.append(row)
        with open(self.path, "a") as file:
            file.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)
        return row


def run(command, log=None):
    """Runs a command: (wall seconds, CPU seconds, peak MiB, standard error)."""
    start = time.time()
    process = subprocess.Popen([str(c) for c in command], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if log:
        Path(log).write_text(error)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{error}")
    return time.time() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, error


class Benchmark:
    """A panel split into reference and study and masked to an array, by default chr20_1kg of $HAPLOSPIN_DATA with its
    target_samples.txt and the Omni2.5 array."""

    def __init__(self, options):
        self.options = options
        if not options.panel:
            folder = os.environ.get("HAPLOSPIN_DATA")
            if not folder:
                sys.exit("set HAPLOSPIN_DATA to the folder that holds genotypes/chr20_1kg, or give --panel")
            folder = Path(folder) / "genotypes" / "chr20_1kg"
            options.panel, options.samples = folder / "1kgP3_chr20.mac5.bcf", folder / "target_samples.txt"
            options.sites, options.map = folder / "omni2.5.sites.tsv", folder / "chr20.b37.plink.map"
        self.map = options.map
        prefix = options.work / "study"
        self.reference, self.target, self.truth = (Path(f"{prefix}.{kind}.vcf.gz") for kind in ("ref", "target", "truth"))
        if not self.truth.exists():
            array = ["--thin", options.sites] if str(options.sites).isdigit() else ["--sites", options.sites]
            run([options.haplospin, "mask", "--panel", options.panel, "--samples", options.samples, *array, "--out",
                 prefix])
        for path in (self.reference, self.target, self.truth):
            if not Path(f"{path}.csi").exists():
                run(["bcftools", "index", "-f", path])
        self.sites = options.work / "sites.tsv"
        self.sites.write_text(query(self.target, "%CHROM\t%POS\n"))
        self.contig = self.sites.read_text().split()[0]

    def beagle(self):
        """Beagle's imputed study; $BEAGLE is the command."""
        out = self.options.work / "beagle"
        if not Path(f"{out}.vcf.gz.csi").exists():
            run(os.environ.get("BEAGLE", "beagle").split() +
                [f"ref={self.reference}", f"gt={self.target}", f"out={out}", "nthreads=1", "seed=1"] +
                ([f"map={self.map}"] if self.map else []))
            run(["bcftools", "index", "-f", f"{out}.vcf.gz"])
        return f"{out}.vcf.gz"

    def imputer(self):
        """The study as haplospin's default imputer has it."""
        out = self.options.work / "imputer.vcf.gz"
        if not Path(f"{out}.csi").exists():
            run([self.options.haplospin, "impute", "--ref", self.reference, "--target", self.target, "--out", out,
                 "--threads", "1"] + (["--map", self.map] if self.map else []))
            run(["bcftools", "index", "-f", out])
        return out

    def cut(self, region):
        """The same data without what lies outside a region, so that no window has array sites from there."""
        part = copy.copy(self)
        for kind in ("reference", "target"):
            path = self.options.work / f"cut.{kind}.vcf.gz"
            if not Path(f"{path}.csi").exists():
                run(["bcftools", "view", "-r", region, "-O", "z", "-o", path, getattr(self, kind)])
                run(["bcftools", "index", "-f", path])
            setattr(part, kind, path)
        return part

    def windows(self, count):
        """`count` regions with middles spread over the region of the data: 240 kb, or more with fewer than 150 array
        sites there."""
        positions = query(self.reference, "%POS\n").split()
        typed = [int(line.split()[1]) for line in self.sites.read_text().splitlines()]
        first, last = int(positions[0]), int(positions[-1])
        regions = []
        for i in range(count):
            middle = int(first + (last - first) / count * (i + 0.5))
            half = max(120000, sorted(abs(p - middle) for p in typed)[:150][-1])
            regions.append(f"{self.contig}:{max(1, middle - half)}-{middle + half}")
        return regions


def query(path, text, region=None):
    command = ["bcftools", "query", "-f", text] + (["-r", region] if region else []) + [str(path)]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def dosages(path, region=None):
    """{(position, ref, alt): dosages of the samples}, from DS, or from GT if there is no DS."""
    has_ds = "ID=DS," in subprocess.run(["bcftools", "view", "-h", str(path)], capture_output=True, text=True).stdout
    table = {}
    for line in query(path, f"%POS\t%REF\t%ALT[\t%{'DS' if has_ds else 'GT'}]\n", region).splitlines():
        fields = line.split("\t")
        values = fields[3:] if has_ds else [sum(map(int, re.split(r"[|/]", g))) for g in fields[3:]]
        table[tuple(fields[:3])] = np.array(values, dtype=float)
    return table


def haplotypes(path, region):
    """{(position, ref, alt): alleles of the haplotypes}."""
    table = {}
    for line in query(path, "%POS\t%REF\t%ALT[\t%GT]\n", region).splitlines():
        fields = line.split("\t")
        table[tuple(fields[:3])] = np.array([int(a) for g in fields[3:] for a in g.split("|")], dtype=np.int8)
    return table


def pooled_r2(truth, imputed, sites):
    """The paper's measure: squared Pearson correlation over all (site, sample) pairs, times 100."""
    x = np.concatenate([imputed[s] for s in sites])
    y = np.concatenate([truth[s] for s in sites])
    return 100 * float(np.corrcoef(x, y)[0, 1] ** 2)


def train(options, benchmark, architecture, region, name, extra):
    """Trains a model if it does not exist; returns its figures. `extra`: options of haplospin train."""
    model = options.work / f"{name}.safetensors"
    figures = options.work / f"{name}.json"
    if not figures.exists():
        flags = [item for key, value in extra.items() for item in ([f"--{key}"] if value is True else [f"--{key}", value])]
        checkpoint = options.work / f"{name}.checkpoint"
        resume = ["--resume"] if checkpoint.exists() else []
        wall, cpu, memory, log = run(
            [options.haplospin, "train", "--arch", architecture, "--panel", benchmark.reference, "--sites",
             benchmark.sites, "--region", region, "--out", model, "--threads", options.threads, "--checkpoint",
             checkpoint, *resume, *flags], options.work / f"{name}.log")
        figures.write_text(json.dumps({
            "train_wall_s": round(wall), "train_cpu_s": round(cpu, 1), "train_mib": round(memory),
            "resumed": bool(resume),
            "parameters": int(re.search(r": (\d+) parameters", log)[1]),
            "validation_r2": 100 * float(re.findall(r"written; validation R2 ([\d.]+)", log)[0])}))
        checkpoint.unlink(missing_ok=True)
    return model, json.loads(figures.read_text())


def impute(options, benchmark, model, name, region=None):
    """Imputes the study; (path, wall seconds, peak MiB)."""
    out = options.work / f"{name}.vcf.gz"
    wall, _, memory, _ = run([options.haplospin, "impute", "--ref", benchmark.reference, "--target", benchmark.target,
                              "--model", model, "--out", out, "--threads", options.threads, "--write-index"] +
                             (["--region", region] if region else []))
    return out, wall, memory


def imputed_sites(path):
    """Sites of an imputed file that were not typed."""
    return [tuple(line.split("\t")) for line in
            subprocess.run(["bcftools", "query", "-i", "INFO/IMP=1", "-f", "%POS\t%REF\t%ALT\n", str(path)],
                           capture_output=True, check=True, text=True).stdout.splitlines()]


def figure(path, draw, size=(6, 3.6)):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "haplospin"
    import matplotlib.pyplot as plt
    plot, axes = plt.subplots(figsize=size, layout="constrained")
    draw(axes)
    plot.savefig(path, metadata={"Date": None})
