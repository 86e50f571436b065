"""Hail, which takes a half-missing call as missing. It reads BGEN of 8 bits without phase, in which all are diploid.

needs: hail==0.2.139
reads: imputed.vcf imputed.vcf.gz diploid.bgen
changes: half-missing
"""
import sys

import hail
from table import allele_list, numbers, row

path = sys.argv[1]
hail.init(quiet=True, local="local[1]", log="/dev/null", skip_logging_configuration=True)
if path.endswith("bgen"):
    hail.index_bgen(path, reference_genome="GRCh38")
    data = hail.import_bgen(path, entry_fields=["GP", "dosage"], sample_file=path[:-4] + "sample")
else:
    data = hail.import_vcf(path, reference_genome="GRCh38", force_bgz=path.endswith("gz"), array_elements_required=False)
records = data.localize_entries("calls", "people")
samples = [person.s for person in hail.eval(records.people)]
for record in records.collect():
    site = record.locus.contig, record.locus.position, record.alleles[0], ",".join(record.alleles[1:])
    for sample, call in zip(samples, record.calls):
        if path.endswith("bgen"):  # a missing call is None
            row(*site, sample, GP=numbers(call and call.GP), DS=numbers(call and call.dosage))
        else:
            gt = call.GT
            row(*site, sample, allele_list(gt.alleles) if gt else "?", "?" if gt is None else "|/"[not gt.phased],
                *(numbers(call.get(name)) for name in ("DS", "GP", "HDS", "LDS")), numbers(record.info.DR2))
