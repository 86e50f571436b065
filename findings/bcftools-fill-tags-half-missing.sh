#!/usr/bin/env bash
# bcftools 1.16-1 (Debian 12), +fill-tags.
# One would guess that a half-missing call of a diploid sample is not counted as hemizygous, and that both ways to
# write it, ./1 and 0|., are alike. AC_Hemi, "allele counts in hemizygous genotypes", counts the called allele of ./1
# as it does that of a haploid man. F_MISSING, and N_MISSING of the filters, look at the first allele alone: ./1 is
# missing, 0|. is not.
# It matters on chromosome X, where AC_Hemi is taken for the number of men with the allele, and in any quality
# control that drops sites by their share of missing calls.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  bcftools=1.16-1 libhts3=1.16+ds-3 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu BCFTOOLS_PLUGINS=root/usr/lib/x86_64-linux-gnu/bcftools

{
  printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n'
  printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n'
  printf '1\t100\t.\tA\tC\t.\tPASS\t.\tGT\t0/0\t0/0\t0/0\t./1\n'
  printf '1\t200\t.\tA\tC\t.\tPASS\t.\tGT\t0/0\t0/0\t0/0\t0|.\n'
  printf '1\t300\t.\tA\tC\t.\tPASS\t.\tGT\t0/0\t0/0\t0/0\t1\n'
} >in.vcf
root/usr/bin/bcftools +fill-tags in.vcf -- -t AN,AC,AC_Hemi,AC_Het,F_MISSING 2>>log >filled.vcf
seen=$(grep -v '^#' filled.vcf | cut -f 2,8,13 | tr '\t' ' '
  root/usr/bin/bcftools view -H -i 'N_MISSING=1' in.vcf | cut -f 2 | sed 's/^/N_MISSING=1 at /')
echo "$seen"
expected='100 F_MISSING=0.25;AN=7;AC=1;AC_Het=0;AC_Hemi=1 ./1
200 F_MISSING=0;AN=7;AC=0;AC_Het=0;AC_Hemi=0 0|.
300 F_MISSING=0;AN=7;AC=1;AC_Het=0;AC_Hemi=1 1
N_MISSING=1 at 100'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
