#!/usr/bin/env bash
# VCF 4.4 genotypes with a prefix, written as BCF by HTSlib 1.24 (pysam 0.24.1, PyPI), read by bcftools 1.16-1
# (Debian 12).
# One would guess that the older program refuses what it does not know, as it refuses the same genotypes in VCF text.
# VCF 4.4 allows a first "|" or "/" that tells the phase of the first allele: |0/1 and /0|1. bcftools 1.16 stops at
# the text (exit code 8). From BCF it reads both without a message and drops
# the prefix: |0/1 comes out as 0/1 and /0|1 as 0|1, under the header VCFv4.4.
# It matters because /0|1 says that the first allele is NOT phased with the earlier sites: the older program makes it
# an ordinary phased genotype, and a phase set that ended there goes on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  bcftools=1.16-1 libhts3=1.16+ds-3 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
old() { LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu root/usr/bin/bcftools "$@"; }
python3 -m pip install -q --target python pysam==0.24.1 2>>log

{
  printf '##fileformat=VCFv4.4\n##contig=<ID=1,length=1000>\n'
  printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n'
  printf '1\t100\t.\tA\tC\t.\tPASS\t.\tGT\t|0/1\t/0|1\t0|1\t0/1\n'
} >in.vcf
PYTHONPATH=python python3 -c '
import pysam
with pysam.VariantFile("in.vcf") as source, pysam.VariantFile("in.bcf", "wb", header=source.header) as out:
    for record in source: out.write(record)'
calls() { grep -v '^#' | cut -f 10- | tr '\t' ' '; }
text=0
old view in.vcf >out.vcf 2>>log || text=$?
new=$(PYTHONPATH=python python3 -c 'import pysam; print(next(pysam.VariantFile("in.bcf")), end="")' | calls)
seen="text: exit code $text; BCF read by 1.24: $new; by 1.16: $(old view in.bcf 2>>log | calls)"
echo "$seen"
expected='text: exit code 8; BCF read by 1.24: |0/1 /0|1 0|1 0/1; by 1.16: 0/1 0|1 0|1 0/1'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
