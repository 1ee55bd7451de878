package org.hlo4j.stablehlo.importer;

import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The types of an op as the module declares them: of its operands and results, and of the values
 * that its regions take and return.
 *
 * @param operation the op
 * @param operands the types of its operands
 * @param results the types of its results
 */
record OpTypes(
    Operation operation, ImmutableList<TypeInRole> operands, ImmutableList<TypeInRole> results) {
  static OpTypes of(Operation operation) {
    return new OpTypes(
        operation,
        TypeInRole.numbered("operand", operation.operandTypes()),
        TypeInRole.numbered("result", operation.resultTypes()));
  }

  Fields fields() {
    return new Fields(operation.attributes().entries());
  }

  /** Returns whether an op takes, gives or hands to a region a quantized value. */
  static boolean isQuantized(Operation operation) {
    return hasQuantized(operation.operandTypes())
        || hasQuantized(operation.resultTypes())
        || operation.regions().stream()
            .flatMap(region -> region.blocks().stream())
            .anyMatch(OpTypes::isQuantized);
  }

  private static boolean isQuantized(Block block) {
    return hasQuantized(RegionRules.arguments(block))
        || (!block.operations().isEmpty() && hasQuantized(RegionRules.returned(block)));
  }

  private static boolean hasQuantized(List<Type> types) {
    return types.stream()
        .anyMatch(type ->
            type instanceof Type.Tuple tuple
                ? hasQuantized(tuple.innermost().asList())
                : Quantization.quantized(type).isPresent());
  }

  private Stream<TypeInRole> inRegions() {
    Stream.Builder<Stream<TypeInRole>> parts = Stream.builder();
    for (int i = 0; i < operation.regions().size(); i++) {
      parts.add(arguments(i).stream());
      parts.add(returned(i).stream());
    }
    return parts.build().flatMap(each -> each);
  }

  ImmutableList<TypeInRole> all() {
    return ImmutableList.<TypeInRole>builder().addAll(operands).addAll(results).build();
  }

  /** Returns all values that have a type of their own here: also the arguments of regions. */
  Stream<TypeInRole> declared() {
    return Stream.concat(all().stream(), inRegions());
  }

  TypeInRole operand(int number) {
    return operands.get(number);
  }

  TypeInRole result() {
    verify(results.size() == 1, "results got %s, want 1", results.size());
    return results.get(0);
  }

  /** Returns operands by number; missing ones are left out. */
  ImmutableList<TypeInRole> operands(int from, int to) {
    int end = Math.min(to, operands.size());
    return operands.subList(Math.min(from, end), end);
  }

  boolean isNamed(String name) {
    return operation.name().equals("stablehlo." + name);
  }

  /** Returns the types of the values that a region takes; none if it has not just one block. */
  ImmutableList<TypeInRole> arguments(int region) {
    return isOneBlock(region)
        ? TypeInRole.numbered("argument", RegionRules.arguments(block(region)), of(region))
        : ImmutableList.of();
  }

  /** Returns the types of the values that a region returns; none if it has not just one block. */
  ImmutableList<TypeInRole> returned(int region) {
    return isOneBlock(region) && !block(region).operations().isEmpty()
        ? TypeInRole.numbered("result", RegionRules.returned(block(region)), of(region))
        : ImmutableList.of();
  }

  private String of(int region) {
    return operation.regions().size() == 1 ? " of the region" : " of region " + region;
  }

  private Block block(int region) {
    return operation.region(region).block();
  }

  private boolean isOneBlock(int number) {
    List<Region> regions = operation.regions();
    return number < regions.size() && regions.get(number).blocks().size() == 1;
  }
}
