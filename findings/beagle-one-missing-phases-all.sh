#!/usr/bin/env bash
# Beagle 5.4 (22Jul22; beagle 220722-1 of Debian 12), a phased study with a reference panel.
# One would guess, as its manual page says, that the phase of a genotype written with | is preserved. It is, if every
# genotype of every sample is phased and called. One missing genotype of one sample, and all samples are phased anew:
# of four people whose given phase turns in the middle, all have another one in the output.
# It matters where phase comes from families, long reads or a first run: it is gone without a message.
set -euo pipefail
command -v java >/dev/null || { echo 'needs java: apt-get install default-jre-headless'; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  beagle=220722-1 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done

cat >make.py <<'END'
import random
draw = random.Random(1)
founders = [[draw.randrange(2) for _ in range(300)] for _ in range(6)]
def write(path, people, missing):
    with open(path, "w") as out:
        print("##fileformat=VCFv4.2", "##contig=<ID=1,length=10000000>",
              '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
              "\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() +
                        [f"{path[0]}{p}" for p in range(len(people))]), sep="\n", file=out)
        for k in range(300):
            calls = [f"{a[k]}|{b[k]}" for a, b in people]
            if missing and k == 9:
                calls[3] = ".|."
            print(1, 10000 * (k + 1), ".", "A", "C", ".", "PASS", ".", "GT", *calls, sep="\t", file=out)
turned = lambda a, b: (a[:150] + b[150:], b[:150] + a[150:])
write("panel.vcf", [(draw.choice(founders), draw.choice(founders)) for _ in range(40)], False)
people = [turned(founders[p], founders[p + 1]) for p in range(4)]
write("complete.vcf", people, False)
write("missing.vcf", people, True)
END
cat >compare.py <<'END'
import gzip, sys
def read(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    return {line.split("\t")[1]: [call[:3] for call in line.rstrip().split("\t")[9:]]
            for line in opened if line[0] != "#"}
given, found = read(sys.argv[1]), read(sys.argv[2])
for p in range(4):
    same = [given[k][p] == found[k][p] for k in given if given[k][p] in ("0|1", "1|0")]
    print(f"person {p}:", "the given phase" if all(same) or not any(same) else "another phase")
END
python3 make.py
seen=$(for study in complete missing; do
  java -jar root/usr/share/beagle/beagle.jar ref=panel.vcf gt=$study.vcf out=$study nthreads=1 >>log
  echo "$study"
  python3 compare.py complete.vcf $study.vcf.gz
done)
echo "$seen"
expected='complete
person 0: the given phase
person 1: the given phase
person 2: the given phase
person 3: the given phase
missing
person 0: another phase
person 1: another phase
person 2: another phase
person 3: another phase'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
