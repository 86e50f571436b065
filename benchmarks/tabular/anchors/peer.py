#!/usr/bin/env python3
"""Another program on a table, in a process of its own so that its time and memory can be measured.

  peer.py METHOD FOLDER

FOLDER has training.csv, test.csv (without the target) and table.json: the target, whether it is a class, the columns of
texts and those of dates. Writes predictions.csv: a column for each class, or one of numbers.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas

warnings.filterwarnings("ignore")
THREADS = 2


def read(path, facts):
    table = pandas.read_csv(path, dtype={name: str for name in facts["texts"]}, parse_dates=facts["dates"])
    return table.assign(**{name: table[name].astype(bool).astype(str) for name in table if table[name].dtype == bool})


def with_numbers(tables, facts):
    """Dates as days, and texts as categories of the training rows."""
    start = pandas.Timestamp(0, tz="UTC")
    training, test = (table.assign(**{name: (pandas.to_datetime(table[name], utc=True) - start) / pandas.Timedelta(days=1)
                                      for name in facts["dates"]}) for table in tables)
    for name in facts["texts"]:
        kind = pandas.CategoricalDtype(sorted(training[name].dropna().unique()))
        training[name], test[name] = training[name].astype(kind), test[name].astype(kind)
    return training, test


def with_words(tables, facts):
    """Texts whose missing values are a word."""
    return [table.assign(**{name: table[name].astype(object).fillna("missing").astype(str) for name in facts["texts"]})
            for table in tables]


def predicted(model, test, is_class):
    return model.predict_proba(test) if is_class else np.reshape(model.predict(test), (-1, 1))


def xgboost(training, y, test, facts):
    from xgboost import XGBClassifier, XGBRegressor

    training, test = with_numbers((training, test), facts)
    model = (XGBClassifier if facts["is_class"] else XGBRegressor)(n_jobs=THREADS, enable_categorical=True)
    return predicted(model.fit(training, y), test, facts["is_class"])


def catboost(training, y, test, facts):
    from catboost import CatBoostClassifier, CatBoostRegressor

    training, test = with_words(with_numbers((training, test), facts), facts)
    model = (CatBoostClassifier if facts["is_class"] else CatBoostRegressor)(
        verbose=0, thread_count=THREADS, random_seed=1, allow_writing_files=False, cat_features=facts["texts"])
    return predicted(model.fit(training, y), test, facts["is_class"])


def ebm(training, y, test, facts):
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    training, test = with_words(with_numbers((training, test), facts), facts)
    model = (ExplainableBoostingClassifier if facts["is_class"] else ExplainableBoostingRegressor)(n_jobs=THREADS)
    return predicted(model.fit(training, y), test, facts["is_class"])


def autogluon(training, y, test, facts, seconds=10):
    import tempfile

    from autogluon.tabular import TabularPredictor

    kind = "regression" if not facts["is_class"] else "binary" if y.max() == 1 else "multiclass"
    metric = "log_loss" if facts["is_class"] else "root_mean_squared_error"
    with tempfile.TemporaryDirectory() as folder:
        model = TabularPredictor("the target", problem_type=kind, eval_metric=metric, path=folder, verbosity=0)
        model.fit(training.assign(**{"the target": y}), time_limit=seconds, num_cpus=THREADS)
        if not facts["is_class"]:
            return model.predict(test).to_numpy().reshape(-1, 1)
        by_class = model.predict_proba(test)
        return by_class.reindex(columns=range(y.max() + 1), fill_value=0).to_numpy()  # it leaves out rare classes


def network(name):
    def fit(training, y, test, facts):
        import pytabkit

        training, test = with_words(with_numbers((training, test), facts), facts)
        training, test = (table.fillna(training.median(numeric_only=True)) for table in (training, test))
        make = getattr(pytabkit, f"{name}_{'Classifier' if facts['is_class'] else 'Regressor'}")
        model = make(device="cpu", n_threads=THREADS, random_state=1)
        return predicted(model.fit(training, y, cat_col_names=facts["texts"]), test, facts["is_class"])
    return fit


METHODS = {"xgboost": xgboost, "catboost": catboost, "ebm": ebm, "autogluon": autogluon,
           "realmlp": network("RealMLP_TD"), "tabm": network("TabM_D")}


def main():
    method, folder = sys.argv[1], Path(sys.argv[2])
    facts = json.loads((folder / "table.json").read_text())
    training, test = read(folder / "training.csv", facts), read(folder / "test.csv", facts)
    y, names = training.pop(facts["target"]), ["number"]
    if facts["is_class"]:
        y, names = pandas.factorize(y.astype(str), sort=True)
    values = METHODS[method](training, y, test, facts)
    pandas.DataFrame(values, columns=names).to_csv(folder / "predictions.csv", index=False)


if __name__ == "__main__":
    main()
