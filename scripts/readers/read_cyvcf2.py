"""cyvcf2. Its rows are as long as the longest: a second allele that is not there is -2, a value nan.

needs: cyvcf2==0.35.0
reads: imputed.vcf imputed.vcf.gz imputed.bcf
"""
import sys

from cyvcf2 import VCF
from table import allele_list, numbers, row


def field(record, name, person):
    matrix = record.format(name)
    return "." if matrix is None else numbers(matrix[person])


file = VCF(sys.argv[1])
for record in file:
    for person, call in enumerate(record.genotypes):
        row(record.CHROM, record.POS, record.REF, ",".join(record.ALT or ["."]), file.samples[person],
            allele_list(allele for allele in call[:-1] if allele != -2), "|" if call[-1] else "/",
            *(field(record, name, person) for name in ("DS", "GP", "HDS", "LDS")), numbers(record.INFO.get("DR2")))
