#!/usr/bin/env bash
# bcftools 1.16-1 (Debian 12), concat --ligate, of imputed chunks with haplotype dosages (HDS, or AP1 and AP2 of
# Beagle).
# One would guess that where the phase of a chunk is exchanged to fit the chunk before it, all that belongs to a
# haplotype is exchanged. GT alone is: from the middle of the overlap on, GT 0|1 stands beside HDS 0.9,0.1, AP1 0.9
# and AP2 0.1. No message, and one phase set (PS) for all.
# It matters to every program that takes the phase of imputed alleles from HDS or AP1 and AP2 (Minimac's
# meta-imputation, haplotype tests, merging of batches): in half of the samples the haplotypes change at a border of
# chunks.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  bcftools=1.16-1 libhts3=1.16+ds-3 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu

header() {
  printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n'
  printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
  printf '##FORMAT=<ID=HDS,Number=.,Type=Float,Description="Haplotype dosages">\n'
  printf '##FORMAT=<ID=AP1,Number=A,Type=Float,Description="First haplotype">\n'
  printf '##FORMAT=<ID=AP2,Number=A,Type=Float,Description="Second haplotype">\n'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n'
}
first='0|1:0.1,0.9:0.1:0.9' second='1|0:0.9,0.1:0.9:0.1'
record() { printf '1\t%d\t.\tA\tC\t.\tPASS\t.\tGT:HDS:AP1:AP2\t%s\n' "$1" "$2"; }
# The chunks overlap at 300 and 400, where the second has the haplotypes in the other order.
{ header; for position in 100 200 300 400; do record $position "$first"; done; } >a.vcf
{ header; for position in 300 400 500 600; do record $position "$second"; done; } >b.vcf
for chunk in a b; do
  root/usr/bin/bcftools view -Ob -o $chunk.bcf $chunk.vcf
  root/usr/bin/bcftools index $chunk.bcf
done
root/usr/bin/bcftools concat --ligate a.bcf b.bcf 2>>log >out.vcf
seen=$(grep -v '^#' out.vcf | cut -f 2,9,10 | tr '\t' ' ')
echo "$seen"
expected='100 GT:HDS:AP1:AP2:PS 0|1:0.1,0.9:0.1:0.9:100
200 GT:HDS:AP1:AP2:PS 0|1:0.1,0.9:0.1:0.9:100
300 GT:HDS:AP1:AP2:PS 0|1:0.1,0.9:0.1:0.9:100
400 GT:HDS:AP1:AP2:PQ:PS 0|1:0.9,0.1:0.9:0.1:99:100
500 GT:HDS:AP1:AP2:PS 0|1:0.9,0.1:0.9:0.1:100
600 GT:HDS:AP1:AP2:PS 0|1:0.9,0.1:0.9:0.1:100'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
