"""vcfpy. Its is_phased raises TypeError for the call `.` of a man, so that the separator is looked for in GT.

needs: vcfpy==0.14.2
reads: imputed.vcf imputed.vcf.gz
"""
import sys

import vcfpy
from table import allele_list, numbers, row

for record in vcfpy.Reader.from_path(sys.argv[1]):
    for call in record.calls:
        alleles = list(call.gt_alleles) if call.gt_alleles else [None]
        row(record.CHROM, record.POS, record.REF, ",".join(alt.value for alt in record.ALT) or ".", call.sample,
            allele_list(alleles), "|" if "|" in (call.data.get("GT") or "") else "/",
            *(numbers(call.data.get(name)) for name in ("DS", "GP", "HDS", "LDS")),
            numbers(record.INFO.get("DR2")))
