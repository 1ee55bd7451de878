package org.hlo4j.stablehlo.importer;

import java.util.List;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The constraints on quantized values that ops with regions hand to these and take from them. What
 * a reducer may work on, {@link RegionRules} requires.
 */
final class RegionQuantization {
  private RegionQuantization() {}

  private static void requireOneScale(OpTypes types) {
    types.all().forEach(TypeInRole::requireOneScale);
  }

  // reduce C2, C8; reduce_window C3, C16
  static void requireReduced(OpTypes types) {
    int count = types.operands().size() / 2;
    requireOneScale(types);
    TypeInRole.requireSame(types.operands(count, 2 * count), types.operands(0, count));
    TypeInRole.requireSame(types.results(), types.arguments(0));
  }

  // all_reduce C7, reduce_scatter C9
  static void requireReducedAlone(OpTypes types) {
    requireOneScale(types);
    QuantizationRules.requireUnquantized(types.operands(types.results().size(), Integer.MAX_VALUE));
    for (TypeInRole accumulator : types.arguments(0).stream().limit(1).toList()) {
      types.results().forEach(result -> result.requireSame(accumulator));
    }
  }

  // scatter C6, C25
  static void requireScattered(OpTypes types) {
    int count = (types.operands().size() - 1) / 2;
    requireOneScale(types);
    QuantizationRules.requireUnquantized(types.operands(count, count + 1));
    TypeInRole.requireSame(types.operands(count + 1, 2 * count + 1), types.operands(0, count));
    TypeInRole.requireSame(types.results(), types.arguments(0));
  }

  // select_and_scatter C1, C3, C12
  static void requireSelected(OpTypes types) {
    QuantizationRules.requireOneType(types.operands());
    requireOneScale(types);
    TypeInRole.requireSame(types.results(), types.arguments(1));
  }

  // map C4
  static void requireMapped(OpTypes types) {
    requireOneScale(types);
    TypeInRole.requireSame(types.arguments(0), types.operands());
    TypeInRole.requireSame(types.results(), types.returned(0));
  }

  // sort C2, C5
  static void requireSorted(OpTypes types) {
    requireOneScale(types);
    TypeInRole.requireSame(types.results(), types.operands());
    List<TypeInRole> arguments = types.arguments(0);
    for (int i = 0; i < arguments.size() && i / 2 < types.operands().size(); i++) {
      arguments.get(i).requireSame(types.operand(i / 2));
    }
  }

  // while C1 to C3
  static void requireLoop(OpTypes types) {
    TypeInRole.requireSame(types.arguments(0), types.operands());
    TypeInRole.requireSame(types.arguments(1), types.operands());
    TypeInRole.requireSame(types.returned(1), types.operands());
    TypeInRole.requireSame(types.results(), types.operands());
  }

  // if C3, case C4
  static void requireBranches(OpTypes types) {
    QuantizationRules.requireUnquantized(types.operands());
    for (int i = 0; i < types.operation().regions().size(); i++) {
      TypeInRole.requireSame(types.returned(i), types.results());
    }
  }

  // async_start C3, C4
  static void requireStarted(OpTypes types) {
    TypeInRole.requireSame(types.arguments(0), types.operands());
    TypeInRole.requireSame(promised(types.results()), types.returned(0));
  }

  // async_done
  static void requireDone(OpTypes types) {
    TypeInRole.requireSame(types.results(), promised(types.operands()));
  }

  /** Returns the types of the values of futures. */
  private static List<TypeInRole> promised(List<TypeInRole> futures) {
    return futures.stream()
        .filter(part -> Shapes.isFuture(part.type()))
        .flatMap(part ->
            TypeInRole.numbered(
                part.role() + ", value", Shapes.futureTypes((Type.Dialect) part.type()))
                .stream())
        .toList();
  }
}
