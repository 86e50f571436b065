#!/usr/bin/env bash
# bio2zarr 0.2.1 and vcztools 0.2.0 (PyPI): BCF to VCF Zarr and back, and a filter on imputation quality.
# One would guess that vcztools view, "a drop-in replacement for bcftools view", gives back the numbers of the VCF,
# and that -i 'DR2>=0.7' keeps DR2=0.7. All floats are written with three decimals: DS 0.9996 becomes 1, 0.0004
# becomes 0, and AF 0.0001 becomes 0. DR2=0.7 is not kept, which bcftools keeps (the 32-bit 0.7 is a little less
# than the 64-bit one).
# It matters because a tenth of a thousandth is what the frequency of a rare allele is, and 0.3, 0.7, 0.8 and 0.9 are
# the usual limits of imputation quality, at which rounded DR2 often lies.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  bcftools=1.16-1 libhts3=1.16+ds-3 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
python3 -m pip install -q --target python bio2zarr==0.2.1 vcztools==0.2.0 cyvcf2==0.35.0 2>>log
export PYTHONPATH=python

{
  printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n'
  printf '##INFO=<ID=AF,Number=A,Type=Float,Description="Frequency">\n'
  printf '##INFO=<ID=DR2,Number=1,Type=Float,Description="Estimated r2">\n'
  printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
  printf '##FORMAT=<ID=DS,Number=A,Type=Float,Description="Dosage">\n'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n'
  printf '1\t100\t.\tA\tC\t.\tPASS\tAF=0.0001;DR2=0.7\tGT:DS\t0|0:0.0004\t0|1:0.9996\n'
  printf '1\t200\t.\tA\tC\t.\tPASS\tAF=0.5;DR2=0.71\tGT:DS\t0|0:0.25\t0|1:1\n'
} >in.vcf
bcftools() { LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu root/usr/bin/bcftools "$@"; }
bcftools view -Ob -o in.bcf in.vcf
bcftools index in.bcf
python3 -m bio2zarr vcf2zarr convert -Q in.bcf out.vcz 2>>log
view() { python3 -m vcztools view "$@" out.vcz 2>>log | grep -v '^#' | cut -f 2,8- | tr '\t' ' '; }
seen=$(view; echo 'DR2>=0.7:'; view -i 'DR2>=0.7' | cut -d ' ' -f 1)
echo "$seen"
expected='100 AF=0;DR2=0.7 GT:DS 0|0:0 0|1:1
200 AF=0.5;DR2=0.71 GT:DS 0|0:0.25 0|1:1
DR2>=0.7:
200'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
