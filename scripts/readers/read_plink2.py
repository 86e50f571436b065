"""plink2 and Pgenlib: plink2 makes a .pgen of the file, whose dosages Pgenlib reads.

A .pgen has men's dosages from 0 to 2, also where plink2 knows their sexes (--update-sex), so that they are halved here.
Half calls stop plink2 unless --vcf-half-call says what they are.
needs: Pgenlib==0.95.1
debian: plink2=2.00~a3.5-220809+dfsg-1+b2
reads: imputed.vcf imputed.vcf.gz imputed.bcf imputed.bgen phased.bgen
tolerance: 0.0002
"""
import subprocess
import sys
import tempfile

import numpy
from pgenlib import PgenReader
from table import PAR_END, number, row

path = sys.argv[1]
if path.endswith("bgen"):
    source = ["--bgen", path, "ref-first", "--sample", path[:-4] + "sample"]
else:
    source = ["--bcf" if path.endswith("bcf") else "--vcf", path, "dosage=DS", "--vcf-half-call", "missing"]
with tempfile.TemporaryDirectory() as folder:
    out = folder + "/out"
    subprocess.run(["plink2", *source, "--make-pgen", "--output-chr", "chrM", "--silent", "--out", out],
                   stderr=subprocess.DEVNULL, check=True)
    samples = [line.split()[-2] for line in open(out + ".psam") if not line.startswith("#")]
    records = [line.split("\t")[:5] for line in open(out + ".pvar") if not line.startswith("#")]
    values = numpy.empty(len(samples))
    with PgenReader((out + ".pgen").encode()) as file:
        for i, (contig, position, _, ref, alt) in enumerate(records):
            file.read_dosages(i, values)
            for sample, value in zip(samples, values):
                haploid = sample.startswith("man") and int(position) > PAR_END
                row(contig, position, ref, alt.strip(), sample,
                    DS="." if value < 0 else number(value / 2 if haploid else value))
