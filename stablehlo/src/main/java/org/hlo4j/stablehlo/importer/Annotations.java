package org.hlo4j.stablehlo.importer;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;

/**
 * Annotations of an operation or argument by frontends, which do not affect its value: sharding and
 * frontend attributes.
 */
final class Annotations {
  private Annotations() {}

  /** Returns an instruction with the sharding and the frontend attributes of an operation. */
  static HloInstruction of(
      HloInstruction instruction, Attributes attributes, Shape expected, Meshes meshes) {
    if (!hasAny(attributes) || !instruction.shape().compatible(expected)) {
      return instruction;
    }
    Map<String, String> frontend = frontend(attributes);
    HloInstruction result = instruction;
    Map<String, String> all = new LinkedHashMap<>(instruction.attributes());
    if (!frontend.isEmpty()) {
      all.put("frontend_attributes", AttributeText.frontendAttributes(frontend));
    }
    if (attributes.get("mhlo.parameter_replication") instanceof Attribute.Array leaves) {
      all.put("parameter_replication", replication(leaves));
    }
    if (!all.equals(instruction.attributes())) {
      result =
          HloInstruction.create(
              instruction.name(),
              instruction.op(),
              instruction.operands(),
              instruction.called(),
              instruction.shape(),
              instruction.metadata(),
              all);
    }
    Optional<Sharding> sharding =
        sharding(attributes).or(() -> attributes.find("sdy.sharding").flatMap(meshes::sharding));
    return sharding.isPresent() ? result.withSharding(sharding) : result;
  }

  static boolean hasAny(Attributes attributes) {
    return attributes.has("mhlo.sharding")
        || attributes.has("mhlo.frontend_attributes")
        || attributes.has("mhlo.parameter_replication")
        || attributes.has("sdy.sharding");
  }

  private static String replication(Attribute.Array leaves) {
    return leaves.elements().stream()
        .map(leaf -> leaf.equals(Attribute.Int.bool(true)) ? "true" : "false")
        .collect(Collectors.joining(",", "{", "}"));
  }

  /** Returns the sharding in HLO's form. */
  static Optional<Sharding> sharding(Attributes attributes) {
    if (!(attributes.get("mhlo.sharding") instanceof Attribute.Str text)) {
      return Optional.empty();
    }
    try {
      return Optional.of(Parser.parseSharding(text.value()));
    } catch (HloException refusal) {
      throw refusal.prefixed("mhlo.sharding: ");
    }
  }

  /** Returns the frontend attributes by name. */
  static Map<String, String> frontend(Attributes attributes) {
    Map<String, String> all = new TreeMap<>();
    if (attributes.get("mhlo.frontend_attributes") instanceof Attribute.Dictionary dictionary) {
      dictionary.entries().forEach((name, value) -> all.put(name, text(value)));
    }
    attributes.find("sdy.sharding").ifPresent(value -> all.put("xla.sdy.sharding", text(value)));
    return all;
  }

  private static String text(Attribute attribute) {
    return attribute instanceof Attribute.Str string ? string.value() : attribute.toString();
  }
}
