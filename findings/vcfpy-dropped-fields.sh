#!/usr/bin/env bash
# vcfpy 0.14.2 (PyPI), reading a VCF and writing what it read.
# One would guess that a file which the library reads without a message can be written again. VCF lets a sample leave
# out missing fields at the end (0/1 for GT:DS:GP). vcfpy reads this, but the writer raises a ValueError at such a
# record. And is_phased of a missing call "." (a man's, on chromosome X) raises a TypeError, where gt_type of the
# same call is None.
# It matters for imputed files: sites that were copied without dosages, and haploid missing calls, end a conversion
# in the middle of the output.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip install -q --target python vcfpy==0.14.2 2>log

{
  printf '##fileformat=VCFv4.2\n##contig=<ID=X,length=1000>\n'
  printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
  printf '##FORMAT=<ID=DS,Number=A,Type=Float,Description="Dosage">\n'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\twoman\tman\n'
  printf 'X\t100\t.\tA\tC\t.\tPASS\t.\tGT:DS\t0|1\t.\n'
} >in.vcf
cat >run.py <<'END'
import vcfpy
reader = vcfpy.Reader.from_path("in.vcf")
record = next(reader)
woman, man = record.calls
print("read:", woman.data.get("GT"), woman.data.get("DS"), man.gt_type)
try:
    print("is_phased:", man.is_phased)
except TypeError:
    print("is_phased: TypeError")
try:
    with vcfpy.Writer.from_path("out.vcf", reader.header) as writer:
        writer.write_record(record)
    print("written")
except ValueError as error:
    print("write: ValueError")
END
seen=$(PYTHONPATH=python python3 run.py)
echo "$seen"
expected='read: 0|1 None None
is_phased: TypeError
write: ValueError'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
