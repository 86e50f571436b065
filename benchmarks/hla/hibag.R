# HLA types by HIBAG, trained on the panel's people at the SNPs of the study.
# usage: Rscript hibag.R FOLDER CLASSIFIERS: reads study.vcf, panel.vcf and types.tsv of FOLDER (made by `compare`), and
#        writes hibag.calls.tsv (person, gene, two alleles, probability) and hibag.dosages.tsv (person, gene, allele,
#        dosage)
suppressMessages(library(HIBAG))
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
classifiers <- as.integer(arguments[2])
assembly <- "hg18"

read_snps <- function(name, ids = NULL) {
  lines <- readLines(file.path(folder, name))
  columns <- strsplit(sub("^#", "", grep("^#CHROM", lines, value = TRUE)), "\t")[[1]]
  vcf <- read.table(text = lines[!startsWith(lines, "#")], sep = "\t", colClasses = "character", col.names = columns,
                    check.names = FALSE)
  if (!is.null(ids)) vcf <- vcf[vcf$ID %in% ids, ]
  samples <- columns[-(1:9)]
  copies_of_ref <- c("0/0" = 2L, "0/1" = 1L, "1/1" = 0L)
  genotypes <- matrix(copies_of_ref[as.matrix(vcf[, samples])], nrow = nrow(vcf))
  hlaMakeSNPGeno(genotypes, samples, vcf$ID, as.integer(vcf$POS), vcf$REF, vcf$ALT, assembly = assembly)
}

set.seed(1)
study <- read_snps("study.vcf")
panel <- read_snps("panel.vcf", study$snp.id)
types <- read.table(file.path(folder, "types.tsv"), sep = "\t", colClasses = "character",
                    col.names = c("sample", "gene", "allele1", "allele2"))
calls <- dosages <- NULL
for (gene in unique(types$gene)) {
  typed <- types[types$gene == gene, ]
  alleles <- hlaAllele(typed$sample, H1 = typed$allele1, H2 = typed$allele2, locus = gene, assembly = assembly)
  near <- hlaFlankingSNP(panel$snp.id, panel$snp.position, gene, 500 * 1000, assembly = assembly)
  training <- hlaGenoSubset(panel, samp.sel = match(typed$sample, panel$sample.id),
                            snp.sel = match(near, panel$snp.id))
  model <- hlaAttrBagging(alleles, training, nclassifier = classifiers, verbose = FALSE)
  found <- hlaPredict(model, study, type = "response+dosage", match.type = "RefSNP", verbose = FALSE)
  calls <- rbind(calls, data.frame(found$value$sample.id, gene, found$value$allele1, found$value$allele2,
                                   found$value$prob))
  for (name in rownames(found$dosage)) {
    dosages <- rbind(dosages, data.frame(found$value$sample.id, gene, name, found$dosage[name, ]))
  }
  hlaClose(model)
}
write_rows <- function(rows, name) {
  write.table(rows, file.path(folder, name), sep = "\t", quote = FALSE, row.names = FALSE, col.names = FALSE)
}
write_rows(dosages, "hibag.dosages.tsv")
write_rows(calls, "hibag.calls.tsv")
