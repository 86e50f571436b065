#!/usr/bin/env bash
# bed-reader 1.1.0, pandas-plink 2.3.2 and pysnptools 0.5.15 (PyPI), which read the same PLINK 1 .bed.
# One would guess that three libraries for one format agree on what the value 2 means. In bed-reader 2 is two copies
# of A1 (the first allele of the .bim), in pandas-plink and pysnptools it is two copies of A2. The arrays do not
# tell which it is.
# It matters where genotypes of one library are regressed on, imputed by, or compared with those of another: every
# effect has the other sign, and frequencies are 1 minus what they should be.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip install -q --target python bed-reader==1.1.0 pandas-plink==2.3.2 pysnptools==0.5.15 six==1.17.0 2>log

# One variant with A1=C, A2=A and three people: two copies of A1 (00), heterozygous (10), two copies of A2 (11).
printf '1\trs1\t0\t100\tC\tA\n' >in.bim
printf 'f %s 0 0 0 -9\n' a b c >in.fam
printf '\x6c\x1b\x01\x38' >in.bed
cat >run.py <<'END'
import warnings
warnings.simplefilter("ignore")
from bed_reader import open_bed
from pandas_plink import read_plink
from pysnptools.snpreader import Bed
print("bed-reader  ", open_bed("in.bed").read()[:, 0].tolist())
print("pandas-plink", read_plink("in", verbose=False)[2].compute()[0].tolist())
print("pysnptools  ", Bed("in.bed", count_A1=False).read().val[:, 0].tolist())
END
seen=$(PYTHONPATH=python python3 run.py)
echo "$seen"
expected='bed-reader   [2.0, 1.0, 0.0]
pandas-plink [0.0, 1.0, 2.0]
pysnptools   [0.0, 1.0, 2.0]'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
