"""polars-bio (noodles and DataFusion), which has a function of its own for BCF.

needs: polars-bio==0.36.2
reads: imputed.vcf imputed.vcf.gz imputed.bcf
"""
import json
import sys

import polars_bio
from table import numbers, row, split_call

path = sys.argv[1]
frame = (polars_bio.read_bcf if path.endswith("bcf") else polars_bio.read_vcf)(path)
samples = json.loads(frame.config_meta.get_metadata()["source_header"])["sample_names"]
for record in frame.iter_rows(named=True):
    calls = record["genotypes"]
    for person, sample in enumerate(samples):
        row(record["chrom"], record["start"], record["ref"], record["alt"].replace("|", ",") or ".", sample,
            *split_call(calls["GT"][person]),
            *(numbers(calls[name][person]) for name in ("DS", "GP", "HDS", "LDS")), numbers(record["DR2"]))
