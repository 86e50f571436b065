#!/usr/bin/env bash
# bcftools 1.16-1 and samtools 1.16.1-1 (Debian 12), bcftools mpileup | bcftools call.
# One would guess that bases without qualities (QUAL is *) count as uncertain, or are left out. They count as the best
# that there are, 93: two reads tell more without qualities (PL 0,6,110) than with quality 40 (0,6,73). Likewise, a
# mapping quality of 255, which SAM defines as not available, passes every limit of -q.
# It matters where qualities were dropped to save space, as archives and some long-read pipelines do: errors become
# certain genotypes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  bcftools=1.16-1 samtools=1.16.1-1 libhts3=1.16+ds-3 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu

python3 -c '
import random
random.seed(1)
print(">1", "".join(random.choice("ACGT") for _ in range(200)), sep="\n")' >ref.fa
bases=$(sed -n 2p ref.fa | cut -c 51-100)
reads() { # QUALITIES MAPPING-QUALITY
  printf '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:1\tLN:200\n@RG\tID:a\tSM:a\n'
  for read in r1 r2; do printf '%s\t0\t1\t51\t%s\t50M\t*\t0\t0\t%s\t%s\tRG:Z:a\n' $read "$2" "$bases" "$1"; done
}
site=$(sed -n 2p ref.fa | cut -c 75)
other=$([[ $site == A ]] && echo C || echo A)
printf '1\t75\t%s,%s\n' "$site" "$other" >sites.tsv
seen=$(for qualities in "$(printf 'I%.0s' {1..50})" '*'; do
  for mapping in 60 255; do
    reads "$qualities" $mapping | root/usr/bin/samtools view -b -o in.bam -
    root/usr/bin/samtools index in.bam
    root/usr/bin/bcftools mpileup -B -q 30 -f ref.fa -a AD -T sites.tsv in.bam 2>>log |
      root/usr/bin/bcftools call -m -A -C alleles -T sites.tsv 2>>log |
      root/usr/bin/bcftools query -f "QUAL ${qualities:0:1} MAPQ $mapping: AD [%AD] PL [%PL]\n"
  done
done)
echo "$seen"
expected='QUAL I MAPQ 60: AD 2,0 PL 0,6,73
QUAL I MAPQ 255: AD 2,0 PL 0,6,36
QUAL * MAPQ 60: AD 2,0 PL 0,6,110
QUAL * MAPQ 255: AD 2,0 PL 0,6,36'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
