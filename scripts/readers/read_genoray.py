"""genoray. It reads DS only where every record has one ALT allele, so here the alleles and the phase.

needs: genoray==6.0.2 cyvcf2==0.35.0
reads: imputed.vcf.gz imputed.bcf
"""
import sys

from cyvcf2 import VCF
from genoray import VCF as GenorayVCF
from table import allele_list, row

file = GenorayVCF(sys.argv[1], phasing=True, with_gvi_index=False)
# [samples, alleles and phase, records]; -1 is a missing allele, -2 one that is not there.
calls = file.read("chrX")
for i, record in enumerate(VCF(sys.argv[1])):
    for person, sample in enumerate(file.current_samples):
        *alleles, phased = calls[person, :, i]
        row(record.CHROM, record.POS, record.REF, ",".join(record.ALT or ["."]), sample,
            allele_list(allele for allele in alleles if allele != -2), "|" if phased == 1 else "/")
