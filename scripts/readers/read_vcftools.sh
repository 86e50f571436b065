#!/usr/bin/env bash
# vcftools: the files that it writes anew (--recode). It reads VCF to version 4.2. It writes `.|.` as
# `.` and `1|.` as `1`, which are calls of men, and of a BCF `-1|-1` and `1|-1`.
#
# debian: vcftools=0.1.16-3+b1
# reads: imputed.vcf imputed.vcf.gz imputed.bcf
# changes: missing
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $1 in *.gz) option=--gzvcf ;; *.bcf) option=--bcf ;; *) option=--vcf ;; esac
vcftools "$option" "$1" --recode --recode-INFO-all --out "$folder/out" 2>/dev/null
python3 "$(dirname "$0")/meant.py" "$folder/out.recode.vcf"
