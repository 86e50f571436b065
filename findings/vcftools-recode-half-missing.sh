#!/usr/bin/env bash
# vcftools 0.1.16 (Debian 12, 0.1.16-3+b1), --recode.
# One would guess that --recode without a filter writes each genotype as it read it. It drops a missing second allele
# where the genotype is phased: 0|. becomes the haploid call 0, 1|. becomes 1, and .|. a single dot; .|1 and the
# unphased ./1, 1/. and ./. stay as they are. Exit code 0, no message.
# It matters for phased files with half-missing calls: behind the pseudo-autosomal region a woman with 1|. cannot be
# told from a man with 1 any more, and an imputation program that infers sex from ploidy takes her for one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  vcftools=0.1.16-3+b1 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu

calls=('0|.' '1|.' '.|.' '.|1' './1' '1/.' './.' '1' '0|1')
{
  printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n'
  printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT'
  printf '\tsample%s' "${!calls[@]}"
  printf '\n1\t100\t.\tA\tC\t.\tPASS\t.\tGT'
  printf '\t%s' "${calls[@]}"
  printf '\n'
} >in.vcf
root/usr/bin/vcftools --vcf in.vcf --recode --out out 2>>log
seen=$(tail -n 1 out.recode.vcf | cut -f 10- | tr '\t' ' ')
echo "${calls[*]}  ->  $seen"
[[ $seen == '0 1 . .|1 ./1 1/. ./. 1 0|1' ]] || { echo "this has changed"; exit 1; }
