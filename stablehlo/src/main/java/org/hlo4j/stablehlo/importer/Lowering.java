package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * The lowering of an op to HLO. While a module is only verified, the results of some ops are
 * placeholders: where sizes are symbolic, and where HLO requires more than StableHLO.
 *
 * @param check requires what the shape rule of HLO does not, or only where sizes are known
 * @param isOnlyChecked whether the results are placeholders while the module is only verified
 * @param inferred the shapes of these, as far as they follow from the operands
 * @param instructions emits the instructions of the results, in order
 */
record Lowering(
    Consumer<OpImport> check,
    Predicate<OpImport> isOnlyChecked,
    Function<OpImport, List<Shape>> inferred,
    Function<OpImport, ImmutableList<HloInstruction>> instructions) {
  /** Returns the lowering of an op with any number of results. */
  static Lowering of(Function<OpImport, ImmutableList<HloInstruction>> instructions) {
    return new Lowering(op -> {}, op -> false, OpImport::declaredShapes, instructions);
  }

  Lowering checkedBy(Consumer<OpImport> rules) {
    return new Lowering(rules, isOnlyChecked, inferred, instructions);
  }

  /** Returns a lowering whose results have their declared types while a module is verified. */
  Lowering onlyChecked() {
    return onlyCheckedIf(op -> true);
  }

  Lowering onlyCheckedIf(Predicate<OpImport> condition) {
    return new Lowering(check, isOnlyChecked.or(condition), inferred, instructions);
  }

  /** Returns a lowering that infers the type of its only result while a module is verified. */
  Lowering inferring(Function<OpImport, Shape> shape) {
    return inferringAll(op -> List.of(shape.apply(op)));
  }

  Lowering inferringAll(Function<OpImport, List<Shape>> shapes) {
    return new Lowering(check, isOnlyChecked, shapes, instructions);
  }

  /** Emits the instructions of an op, and returns those whose values are its results. */
  ImmutableList<HloInstruction> lower(OpImport op) {
    check.accept(op);
    if (!op.target().module().isVerifying() || !isOnlyChecked.test(op)) {
      return instructions.apply(op);
    }
    op.verifyRegions();
    return inferred.apply(op).stream().map(op.target()::placeholder).collect(toImmutableList());
  }
}
