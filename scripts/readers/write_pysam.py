"""pysam, with the newest HTSlib, whose BCF tells the phase of the first allele.

needs: pysam==0.24.1
writes: bcf
"""
import sys

import pysam

with pysam.VariantFile(sys.argv[1]) as source, pysam.VariantFile(sys.argv[2], "wb", header=source.header) as out:
    for record in source:
        out.write(record)
