package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The lowering of CHLO ops for portable artifacts, which have no CHLO. Each becomes ops of
 * StableHLO, or a custom call whose name XLA recognizes as an op of its own.
 */
public final class ChloLegalization {
  private static final ImmutableSet<String> CUSTOM_CALLS =
      ImmutableSet.of("acos", "acosh", "asin", "asinh", "atanh", "cosh", "erf", "sinh");

  private ChloLegalization() {}

  /**
   * Replaces the ops of CHLO in a module by custom calls and ops of StableHLO.
   *
   * @param operation the module
   * @return the module; ops of CHLO without a replacement are unchanged
   */
  public static Operation of(Operation operation) {
    return operation.regions().isEmpty()
        ? operation
        : operation.withRegions(
            operation.regions().stream().map(ChloLegalization::of).collect(toImmutableList()));
  }

  private static Region of(Region region) {
    return new Region(
        region.blocks().stream().map(ChloLegalization::of).collect(toImmutableList()));
  }

  private static Block of(Block block) {
    return new Block(
        block.arguments(),
        block.operations().stream()
            .map(ChloLegalization::of)
            .flatMap(ChloLegalization::legalize)
            .collect(toImmutableList()));
  }

  private static Stream<Operation> legalize(Operation operation) {
    if (operation.name().equals("mhlo.topk")) {
      return Stream.of(topK(operation));
    }
    if (!operation.dialect().equals("chlo")) {
      return Stream.of(operation);
    }
    String name = operation.name().substring("chlo.".length());
    if (CUSTOM_CALLS.contains(name)) {
      return Stream.of(asCustomCall(operation, name, ImmutableMap.of()));
    }
    return switch (name) {
      case "tan" ->
          Stream.of(named(operation, "stablehlo.tan", operation.operands(), ImmutableMap.of()));
      case "top_k" -> Stream.of(topK(operation));
      case "atan", "mulhi" -> computed(operation, name);
      default -> Stream.of(operation);
    };
  }

  private static Operation topK(Operation operation) {
    Attribute k = operation.attributes().find("k").orElse(Attribute.Int.i64(0));
    Attribute largest = operation.attributes().find("largest").orElse(Attribute.Int.bool(true));
    return asCustomCall(operation, "topk", ImmutableMap.of("k", k, "largest", largest));
  }

  /** Returns ops of StableHLO that compute the result; the last one defines it. */
  private static Stream<Operation> computed(Operation operation, String name) {
    if (!(operation.operand(0).type() instanceof Type.Tensor type) || !type.isStatic()) {
      return Stream.of(operation);
    }
    List<Operation> steps = new ArrayList<>();
    Arithmetic arithmetic = new Arithmetic(steps, operation.location(), type);
    if (name.equals("atan")) {
      arithmetic.atan(operation.operand(0));
    } else {
      arithmetic.highProduct(operation.operand(0), operation.operand(1));
    }
    Operation last = steps.remove(steps.size() - 1);
    steps.add(named(operation, last.name(), last.operands(), ImmutableMap.of()));
    return steps.stream();
  }

  /** Returns the attributes of a custom call that XLA recognizes as an op of its own. */
  static ImmutableMap<String, Attribute> customCall(
      String target, ImmutableMap<String, Attribute> attributes) {
    return ImmutableMap.of(
        "call_target_name", new Attribute.Str(target),
        "mhlo.attributes", new Attribute.Dictionary(attributes),
        "mhlo.version", Attribute.Int.i64(1));
  }

  private static Operation asCustomCall(
      Operation operation, String name, ImmutableMap<String, Attribute> attributes) {
    return named(
        operation,
        "stablehlo.custom_call",
        operation.operands(),
        customCall("mhlo." + name, attributes));
  }

  /**
   * Returns an operation with the same results. It keeps the annotations, which are the attributes
   * with a dot in their names.
   */
  private static Operation named(
      Operation operation,
      String name,
      ImmutableList<Value> operands,
      ImmutableMap<String, Attribute> attributes) {
    Map<String, Attribute> all = new TreeMap<>(operation.attributes().entries());
    all.keySet().removeIf(attribute -> !attribute.contains("."));
    all.putAll(attributes);
    return operation.replaced(name, operands, operation.results(), Attributes.of(all));
  }
}
