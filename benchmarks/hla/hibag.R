# HLA types by HIBAG, trained on the panel's people at the SNPs of the study.
# usage: Rscript hibag.R FOLDER CLASSIFIERS: reads study.vcf, panel.vcf and types.tsv of FOLDER (made by `compare`), and
#        writes hibag-CLASSIFIERS.calls.tsv (person, gene, two alleles, probability),
#        hibag-CLASSIFIERS.dosages.tsv (person, gene, allele, dosage) and hibag-CLASSIFIERS.seconds.tsv (gene, CPU
#        seconds of training, of prediction)
# The classifiers are trained 5 at a time, each time with another seed, and kept in FOLDER/hibag-models, so that a run
# with more classifiers has those of a run with fewer, and one that was stopped goes on.
suppressMessages(library(HIBAG))
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
classifiers <- as.integer(arguments[2])
assembly <- "hg18"
batch_size <- 5

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

cpu_seconds <- function() sum(proc.time()[c("user.self", "sys.self")])

# The classifiers of one batch as an object of R, with the CPU seconds that their training took.
train <- function(alleles, training, gene, batch, size) {
  path <- file.path(folder, "hibag-models", sprintf("%s-%d-%d.rds", gene, batch, size))
  if (!file.exists(path)) {
    set.seed(batch)
    start <- cpu_seconds()
    model <- hlaAttrBagging(alleles, training, nclassifier = size, verbose = FALSE)
    saveRDS(list(object = hlaModelToObj(model), seconds = cpu_seconds() - start), paste0(path, ".part"))
    file.rename(paste0(path, ".part"), path)
    hlaClose(model)
  }
  readRDS(path)
}

study <- read_snps("study.vcf")
panel <- read_snps("panel.vcf", study$snp.id)
types <- read.table(file.path(folder, "types.tsv"), sep = "\t", colClasses = "character",
                    col.names = c("sample", "gene", "allele1", "allele2"))
dir.create(file.path(folder, "hibag-models"), showWarnings = FALSE)
sizes <- diff(unique(c(seq(0, classifiers, batch_size), classifiers)))
calls <- dosages <- seconds <- NULL
for (gene in unique(types$gene)) {
  typed <- types[types$gene == gene, ]
  alleles <- hlaAllele(typed$sample, H1 = typed$allele1, H2 = typed$allele2, locus = gene, assembly = assembly)
  near <- hlaFlankingSNP(panel$snp.id, panel$snp.position, gene, 500 * 1000, assembly = assembly)
  training <- hlaGenoSubset(panel, samp.sel = match(typed$sample, panel$sample.id),
                            snp.sel = match(near, panel$snp.id))
  batches <- lapply(seq_along(sizes), function(k) train(alleles, training, gene, k, sizes[k]))
  model <- hlaModelFromObj(Reduce(hlaCombineModelObj, lapply(batches, function(batch) batch$object)))
  start <- cpu_seconds()
  # Both are of one strand. Otherwise HIBAG turns round the SNPs of A and T, or C and G, whose rarer allele is another
  # one in the study than in the panel, as may be by chance where both are about as frequent.
  found <- hlaPredict(model, study, type = "response+dosage", match.type = "RefSNP", same.strand = TRUE,
                      verbose = FALSE)
  seconds <- rbind(seconds, data.frame(gene, sum(sapply(batches, function(batch) batch$seconds)),
                                       cpu_seconds() - start))
  calls <- rbind(calls, data.frame(found$value$sample.id, gene, found$value$allele1, found$value$allele2,
                                   found$value$prob))
  for (name in rownames(found$dosage)) {
    dosages <- rbind(dosages, data.frame(found$value$sample.id, gene, name, found$dosage[name, ]))
  }
  hlaClose(model)
}
write_rows <- function(rows, name) {
  write.table(rows, file.path(folder, sprintf("hibag-%d.%s.tsv", classifiers, name)), sep = "\t", quote = FALSE,
              row.names = FALSE, col.names = FALSE)
}
write_rows(seconds, "seconds")
write_rows(dosages, "dosages")
write_rows(calls, "calls")
