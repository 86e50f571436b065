"""Shared by the scripts of this folder: the data, the baselines, and running haplospin."""

import csv
import importlib.machinery
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

warnings.filterwarnings("ignore")

HOPULAR_SETS = """conn_bench_sonar_mines_rocks glass_identification statlog_heart breast_cancer heart_cleveland
haberman_survival vertebral_column2 vertebral_column3 primary_tumor ecoli horse_colic congressional_voting
cylinder_bands monks_2 statlog_australian_credit credit_approval blood_transfusion energy_y2 mammographic led_display
statlog_german_credit""".split()

SETS_WITH_CATEGORIES = """statlog_heart breast_cancer heart_cleveland primary_tumor horse_colic congressional_voting
cylinder_bands statlog_australian_credit credit_approval mammographic led_display""".split()


def data_folder():
    folder = os.environ.get("HAPLOSPIN_DATA")
    if not folder:
        sys.exit("HAPLOSPIN_DATA must be the folder with the data (see benchmarks/tabular/README.md)")
    return Path(folder) / "tabular"


def program():
    return os.environ.get("HAPLOSPIN", "haplospin")


def script(name):
    """Another script of this folder as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(Path(__file__).parent / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class Results:
    """JSON lines, written as results arrive; existing results are not computed again."""

    def __init__(self, path, keys):
        self.path, self.keys, self.rows = Path(path), keys, []
        if self.path.exists():
            self.rows = [json.loads(line) for line in self.path.read_text().splitlines() if line]

    def has(self, **key):
        return any(all(row.get(k) == v for k, v in key.items()) for row in self.rows)

    def add(self, **row):
        self.rows.append(row)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)


def small_set(name):
    """One of Hopular's small sets: features [n, d], labels [n], test flags [n, 4], categorical [d]."""
    folder = data_folder() / "hopular" / name
    read = lambda file: np.loadtxt(folder / file, delimiter=",", ndmin=2)
    features = read(f"{name}_py.dat")
    labels = read("labels_py.dat").ravel().astype(int)
    tests = read("folds_py.dat").astype(int)
    # The files do not say which columns are categorical. If the paper's table A.3 has categorical columns, those with
    # few values are used, for all methods.
    categorical = [name in SETS_WITH_CATEGORIES and len(np.unique(column)) <= 10 for column in features.T]
    return features, labels, tests, categorical


def write_csv(path, columns):
    """columns: name -> values"""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))


def cpu_seconds():
    """Processor time of this process and of the programs it has run."""
    return sum(os.times()[:4])


def run_haplospin(arguments):
    """Runs the program; returns the processor time in seconds (little affected by other programs on the machine)
    and the peak memory in MB."""
    process = subprocess.Popen([program(), *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise RuntimeError(f"haplospin {' '.join(map(str, arguments))}: {error.strip().splitlines()[-1:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def evaluate(model, data, targets, folds, options=()):
    """haplospin evaluate; returns its JSON with the time and the peak memory of the run."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "result.json"
        arguments = ["tabular", "evaluate", "--model", model, "--quiet", "--threads", 1, "--data", data, "--json", out,
                     *options]
        for target in targets:
            arguments += ["--target", target]
        for fold in folds:
            arguments += ["--test-column", fold]
        seconds, peak = run_haplospin(arguments)
        result = json.loads(out.read_text())
    result["seconds"], result["peak_mb"] = seconds, peak
    return result


SEARCHES = 12  # random settings that each baseline tries


def baselines(classify, seed=1):
    """name -> (estimator, settings to draw from). All have the same number of draws and the same validation folds."""
    from sklearn.ensemble import (GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier,
                                  RandomForestRegressor)
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.svm import SVC, SVR
    from xgboost import XGBClassifier, XGBRegressor

    pick = lambda a, b: b if not classify else a
    trees = {"n_estimators": [100, 300], "max_features": ["sqrt", 0.3, 0.6], "min_samples_leaf": [1, 2, 5]}
    boosting = {"n_estimators": [50, 100, 200, 400], "learning_rate": [0.03, 0.1, 0.2], "max_depth": [2, 3, 5],
                "subsample": [0.6, 0.8, 1.0]}
    return {
        "gradient boosting": (pick(GradientBoostingClassifier, GradientBoostingRegressor)(random_state=seed), boosting),
        "random forest": (pick(RandomForestClassifier, RandomForestRegressor)(random_state=seed), trees),
        "XGBoost": (pick(XGBClassifier, XGBRegressor)(random_state=seed, n_jobs=1, verbosity=0),
                    {**boosting, "colsample_bytree": [0.5, 0.8, 1.0]}),
        "SVM": (SVC(random_state=seed) if classify else SVR(),
                {"C": [0.3, 1, 3, 10, 30, 100], "gamma": ["scale", 0.003, 0.01, 0.03, 0.1]}),
        "linear": (LogisticRegression(max_iter=500) if classify else Ridge(),
                   {"C": list(np.logspace(-3, 2, 12))} if classify else {"alpha": list(np.logspace(-3, 3, 12))}),
        "k-NN": (pick(KNeighborsClassifier, KNeighborsRegressor)(),
                 {"n_neighbors": [1, 3, 5, 9, 15, 25], "weights": ["uniform", "distance"]}),
        "MLP": (pick(MLPClassifier, MLPRegressor)(random_state=seed, max_iter=300, early_stopping=False),
                {"hidden_layer_sizes": [(25,), (50,), (100,), (50, 50)], "alpha": [1e-4, 1e-2, 1.0],
                 "learning_rate_init": [1e-3, 1e-2]}),
    }


def fit_baseline(name, classify, features, target, test_features, categorical, seed=1):
    """Chooses among SEARCHES random settings by 3-fold cross-validation on the training rows; fits to all of them."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import KFold, RandomizedSearchCV, StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import LabelEncoder, OneHotEncoder, StandardScaler

    estimator, settings = baselines(classify, seed)[name]
    numeric = [j for j, c in enumerate(categorical) if not c]
    classes = [j for j, c in enumerate(categorical) if c]
    prepare = ColumnTransformer([
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), numeric),
        ("classes", OneHotEncoder(handle_unknown="ignore", sparse_output=False), classes)])
    encoder = LabelEncoder()
    truth = encoder.fit_transform(target) if classify else target
    step = type(estimator).__name__.lower()
    combinations = math.prod(len(values) for values in settings.values())
    folds = StratifiedKFold(3, shuffle=True, random_state=seed) if classify else KFold(3, shuffle=True,
                                                                                      random_state=seed)
    search = RandomizedSearchCV(
        make_pipeline(prepare, estimator), {f"{step}__{key}": values for key, values in settings.items()},
        n_iter=min(SEARCHES, combinations), cv=folds, random_state=seed,
        scoring="accuracy" if classify else "neg_root_mean_squared_error", error_score=-1e9)
    search.fit(features, truth)
    predicted = search.predict(test_features)
    probabilities = None
    if classify and hasattr(search.best_estimator_[-1], "predict_proba"):
        probabilities = search.predict_proba(test_features)
    elif classify and len(encoder.classes_) == 2:
        probabilities = search.decision_function(test_features)
    return (encoder.inverse_transform(predicted) if classify else predicted), probabilities


def drop_single_classes(path, target):
    """Removes the rows of a CSV file whose class occurs only once."""
    from collections import Counter

    with open(path, newline="") as file:
        header, *rows = list(csv.reader(file))
    column = header.index(target)
    count = Counter(row[column] for row in rows)
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header] + [row for row in rows if count[row[column]] > 1])
