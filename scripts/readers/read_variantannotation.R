# VariantAnnotation (Bioconductor). A field of Number=2 of which a haploid call has one value comes with a 0 as the second.
#
# debian: r-bioc-variantannotation=1.44.1-1
# reads: imputed.vcf imputed.vcf.gz
suppressPackageStartupMessages(library(VariantAnnotation))

text <- function(values) {
  values <- unlist(values)
  shown <- ifelse(is.na(values), ".", format(values, digits = 6, trim = TRUE, scientific = FALSE, drop0trailing = TRUE))
  while (length(shown) > 0 && shown[length(shown)] == ".") shown <- shown[-length(shown)]
  if (length(shown) == 0) "." else paste(vapply(shown, trimws, ""), collapse = ",")
}
vcf <- readVcf(commandArgs(trailingOnly = TRUE)[1])
calls <- geno(vcf)
names <- colnames(vcf)
contigs <- as.character(seqnames(vcf))
positions <- start(vcf)
refs <- as.character(ref(vcf))
alts <- vapply(as.list(alt(vcf)), function(alleles) paste(as.character(alleles), collapse = ","), "")
quality <- info(vcf)$DR2

# A field with one value for each call is a matrix, one of several values a matrix of lists or an array.
field <- function(values, record, person) {
  if (is.null(values)) return(".")
  text(if (length(dim(values)) == 3) values[record, person, ] else values[record, person])
}

for (i in seq_along(positions)) {
  for (person in seq_along(names)) {
    gt <- calls$GT[i, person]
    alleles <- strsplit(gt, "[|/]")[[1]]
    phase <- if (length(alleles) < 2) "?" else if (grepl("|", gt, fixed = TRUE)) "|" else "/"
    cat(contigs[i], positions[i], refs[i], alts[i], names[person], paste(alleles, collapse = ","), phase,
        field(calls$DS, i, person), field(calls$GP, i, person), field(calls$HDS, i, person),
        field(calls$LDS, i, person), text(quality[i]), sep = "\t")
    cat("\n")
  }
}
