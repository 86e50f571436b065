#!/usr/bin/env bash
# Beagle 5.4 (22Jul22; beagle 220722-1 of Debian 12) and bcftools 1.16 (1.16-1 with libhts3 1.16+ds-3), a panel with a
# deletion <DEL> and its END.
# One would guess that the imputed deletion is where it was. Beagle writes INFO/END, but does not declare it in the
# header, so that HTSlib takes it for a text and the record for one base: a region inside of the deletion finds it in the
# panel, and not in the imputed file. As BCF the file cannot be written, and bcftools merge refuses it.
# It matters where structural variants are imputed and then looked up by gene.
set -euo pipefail
command -v java >/dev/null || { echo 'needs java: apt-get install default-jre-headless'; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  beagle=220722-1 bcftools=1.16-1 libhts3=1.16+ds-3 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname "$(find root -name 'libhts.so.3')")
bcftools() { root/usr/bin/bcftools "$@"; }

cat >make.py <<'END'
import random
draw = random.Random(1)
founders = [[draw.randrange(2) for _ in range(12)] for _ in range(4)]
people = [(draw.choice(founders), draw.choice(founders)) for _ in range(20)]
def write(path, people, markers):
    with open(path, "w") as out:
        print("##fileformat=VCFv4.2", "##contig=<ID=1,length=1000000>", '##ALT=<ID=DEL,Description="Deletion">',
              '##INFO=<ID=END,Number=1,Type=Integer,Description="Last base">',
              '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
              "\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() +
                        [f"{path[0]}{p}" for p in range(len(people))]), sep="\n", file=out)
        for k in markers:
            alt, info = ("<DEL>", f"END={1000 * k + 1500}") if k == 5 else ("C", ".")
            print(1, 1000 * (k + 1), ".", "A", alt, ".", "PASS", info, "GT", *[f"{a[k]}|{b[k]}" for a, b in people],
                  sep="\t", file=out)
write("panel.vcf", people, range(12))
write("study.vcf", people[:2], [k for k in range(12) if k != 5])
END
python3 make.py
java -jar root/usr/share/beagle/beagle.jar ref=panel.vcf gt=study.vcf out=imputed nthreads=1 >>log
bcftools view -Oz -o panel.vcf.gz panel.vcf
for file in panel imputed; do bcftools index -t $file.vcf.gz; done
found() { bcftools view -H -r 1:6200-6300 "$1" 2>>log | wc -l; }
seen="the imputed END: $(bcftools view -H imputed.vcf.gz 2>>log | grep -o 'END=[0-9]*')
declared: $(bcftools view -h imputed.vcf.gz 2>>log | grep -c 'ID=END' || true)
1:6200-6300 in the panel: $(found panel.vcf.gz)
1:6200-6300 in the imputed file: $(found imputed.vcf.gz)
as BCF: $(bcftools view -Ob -o imputed.bcf imputed.vcf.gz 2>>log && echo yes || echo no)"
echo "$seen"
expected='the imputed END: END=6500
declared: 0
1:6200-6300 in the panel: 1
1:6200-6300 in the imputed file: 0
as BCF: no'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
