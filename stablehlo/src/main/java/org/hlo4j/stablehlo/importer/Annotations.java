package org.hlo4j.stablehlo.importer;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;

/**
 * Annotations of an operation or argument by frontends, which do not affect its value.
 *
 * @param sharding the sharding of its results; Shardy's takes precedence
 * @param frontend the frontend attributes by name
 * @param replication whether each leaf of a parameter is the same on all devices, as HLO text;
 *     empty if it is not said
 */
record Annotations(
    Optional<Sharding> sharding, ImmutableMap<String, String> frontend, String replication) {
  static final Annotations NONE = new Annotations(Optional.empty(), ImmutableMap.of(), "");

  static final Sharding.Single REPLICATED = Sharding.of(Sharding.Uniform.REPLICATED);

  static Annotations of(Attributes attributes, Meshes meshes) {
    return attributes.entries().isEmpty()
        ? NONE
        : new Annotations(
            sharding(attributes, meshes), frontend(attributes), replication(attributes));
  }

  static Optional<Sharding> sharding(Attributes attributes, Meshes meshes) {
    return attributes
        .find("sdy.sharding")
        .map(meshes::sharding)
        .or(() -> attributes.find("mhlo.sharding").map(Annotations::parsed));
  }

  private static Sharding parsed(Attribute attribute) {
    try {
      return Parser.parseSharding(text(attribute));
    } catch (HloException refusal) {
      throw refusal.prefixed("mhlo.sharding: ");
    }
  }

  /** Returns the frontend attributes by name; those that XLA adds for Shardy take precedence. */
  static ImmutableMap<String, String> frontend(Attributes attributes) {
    Map<String, String> all = new TreeMap<>();
    if (attributes.get("mhlo.frontend_attributes") instanceof Attribute.Dictionary dictionary) {
      dictionary.entries().forEach((name, value) -> all.put(name, text(value)));
    }
    for (String name : List.of("sdy.sharding", "sdy.sharding_rule")) {
      attributes.find(name).ifPresent(value -> all.put("xla." + name, text(value)));
    }
    return ImmutableSortedMap.copyOf(all);
  }

  private static String text(Attribute attribute) {
    return attribute instanceof Attribute.Str string ? string.value() : attribute.toString();
  }

  private static String replication(Attributes attributes) {
    return attributes.get("mhlo.parameter_replication") instanceof Attribute.Array leaves
        ? leaves.elements().stream()
            .map(leaf -> leaf.equals(Attribute.Int.bool(true)) ? "true" : "false")
            .collect(Collectors.joining(",", "{", "}"))
        : "";
  }

  /**
   * Returns those of a send or recv that is begun. It has a context more than its results, with the
   * sharding of what is transferred.
   */
  Annotations ofBegun() {
    return new Annotations(sharding.map(Annotations::withContext), frontend, replication);
  }

  private static Sharding withContext(Sharding results) {
    if (!(results instanceof Sharding.Tuple tuple)) {
      return results;
    }
    int token = tuple.parts().size() - 1;
    return new Sharding.Tuple(
        ImmutableList.<Sharding.Single>builder()
            .addAll(tuple.parts().subList(0, token))
            .add(tuple.parts().get(0))
            .add(tuple.parts().get(token))
            .build());
  }

  /** Returns those of a loop, whose state has further arrays behind the results. */
  Annotations ofState(Shape results, int further) {
    Optional<Sharding> whole =
        sharding.map(each ->
            new Sharding.Tuple(
                ImmutableList.<Sharding.Single>builder()
                    .addAll(parts(each, results))
                    .addAll(Collections.nCopies(further, REPLICATED))
                    .build()));
    return new Annotations(whole, frontend, replication);
  }

  /** Returns the sharding of the parts of a tuple, or of its only part. */
  static Sharding joined(ImmutableList<Sharding.Single> parts) {
    return parts.size() == 1 ? parts.get(0) : new Sharding.Tuple(parts);
  }

  /** Returns the sharding of each array of a value. */
  static List<Sharding.Single> parts(Sharding sharding, Shape shape) {
    return sharding.forShape(shape).singles();
  }

  /** Returns the instruction with these annotations besides its own, which take precedence. */
  HloInstruction on(HloInstruction instruction) {
    HloInstruction result = instruction;
    if (!frontend.isEmpty()) {
      Map<String, String> merged = new TreeMap<>(frontend);
      String own = instruction.attributes().getOrDefault("frontend_attributes", "{}");
      merged.putAll(AttributeText.parseFrontendAttributes(own));
      result =
          result.withAttribute("frontend_attributes", AttributeText.frontendAttributes(merged));
    }
    if (!replication.isEmpty()) {
      result = result.withAttribute("parameter_replication", replication);
    }
    return sharding.isEmpty() || result.sharding().isPresent()
        ? result
        : result.withSharding(sharding.map(each -> each.forShape(instruction.shape())));
  }

  private static Sharding part(List<Sharding.Single> leaves, Shape.Tuple tuple, int index) {
    Shape element = tuple.elements().get(index);
    int from = Sharding.leaves(new Shape.Tuple(tuple.elements().subList(0, index))).size();
    int to = from + Sharding.leaves(element).size();
    ImmutableList<Sharding.Single> own = ImmutableList.copyOf(leaves.subList(from, to));
    return element instanceof Shape.Tuple ? new Sharding.Tuple(own) : joined(own);
  }

  /**
   * Returns an element of a tuple with its part of the tuple's sharding, and with the tuple's
   * frontend attributes.
   */
  static HloInstruction onElement(HloInstruction element) {
    HloInstruction tuple = element.operands().get(0);
    int index = ((GetTupleElement) element.op()).index();
    Optional<Sharding> part =
        tuple
            .sharding()
            .filter(Sharding.Tuple.class::isInstance)
            .map(each -> ((Sharding.Tuple) each).parts())
            .filter(each -> each.size() == Sharding.leaves(tuple.shape()).size())
            .map(each -> part(each, (Shape.Tuple) tuple.shape(), index));
    String frontend = tuple.attributes().get("frontend_attributes");
    HloInstruction result =
        frontend == null ? element : element.withAttribute("frontend_attributes", frontend);
    return part.isEmpty() ? result : result.withSharding(part);
  }
}
