#!/usr/bin/env bash
# bcftools 1.16-1, norm -m-, then plink2 2.00~a3.5-220809+dfsg-1+b2, --vcf dosage=HDS (both Debian 12).
# One would guess that haplotype dosages (HDS, as Minimac and others write them) survive the split of a record with
# two ALT alleles, or that one of the two programs says that they do not. HDS is declared Number=. and bcftools
# copies all four values to both records: only DS, declared Number=A, is divided. plink2 takes the first two of the
# four without a message, so that both records get the dosage of the first ALT allele: 0.9 and 0.9, where dosage=DS
# gives 0.9 and 0.2.
# It matters because norm -m- is the usual step before plink2, and dosage=HDS is the form that keeps the phase: each
# second ALT allele gets the first one's dosage and is tested a second time.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  bcftools=1.16-1 libhts3=1.16+ds-3 plink2=2.00~a3.5-220809+dfsg-1+b2 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
libraries=$folder/root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack

{
  printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n'
  printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
  printf '##FORMAT=<ID=DS,Number=A,Type=Float,Description="Dosage of each ALT allele">\n'
  printf '##FORMAT=<ID=HDS,Number=.,Type=Float,Description="Dosages of the haplotypes, for each ALT allele">\n'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n'
  printf '1\t100\t.\tA\tC,G\t.\tPASS\t.\tGT:DS:HDS\t0|1:0.9,0.2:0.1,0.8,0.1,0.1\n'
} >in.vcf
root/usr/bin/bcftools norm -m- in.vcf >split.vcf 2>>log
seen=$(grep -v '^#' split.vcf | cut -f 5,10 | tr '\t' ' '
  for field in DS HDS; do
    root/usr/bin/plink2 --vcf split.vcf dosage=$field --freq cols=alt,altfreq --bad-freqs --out $field >>log 2>&1
    # One sample: its dosage is twice the frequency.
    awk -v field=$field 'NR > 1 { print field, $2, 2 * $3 }' $field.afreq
  done)
echo "$seen"
expected='C 0|1:0.9:0.1,0.8,0.1,0.1
G 0|0:0.2:0.1,0.8,0.1,0.1
DS C 0.900024
DS G 0.200012
HDS C 0.900024
HDS G 0.900024'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
