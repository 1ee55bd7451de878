package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.PARSE;

import com.google.common.base.Joiner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Operation;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a StableHLO module besides its functions: numbers of devices, aliases and
 * buffer donors.
 */
final class ModuleAttributes {
  private ModuleAttributes() {}

  static HloModule annotated(
      HloModule module, Operation source, Operation entry, Meshes meshes, String stackFrames) {
    Map<String, String> text = new LinkedHashMap<>();
    Fields fields = new Fields(source);
    count(fields, "mhlo.num_replicas", "replica_count", text);
    count(fields, "mhlo.num_partitions", "num_partitions", text);
    List<String> aliases = new ArrayList<>(required(source));
    List<String> donors = new ArrayList<>();
    Shape result = module.entry().programShape().result();
    int results = result instanceof Shape.Tuple tuple ? tuple.elements().size() : 1;
    for (int i = 0; i < module.entry().parameters().size(); i++) {
      Attributes argument = FunctionImport.attributes(entry, "arg_attrs", i);
      if (argument.get("tf.aliasing_output") instanceof Attribute.Int output
          && output.value().bitLength() < 31
          && output.value().intValue() < results) {
        String index =
            result instanceof Shape.Tuple ? Integer.toString(output.value().intValue()) : "";
        aliases.add(alias(index, i, "", "may"));
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
    new EntryLayouts(fields).put(module.entry().programShape(), text);
    Map<String, String> frontend = new TreeMap<>(Annotations.frontend(source.attributes()));
    if (!meshes.text().isEmpty()) {
      frontend.put("xla.sdy.meshes", "{" + meshes.text() + "}");
    }
    if (!frontend.isEmpty()) {
      text.put("frontend_attributes", AttributeText.frontendAttributes(frontend));
    }
    return module.withText(text, stackFrames);
  }

  private static String alias(String output, long parameter, String index, String kind) {
    return "{" + output + "}: (" + parameter + ", {" + index + "}, " + kind + "-alias)";
  }

  /** Returns the required aliases, which XLA writes as an attribute of the module. */
  private static List<String> required(Operation source) {
    List<String> aliases = new ArrayList<>();
    for (Attribute each : new Fields(source).array("mhlo.input_output_alias")) {
      Fields pair = dictionary(each);
      Fields alias = dictionary(pair.entries().get("alias"));
      String kind = alias.string("kind").equals("must_alias") ? "must" : "may";
      aliases.add(
          alias(
              index(pair, "output_index"),
              alias.int64("parameter_number"),
              index(alias, "parameter_index"),
              kind));
    }
    return aliases;
  }

  private static Fields dictionary(@Nullable Attribute attribute) {
    if (attribute instanceof Attribute.Dictionary dictionary) {
      return new Fields(dictionary.entries());
    }
    throw new HloException(
        PARSE, "mhlo.input_output_alias got %s, want {alias = {…}, output_index = …}", attribute);
  }

  private static String index(Fields fields, String name) {
    return Joiner.on(", ").join(fields.ints(name).stream().boxed().iterator());
  }

  /** Adds a number of devices unless it is 1; XLA leaves that out. */
  private static void count(Fields fields, String name, String hloName, Map<String, String> text) {
    if (fields.has(name) && fields.int64(name) != 1) {
      text.put(hloName, Long.toString(fields.int64(name)));
    }
  }
}
