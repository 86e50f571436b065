#!/usr/bin/env bash
# snputils 1.1.1 (PyPI), read_snp(genotype_mode="dosage") of a VCF.
# One would guess that the dosage of a half-missing call is missing, or counts the called allele, and is the same on
# every chromosome. On chromosome X, also of a file in which nobody's sex is known, the called allele is counted
# twice: ./1 and 1|. are 2 as 1/1 is, and 0|. is 0. On chromosome 1 the same calls are -1, missing, and so are the
# haploid 0 and 1.
# It matters for frequencies, scores and principal components: a half-missing call of a woman is
# a certain homozygote on X.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip install -q --target python snputils==1.1.1 2>log

calls=('0/1' '1/1' './1' '1|.' '0|.' '1' '0' './.')
{
  printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=248956422>\n##contig=<ID=X,length=156040895>\n'
  printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT'
  printf '\tsample%s' "${!calls[@]}"
  for contig in 1 X; do
    printf '\n%s\t5000000\t.\tA\tC\t.\tPASS\t.\tGT' "$contig"
    printf '\t%s' "${calls[@]}"
  done
  printf '\n'
} >in.vcf
seen=$(PYTHONPATH=python python3 -c '
from snputils import read_snp
data = read_snp("in.vcf", genotype_mode="dosage")
for contig, genotypes in zip(data.variants_chrom, data.genotypes):
    print(contig, *genotypes.tolist(), sep=" ")')
echo "${calls[*]}"
echo "$seen"
expected='1 1 2 -1 -1 -1 -1 -1 -1
X 1 2 2 2 0 2 0 -1'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
