package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.Collections;
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
    return new Fields(operation);
  }

  /** Returns whether an op takes, gives or hands to a region a quantized value. */
  static boolean isQuantized(Operation operation) {
    return hasQuantized(operation.operandTypes())
        || hasQuantized(operation.resultTypes())
        || operation.blocks().stream().anyMatch(OpTypes::isQuantized);
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

  /** Returns the values of a list of {@code quantization.rules}; missing ones are left out. */
  ImmutableList<TypeInRole> listed(String text) {
    List<String> words = Splitter.on(CharMatcher.anyOf("[]")).splitToList(text);
    ImmutableList<TypeInRole> list = list(words.get(0));
    if (words.size() == 1) {
      return list;
    }
    List<String> bounds = Splitter.on(':').splitToList(words.get(1));
    int from = Math.min(bound(bounds.get(0), 0), list.size());
    int to = bounds.size() == 1 ? from + 1 : bound(bounds.get(1), list.size());
    return list.subList(from, Math.min(to, list.size()));
  }

  private int bound(String text, int missing) {
    return switch (text) {
      case "" -> missing;
      case "results" -> results.size();
      case "half" -> operands.size() / 2;
      case "inputs" -> (operands.size() - 1) / 2;
      case "updates" -> (operands.size() + 1) / 2;
      default -> Integer.parseInt(text);
    };
  }

  private ImmutableList<TypeInRole> list(String name) {
    boolean hasRegion = !operation.regions().isEmpty();
    return switch (name) {
      case "operands" -> operands;
      case "results" -> results;
      case "result" -> ImmutableList.of(result());
      case "all" -> all();
      case "arguments0" -> arguments(0);
      case "arguments1" -> arguments(1);
      case "returned0" -> returned(0);
      case "returned1" -> returned(1);
      case "taken" -> hasRegion ? arguments(0) : results;
      case "given" -> hasRegion ? returned(0) : operands;
      case "accumulators" ->
          arguments(0).stream()
              .limit(1)
              .flatMap(first -> Collections.nCopies(results.size(), first).stream())
              .collect(toImmutableList());
      case "twice" ->
          operands.stream().flatMap(each -> Stream.of(each, each)).collect(toImmutableList());
      case "awaited" -> promised(operands);
      case "promised" -> promised(results);
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static ImmutableList<TypeInRole> promised(List<TypeInRole> futures) {
    return futures.stream()
        .filter(part -> Shapes.isFuture(part.type()))
        .flatMap(part ->
            TypeInRole.numbered(
                part.role() + ", value", Shapes.futureTypes((Type.Dialect) part.type()))
                .stream())
        .collect(toImmutableList());
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
