"""pysam, with the newest HTSlib.

needs: pysam==0.24.1
reads: imputed.vcf imputed.vcf.gz imputed.bcf
"""
import sys

import pysam
from table import allele_list, numbers, row

with pysam.VariantFile(sys.argv[1]) as file:
    for record in file:
        for sample in record.samples.values():
            row(record.chrom, record.pos, record.ref, ",".join(record.alts or ["."]), sample.name,
                allele_list(sample.allele_indices), "|" if sample.phased else "/",
                *(numbers(sample.get(name)) for name in ("DS", "GP", "HDS", "LDS")),
                numbers(record.info.get("DR2")))
