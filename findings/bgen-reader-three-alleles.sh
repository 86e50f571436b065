#!/usr/bin/env bash
# bgen-reader 4.0.9 (PyPI), allele_expectation, of a BGEN that bgen 1.10.3 wrote.
# One would guess that the expected number of each allele is right for three alleles too, or an error. BGEN orders
# the six genotypes as VCF does: 0/0 0/1 1/1 0/2 1/2 2/2. allele_expectation takes another order, and the numbers are
# wrong without a message. A sample of 0/0 with 0.5 and 0/2 with 0.5, whose alleles are expected 1.5, 0 and 0.5
# times, comes out as 1, 1 and 0; the probabilities themselves are read right.
# It matters because the three numbers still sum to 2 and lie between 0 and 2: nothing tells that a dosage of an
# imputed multi-allelic site is that of another allele.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip install -q --target python bgen==1.10.3 bgen-reader==4.0.9 2>log

cat >run.py <<'END'
import numpy
from bgen import BgenWriter
from bgen_reader import allele_expectation, create_metafile, read_bgen

with BgenWriter("in.bgen", n_samples=2, samples=["a", "b"]) as out:
    #                         0/0  0/1  1/1  0/2  1/2  2/2
    out.add_variant("v", "rs1", "1", 100, ["A", "C", "G"],
                    numpy.array([[0.5, 0.0, 0.0, 0.5, 0.0, 0.0],
                                 [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]]), bit_depth=16)
create_metafile("in.bgen", "in.metafile", verbose=False)
file = read_bgen("in.bgen", metafile_filepath="in.metafile", verbose=False)
print("probabilities", file["genotype"][0].compute()["probs"].round(2).tolist())
print("expected numbers of A, C, G", allele_expectation(file, 0).round(2).tolist())
END
seen=$(PYTHONPATH=python python3 run.py)
echo "$seen"
expected='probabilities [[0.5, 0.0, 0.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]]
expected numbers of A, C, G [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
