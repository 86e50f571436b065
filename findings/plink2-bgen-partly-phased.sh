#!/usr/bin/env bash
# plink2 2.00a3.5 (Debian 12, 2.00~a3.5-220809+dfsg-1+b2), --export bgen-1.2, read by bgen 1.10.3 (PyPI).
# One would guess that an unphased heterozygote stays one, with a probability of 1 for the heterozygous genotype.
# BGEN says for a variant as a whole whether it is phased. If ONE sample of a variant is phased, plink2 writes the
# variant as phased, and an unphased heterozygote of another sample as 0.5 and 0.5 on both haplotypes. Multiplied,
# that is 0.25, 0.5, 0.25: no longer a certain heterozygote. The variant without a phased heterozygote keeps 0, 1, 0.
# It matters for imputation from such a file: the typed heterozygotes of all unphased samples look like missing
# genotypes of frequency 0.5, and an importer with a threshold on certainty drops them.
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
python3 -m pip install -q --target python bgen==1.10.3 2>>log

{
  printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n'
  printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tphased\tunphased\thomozygous\n'
  printf '1\t100\tone_phased\tA\tC\t.\tPASS\t.\tGT\t0|1\t0/1\t1/1\n'
  printf '1\t200\tnone_phased\tA\tC\t.\tPASS\t.\tGT\t0/1\t0/1\t1/1\n'
} >in.vcf
root/usr/bin/plink2 --vcf in.vcf --export bgen-1.2 ref-first bits=16 --out out >>log
seen=$(PYTHONPATH=python python3 - <<'END'
from bgen import BgenReader
for variant in BgenReader("out.bgen"):
    print(variant.rsid, variant.is_phased, [[round(float(p), 2) for p in row] for row in variant.probabilities])
END
)
echo "$seen"
expected='one_phased True [[1.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.5, 0.5], [0.0, 1.0, 0.0, 1.0]]
none_phased False [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
