"""cyvcf2.

needs: cyvcf2==0.35.0
writes: vcf.gz
"""
import sys

import cyvcf2

source = cyvcf2.VCF(sys.argv[1])
out = cyvcf2.Writer(sys.argv[2], source, mode="wz")
for record in source:
    out.write_record(record)
out.close()
