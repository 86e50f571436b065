#!/usr/bin/env bash
# BCF of HTSlib 1.16 (Debian 12, bcftools 1.16-1) and of HTSlib 1.24 (pysam 0.24.1, PyPI).
# One would guess that the same VCF of version 4.2 gives the same bytes of GT, whatever wrote the BCF. In BCF each
# allele has a bit that says whether it is phased with the one before it; VCF 4.4 gave the bit of the FIRST allele a
# meaning. HTSlib 1.16 never sets it: 0|1 is the bytes 02 05, and the haploid 1 is 04. HTSlib 1.24 sets it where all
# separators are "|", and for a haploid allele, although the header says VCFv4.2: 03 05, and 05. 0/1 is 02 04 in
# both.
# It matters to a program that reads the bytes: "is the first allele phased?" is no for a panel that the older
# library wrote and yes for the newer one's, and the haploid calls of men are "unphased" in the one and "phased" in
# the other.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  bcftools=1.16-1 libhts3=1.16+ds-3 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
python3 -m pip install -q --target python pysam==0.24.1 2>>log

{
  printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n'
  printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n'
  printf '1\t100\t.\tA\tC\t.\tPASS\t.\tGT\t0|1\t0/1\t1\n'
} >in.vcf
LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu root/usr/bin/bcftools view -Ob -o old.bcf in.vcf
PYTHONPATH=python python3 -c '
import pysam
with pysam.VariantFile("in.vcf") as source, pysam.VariantFile("new.bcf", "wb", header=source.header) as out:
    for record in source: out.write(record)'
# Three samples of two alleles, a byte each, are the end of the file; 81 is an allele that is not there.
genotypes() { zcat "$1" | tail -c 6 | od -An -tx1; }
seen="old:$(genotypes old.bcf), new:$(genotypes new.bcf)"
echo "$seen"
[[ $seen == 'old: 02 05 02 04 04 81, new: 03 05 02 04 05 81' ]] || { echo "this has changed"; exit 1; }
