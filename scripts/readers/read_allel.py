"""scikit-allel. It takes the first value only of a field whose Number is '.', unless `numbers` says how many there are.

A missing allele and one that is not there are both -1, so that the alleles of men and of half-missing calls are not
compared.
needs: scikit-allel==1.3.13 zarr<3
reads: imputed.vcf imputed.vcf.gz
"""
import sys

import allel
from table import allele_list, numbers, row

data = allel.read_vcf(sys.argv[1], fields=["samples", "variants/*", "calldata/*"], alt_number=2,
                      numbers={"GT": 2, "DS": 2, "GP": 6, "HDS": 2, "LDS": 2, "DR2": 1})


def field(name, record, person):
    values = data.get("calldata/" + name)
    return "." if values is None else numbers(values[record, person])


for i, position in enumerate(data["variants/POS"]):
    for person, sample in enumerate(data["samples"]):
        call = data["calldata/GT"][i, person]
        row(data["variants/CHROM"][i], position, data["variants/REF"][i],
            ",".join(alt for alt in data["variants/ALT"][i] if alt) or ".", sample,
            allele_list(call) if call[1] >= 0 else "?", "?",
            *(field(name, i, person) for name in ("DS", "GP", "HDS", "LDS")), numbers(data["variants/DR2"][i]))
