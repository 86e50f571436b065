#!/usr/bin/env bash
# bcftools 1.16-1 (Debian 12), merge, of imputed batches of samples.
# One would guess that INFO fields it cannot compute are dropped, or all taken from the same file. AC and AN are
# counted anew. A field declared Number=1 is that of the FIRST file, one declared Number=A that of the LAST one: of
# the same estimated r2, DR2 (Number=1) is 0.91 here and R2 (Number=A) 0.97, and AF 0.7 belongs neither to AC/AN nor
# to the batch whose DR2 stands beside it. Exit code 0, no message.
# It matters for post-imputation filters: the quality of one batch decides about all, and which batch that is depends
# on how the imputation program declared the field.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  bcftools=1.16-1 libhts3=1.16+ds-3 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu

batch() { # SAMPLE GENOTYPE INFO
  {
    printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n'
    printf '##INFO=<ID=AF,Number=A,Type=Float,Description="Frequency">\n'
    printf '##INFO=<ID=DR2,Number=1,Type=Float,Description="Estimated r2">\n'
    printf '##INFO=<ID=R2,Number=A,Type=Float,Description="Estimated r2">\n'
    printf '##INFO=<ID=AC,Number=A,Type=Integer,Description="Count">\n'
    printf '##INFO=<ID=AN,Number=1,Type=Integer,Description="Number">\n'
    printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t%s\n' "$1"
    printf '1\t100\t.\tA\tC\t.\tPASS\t%s\tGT\t%s\n' "$3" "$2"
  } | root/usr/bin/bcftools view -Ob -o "$1.bcf"
  root/usr/bin/bcftools index "$1.bcf"
}
batch a '0|0' 'AF=0.1;DR2=0.91;R2=0.91;AC=0;AN=2'
batch b '0|1' 'AF=0.4;DR2=0.94;R2=0.94;AC=1;AN=2'
batch c '1|1' 'AF=0.7;DR2=0.97;R2=0.97;AC=2;AN=2'
seen=$(root/usr/bin/bcftools merge a.bcf b.bcf c.bcf 2>>log | grep -v '^#' | cut -f 8,10- | tr '\t' ' ')
echo "$seen"
expected='DR2=0.91;AF=0.7;R2=0.97;AN=6;AC=3 0|0 0|1 1|1'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
