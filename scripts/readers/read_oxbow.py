"""oxbow (noodles and Arrow), which has a function of its own for BCF.

needs: oxbow==0.8.2 polars==1.44.2
reads: imputed.vcf imputed.vcf.gz imputed.bcf
"""
import sys

import oxbow
from table import allele_list, numbers, row

path = sys.argv[1]
frame = (oxbow.from_bcf if path.endswith("bcf") else oxbow.from_vcf)(path, samples="*").pl()
for record in frame.iter_rows(named=True):
    for sample in frame.columns[8:]:
        call = record[sample]
        gt = call["GT"] or {"allele": [None], "phased": [None]}
        row(record["chrom"], record["pos"], record["ref"], ",".join(record["alt"] or ["."]), sample,
            allele_list(gt["allele"]), "|" if gt["phased"][-1] else "/",
            *(numbers(call[name]) for name in ("DS", "GP", "HDS", "LDS")), numbers(record["info"]["DR2"]))
