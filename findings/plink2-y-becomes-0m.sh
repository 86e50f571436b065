#!/usr/bin/env bash
# plink2 2.00a3.5 (Debian 12, 2.00~a3.5-220809+dfsg-1+b2), --output-chr 0M.
# One would guess that chromosomes of two characters are 01 to 22, 0X, 0Y, XY for the pseudo-autosomal regions, and 0M,
# as the manual has it. Y is written as 0M, so that Y and the mitochondrion have one name, and records of Y seem to be
# mitochondrial; with other input (a .bed with PAR1 and PAR2) it was XY. There is no message.
# With --output-chr 26, PAR1 and PAR2, which are before and after X, are both 25, so that 25 is there twice.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  plink2=2.00~a3.5-220809+dfsg-1+b2 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
libraries=$folder/root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack

{
  printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=X>\n##contig=<ID=Y>\n##contig=<ID=MT>\n'
  printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tman\twoman\n'
  for site in 1:1000 X:1000000 X:5000000 X:155900000 Y:5000000 MT:500; do
    printf '%s\t%s\t.\tA\tC\t.\tPASS\t.\tGT\t1/1\t0/0\n' "${site%:*}" "${site#*:}"
  done
} >in.vcf
printf '#IID\tSEX\nman\t1\nwoman\t2\n' >sex.txt
seen=""
for code in MT 0M 26; do
  root/usr/bin/plink2 --vcf in.vcf --update-sex sex.txt --split-par hg38 --output-chr "$code" --make-bed --out "$code" \
    >>log
  seen+="$code: $(cut -f1 "$code.bim" | tr '\n' ' ')"$'\n'
done
printf '%s' "$seen"
expected='MT: 1 PAR1 X PAR2 Y MT 
0M: 01 PAR1 0X PAR2 0M 0M 
26: 1 25 23 25 24 26 
'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
