"""Shared by the scripts of this folder: runs haplospin, keeps results as JSON lines, draws figures.

A script that was interrupted can be started again: results that are in its results file are not computed again, and
training continues from its checkpoint. Only Python's standard library is used.
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COLORS = ["#1b6ca8", "#d1495b", "#3d8b37", "#edae49", "#6a4c93", "#00798c", "#8d5b4c", "#777777", "#c06c84", "#2f4b7c",
           "#a05195", "#5b8e7d", "#444444", "#e377c2"]


class Bench:
    def __init__(self, item, description, options={}):
        """`options`: those of this script only, with what --help says of them."""
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--budget", default="scaled", help="name of a file in budgets/ [scaled]")
        parser.add_argument("--work", default=str(ROOT / "build" / "benchmarks" / "processes"),
                            help="folder for weights, results and figures")
        parser.add_argument("--haplospin", default=str(ROOT / "build" / "release" / "bin" / "haplospin"))
        parser.add_argument("--threads", default="1")
        parser.add_argument("--models", default="", help="models to run, separated by commas [all]")
        parser.add_argument("--device", default="cpu", help="device to train on")
        for name, text in options.items():
            parser.add_argument(name, help=text)
        self.args = parser.parse_args()
        self.item = item
        self.budget = json.loads((HERE / "budgets" / (self.args.budget + ".json")).read_text())[item]
        self.folder = pathlib.Path(self.args.work) / self.args.budget / item
        self.folder.mkdir(parents=True, exist_ok=True)
        self.results = self.folder / "results.jsonl"
        self.lines = [json.loads(line) for line in self.results.read_text().splitlines()] if self.results.exists() else []

    def models(self):
        names = self.args.models.split(",") if self.args.models else list(self.budget["models"])
        return [name for name in names if name in self.budget["models"]]

    def find(self, kind, key):
        return next((line for line in self.lines if line["kind"] == kind and line["key"] == key), None)

    def keep(self, line):
        line = {"item": self.item, "date": time.strftime("%Y-%m-%d"), **line}
        self.lines.append(line)
        with self.results.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def run(self, *arguments):
        """Runs haplospin; returns wall seconds, processor seconds and peak memory in MB."""
        command = [self.args.haplospin, *map(str, arguments), "--threads", self.args.threads, "--quiet"]
        print("+", " ".join(command), file=sys.stderr, flush=True)
        start = time.time()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{self.item}: haplospin ended with {process.returncode}")
        return {"seconds": time.time() - start, "cpu_seconds": usage.ru_utime + usage.ru_stime,
                "peak_mb": usage.ru_maxrss / 1024}

    def train(self, key, *options):
        """Trains a model once; returns the path of its weights. Options must not repeat those of the budget."""
        weights = self.folder / (key + ".safetensors")
        if self.find("train", key) and weights.exists():
            return weights
        checkpoint = self.folder / (key + ".checkpoint")
        resumed = ["--resume"] if checkpoint.exists() else []
        used = self.run("np", "train", *options, "--device", self.args.device, "--out", weights, "--checkpoint",
                        checkpoint, *resumed)
        self.keep({"kind": "train", "key": key, "options": list(map(str, options)), "resumed": bool(resumed), **used})
        checkpoint.unlink(missing_ok=True)
        return weights

    def evaluate(self, key, *options):
        found = self.find("evaluate", key)
        if found:
            return found
        out = self.folder / "evaluation.json"
        used = self.run("np", "evaluate", *options, "--json", out)
        result = json.loads(out.read_text())
        out.unlink()
        self.keep({"kind": "evaluate", "key": key, "options": list(map(str, options)), **used, "result": result})
        return self.lines[-1]

    def model_options(self, model):
        """A model's name may have a variant after it: "te-pt-tnp 16"."""
        return ["--model", model.split()[0], *self.budget["common"], *self.budget["models"][model]]

    def task(self, table):
        """Options for all groups of a table."""
        return ["--task", "csv", "--data", table, "--hold-out", 0]

    def table(self, headings, rows):
        print("| " + " | ".join(headings) + " |")
        print("|" + "---|" * len(headings))
        for row in rows:
            print("| " + " | ".join(row) + " |")
        print(flush=True)

    def figure(self, name, title, x_title, y_title, series, log_x=False, log_y=False):
        """series: {name: [(x, y), ..]}"""
        (self.folder / name).write_text(line_chart(title, x_title, y_title, series, log_x, log_y))

    def picture(self, report, name):
        """The maps of a task (context, truth, prediction) from a page of `np evaluate --report`, next to each other."""
        maps = re.findall(r"<svg .*?</svg>", report.read_text(), re.S)[1:5]
        places = [(0, 0), (570, 0), (0, 386), (570, 386)]
        parts = [part.replace("<svg ", f'<svg x="{x}" y="{y}" ', 1) for part, (x, y) in zip(maps, places)]
        (self.folder / name).write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1130 762" color="#222">\n'
                                        '<rect width="1130" height="762" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n")


def shown(line):
    result = line["result"]
    error = result["standard_error"]
    return f"{result['log_likelihood']:.3f}" + (f" ± {error:.3f}" if error is not None else "")


def data_file(*parts):
    folder = os.environ.get("HAPLOSPIN_DATA")
    if not folder:
        raise SystemExit("set HAPLOSPIN_DATA to the folder of data")
    return pathlib.Path(folder, *parts)


def ticks(low, high, log):
    if log:
        return [10.0**k for k in range(math.floor(low), math.ceil(high) + 1)]
    step = 10 ** math.floor(math.log10(high - low))
    step = next(s for s in (step / 10, step / 5, step / 2, step, 2 * step) if (high - low) / s <= 8)
    return [k * step for k in range(math.floor(low / step), math.ceil(high / step) + 1)]


def line_chart(title, x_title, y_title, series, log_x, log_y):
    width, height, left, right, top, bottom = 640, 400, 70, 150, 36, 48
    transform_x = math.log10 if log_x else float
    transform_y = math.log10 if log_y else float
    points = {name: [(transform_x(x), transform_y(y)) for x, y in values] for name, values in series.items()}
    xs = [x for values in points.values() for x, _ in values]
    ys = [y for values in points.values() for _, y in values]
    x_low, x_high, y_low, y_high = min(xs), max(xs), min(ys), max(ys)
    x_high += 1e-9 if x_high > x_low else 1
    y_pad = 0.05 * (y_high - y_low) or 1
    y_low, y_high = y_low - y_pad, y_high + y_pad

    def at_x(x):
        return left + (width - left - right) * (x - x_low) / (x_high - x_low)

    def at_y(y):
        return height - bottom - (height - top - bottom) * (y - y_low) / (y_high - y_low)

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="{left}" y="20" font-size="14">{title}</text>',
           f'<text x="{(left + width - right) / 2}" y="{height - 10}" text-anchor="middle">{x_title}</text>',
           f'<text x="16" y="{(top + height - bottom) / 2}" text-anchor="middle" '
           f'transform="rotate(-90 16 {(top + height - bottom) / 2})">{y_title}</text>']
    for tick in ticks(x_low, x_high, log_x):
        x = transform_x(tick) if log_x else tick
        if x_low - 1e-9 <= x <= x_high + 1e-9:
            svg.append(f'<text x="{at_x(x):.1f}" y="{height - bottom + 18}" text-anchor="middle">{tick:g}</text>')
    for tick in ticks(y_low, y_high, log_y):
        y = transform_y(tick) if log_y else tick
        if y_low <= y <= y_high:
            svg.append(f'<path d="M{left} {at_y(y):.1f}H{width - right}" stroke="#ddd"/>')
            svg.append(f'<text x="{left - 6}" y="{at_y(y) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for index, (name, values) in enumerate(points.items()):
        color = COLORS[index % len(COLORS)]
        path = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in values)
        svg.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.8"/>')
        svg += [f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="2.5" fill="{color}"/>' for x, y in values]
        y = top + 16 * index
        svg.append(f'<path d="M{width - right + 12} {y}h18" stroke="{color}" stroke-width="2"/>')
        svg.append(f'<text x="{width - right + 34}" y="{y + 4}">{name}</text>')
    return "\n".join(svg + ["</svg>", ""])
