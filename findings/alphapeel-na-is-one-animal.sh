#!/usr/bin/env bash
# AlphaPeel 1.4.0 (PyPI), unknown parents of a pedigree.
# One would guess that the words of other programs for an unknown parent are understood, or refused: NA is what R writes.
# Only 0 is unknown. Any other word is the name of an animal, which has no line of its own: it becomes a founder, sire and
# dam of all who have that word, there is no message, and all its offspring are half or full sibs. Two calves without a
# known sire, one homozygous for each allele: the second one's missing genotypes are no longer told by its dam alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip install -q --target python AlphaPeel==1.4.0 2>log

cat >genotypes.txt <<'END'
dam1 1 1 1 1
dam2 1 1 1 1
calf1 2 2 2 2
calf2 0 9 0 9
END
for unknown in 0 NA; do
  printf '%s\n' "dam1 $unknown $unknown" "dam2 $unknown $unknown" "calf1 $unknown dam1" "calf2 $unknown dam2" >$unknown.ped
  PYTHONPATH=python python3 python/bin/AlphaPeel -ped_file $unknown.ped -geno_file genotypes.txt -method multi \
    -out_file $unknown >$unknown.log
done
seen=$(for unknown in 0 NA; do
  echo "unknown parents written $unknown: animals $(cut -d ' ' -f 1 $unknown.dosage.txt | sort | tr '\n' ' ')"
  awk '$1 == "calf2" { printf "calf2 %.1f %.1f %.1f %.1f\n", $2, $3, $4, $5 }' $unknown.dosage.txt
done)
echo "$seen"
grep -qi 'warn\|unknown' NA.log && { echo "there is a message now"; exit 1; }
