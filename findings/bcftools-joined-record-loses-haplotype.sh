#!/usr/bin/env bash
# bcftools 1.16-1 (Debian 12), norm -m +any, of phased biallelic records at one position.
# One would guess that 1|0 and 0|1 become 1|2, and that two ALT alleles on ONE haplotype are an error. The phase is
# lost (1/2), though all four alleles say which haplotype is which. Where both records have 1|0, two ALT alleles on
# the first haplotype, the result is 1/2 as well: one of the alleles moves to the other haplotype, exit code 0.
# It matters for imputed multi-allelic sites, which many programs write as biallelic records: joined, the file is not
# phased any more, and a contradiction between the records has become a plausible genotype.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  bcftools=1.16-1 libhts3=1.16+ds-3 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu

{
  printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n'
  printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tapart\tconflict\tone\n'
  printf '1\t100\t.\tA\tC\t.\tPASS\t.\tGT\t1|0\t1|0\t1|0\n'
  printf '1\t100\t.\tA\tG\t.\tPASS\t.\tGT\t0|1\t1|0\t0|0\n'
} >in.vcf
seen=$(root/usr/bin/bcftools norm -m +any in.vcf 2>>log | grep -v '^#' | cut -f 5,10- | tr '\t' ' ')
echo "$seen"
expected='C,G 1/2 1/2 1|0'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
