#!/usr/bin/env bash
# bcftools 1.16-1 (Debian 12), convert --gensample2vcf.
# One would guess that probabilities that say nothing become a missing genotype. The genotype is that of the largest
# probability, however small the lead: 0.33 0.33 0.34 is 1/1, 0.5 0.5 0 is 0/0, and 0 0 0, which is the missing
# genotype of .gen, is 0/0 too. GP is written as it was.
# It matters where imputed .gen files go through VCF: missing genotypes have become homozygous REF, with a GT that
# most programs prefer to GP.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  bcftools=1.16-1 libhts3=1.16+ds-3 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu

printf '1:100_A_C rs1 100 A C 0.33 0.33 0.34 0.5 0.5 0 0 0 0 0 1 0\n' >in.gen
printf 'ID_1 ID_2 missing\n0 0 0\na a 0\nb b 0\nc c 0\nd d 0\n' >in.samples
seen=$(root/usr/bin/bcftools convert --gensample2vcf in.gen,in.samples 2>>log | grep -v '^#' | cut -f 9- | tr '\t' ' ')
echo "$seen"
expected='GT:GP 1/1:0.33,0.33,0.34 0/0:0.5,0.5,0 0/0:0,0,0 0/1:0,1,0'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
