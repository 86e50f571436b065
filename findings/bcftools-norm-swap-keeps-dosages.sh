#!/usr/bin/env bash
# bcftools 1.16-1 (Debian 12), norm -c s (the way to exchange REF and ALT where REF is not the reference's base).
# One would guess that all that depends on which allele is ALT is exchanged together, or removed. REF, ALT, GT and
# INFO/AC are exchanged; DS, GP, AD (reads of REF and ALT) and INFO/AF stay. GT says 1|1 afterwards and DS 0.02,
# which still counts the former ALT: the two contradict each other at every site that was exchanged, exit code 0.
# It matters because a program that takes DS (association, a meta-analysis, an evaluation) gets the wrong sign there,
# one that takes GT the right one, and INFO/AF agrees with DS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  bcftools=1.16-1 libhts3=1.16+ds-3 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu

printf '>1\nCCCCCCCCCC\n' >reference.fa
{
  printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=10>\n'
  printf '##INFO=<ID=AC,Number=A,Type=Integer,Description="Count">\n'
  printf '##INFO=<ID=AN,Number=1,Type=Integer,Description="Number">\n'
  printf '##INFO=<ID=AF,Number=A,Type=Float,Description="Frequency">\n'
  printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
  printf '##FORMAT=<ID=DS,Number=A,Type=Float,Description="Dosage">\n'
  printf '##FORMAT=<ID=GP,Number=G,Type=Float,Description="Probabilities">\n'
  printf '##FORMAT=<ID=AD,Number=R,Type=Integer,Description="Reads">\n'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
  printf '1\t5\t.\tA\tC\t.\tPASS\tAC=1;AN=4;AF=0.25\tGT:DS:GP:AD\t0|0:0.02:0.98,0.02,0:9,0\t0|1:1:0,1,0:4,3\n'
} >in.vcf
root/usr/bin/bcftools norm -c s -f reference.fa in.vcf 2>>log >out.vcf
seen=$(grep -v '^#' out.vcf | cut -f 4,5,8,10,11 | tr '\t' ' ')
echo "$seen"
expected='C A AC=3;AN=4;AF=0.25 1|1:0.02:0.98,0.02,0:9,0 1|0:1:0,1,0:4,3'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
