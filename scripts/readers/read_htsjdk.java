// htsjdk (GATK, Picard), which reads no BCF of HTSlib.
//
// needs: com.github.samtools:htsjdk:4.3.0
// reads: imputed.vcf imputed.vcf.gz
import htsjdk.variant.variantcontext.Allele;
import htsjdk.variant.variantcontext.Genotype;
import htsjdk.variant.variantcontext.VariantContext;
import htsjdk.variant.vcf.VCFFileReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class Reader {
  static String field(Genotype call, String name) {
    Object value = call.getExtendedAttribute(name);
    if (value == null) return ".";
    return value instanceof List<?> list ? String.join(",", list.stream().map(Object::toString).toList())
                                         : value.toString();
  }

  public static void main(String[] arguments) {
    try (VCFFileReader reader = new VCFFileReader(Path.of(arguments[0]), false)) {
      for (VariantContext record : reader) {
        List<String> alts = record.getAlternateAlleles().stream().map(Allele::getDisplayString).toList();
        for (Genotype call : record.getGenotypes()) {
          List<String> alleles = new ArrayList<>();
          for (Allele allele : call.getAlleles())
            alleles.add(allele.isNoCall() ? "." : String.valueOf(record.getAlleleIndex(allele)));
          System.out.println(String.join("\t", record.getContig(), String.valueOf(record.getStart()),
              record.getReference().getDisplayString(), alts.isEmpty() ? "." : String.join(",", alts),
              call.getSampleName(), String.join(",", alleles),
              alleles.size() < 2 ? "?" : call.isPhased() ? "|" : "/", field(call, "DS"), field(call, "GP"),
              field(call, "HDS"), field(call, "LDS"), record.getAttributeAsString("DR2", ".")));
        }
      }
    }
  }
}
