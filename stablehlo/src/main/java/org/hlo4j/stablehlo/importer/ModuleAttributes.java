package org.hlo4j.stablehlo.importer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Operation;

/** What a StableHLO module says beside its functions: devices, aliases and donors. */
final class ModuleAttributes {
  private ModuleAttributes() {}

  static HloModule annotated(HloModule module, Operation source, Operation entry, Meshes meshes) {
    Map<String, String> text = new LinkedHashMap<>();
    Fields fields = new Fields(source.attributes().entries());
    count(fields, "mhlo.num_replicas", "replica_count", text);
    count(fields, "mhlo.num_partitions", "num_partitions", text);
    List<String> aliases = new ArrayList<>();
    List<String> donors = new ArrayList<>();
    int results =
        module.entry().programShape().result() instanceof org.hlo4j.hlo.Shape.Tuple tuple
            ? tuple.elements().size()
            : 1;
    boolean tupled = module.entry().programShape().result() instanceof org.hlo4j.hlo.Shape.Tuple;
    for (int i = 0; i < module.entry().parameters().size(); i++) {
      Attributes argument = FunctionImport.attributes(entry, "arg_attrs", i);
      if (argument.get("tf.aliasing_output") instanceof Attribute.Int output
          && output.value().bitLength() < 31
          && output.value().intValue() < results) {
        String index = tupled ? Integer.toString(output.value().intValue()) : "";
        aliases.add("{" + index + "}: (" + i + ", {}, may-alias)");
      } else if (argument.has("jax.buffer_donor")) {
        donors.add("(" + i + ", {})");
      }
    }
    if (!aliases.isEmpty()) {
      text.put("input_output_alias", "{ " + String.join(", ", aliases) + " }");
    }
    if (!donors.isEmpty()) {
      text.put("buffer_donor", "{ " + String.join(", ", donors) + " }");
    }
    Map<String, String> frontend = Annotations.frontend(source.attributes());
    if (!meshes.text().isEmpty()) {
      frontend.put("xla.sdy.meshes", "{" + meshes.text() + "}");
    }
    if (!frontend.isEmpty()) {
      text.put("frontend_attributes", AttributeText.frontendAttributes(frontend));
    }
    return text.isEmpty() ? module : module.withText(text, "");
  }

  /** XLA leaves out a count of 1. */
  private static void count(Fields fields, String name, String hloName, Map<String, String> text) {
    if (fields.has(name) && fields.int64(name) != 1) {
      text.put(hloName, Long.toString(fields.int64(name)));
    }
  }
}
