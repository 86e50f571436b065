"""snputils. It reads alleles only where all genotypes are phased; a missing allele and one that is not there are -1.

needs: snputils==1.1.1
reads: no-study-only.vcf no-study-only.vcf.gz no-study-only.bcf
"""
import sys

from snputils import read_snp
from table import allele_list, row

data = read_snp(sys.argv[1], genotype_mode="phased")
for i, position in enumerate(data.variants_pos):
    for person, sample in enumerate(data.samples):
        row(data.variants_chrom[i], position, data.variants_ref[i], data.variants_alt[i], sample,
            allele_list(allele for allele in data.genotypes[i, person] if allele != -1))
