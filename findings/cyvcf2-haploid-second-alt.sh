#!/usr/bin/env bash
# cyvcf2 0.31.1 (PyPI), the numbers that it makes of the genotypes of a VCF.
# One would guess that a haploid genotype of the second ALT allele is treated as one of the first, and that a man counts
# once in the frequency. On X, the haploid 1 is homozygous ALT, but the haploid 2 is unknown: gt_bases has ./. for
# it, call_rate and num_called take it as missing, while genotypes has the allele. A man's allele counts twice in aaf.
# It matters for records that are kept whole, such as tandem repeats on X: men with the second ALT are lost.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip install -q --target python cyvcf2==0.31.1 2>log

{
  printf '##fileformat=VCFv4.2\n##contig=<ID=X,length=156040895>\n'
  printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\twoman\tman\tmother\n'
  printf 'X\t5000000\t.\tA\tC\t.\tPASS\t.\tGT\t0|0\t1\t0|0\n'
  printf 'X\t5000001\t.\tA\tC,G\t.\tPASS\t.\tGT\t0|0\t1\t0|0\n'
  printf 'X\t5000002\t.\tA\tC,G\t.\tPASS\t.\tGT\t0|0\t2\t0|0\n'
} >in.vcf
seen=$(PYTHONPATH=python python3 -c '
from cyvcf2 import VCF
for v in VCF("in.vcf", gts012=True):
    print(",".join(v.ALT), v.genotypes[1][0], v.gt_types[1], v.gt_bases[1], v.num_called, f"{v.aaf:.2f}")')
echo "$seen"
expected='C 1 2 C 3 0.33
C,G 1 2 C 3 0.33
C,G 2 3 ./. 2 0.00'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
