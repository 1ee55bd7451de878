package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * The lowering of an op to HLO: a row of the table of lowerings. While a module is only verified,
 * the results of some ops are placeholders: where sizes are symbolic, and where HLO requires more
 * than StableHLO.
 */
@CanIgnoreReturnValue
final class Lowering {
  private final Function<OpImport, ImmutableList<HloInstruction>> instructions;
  private Consumer<OpImport> check = op -> {};
  private Predicate<OpImport> isOnlyChecked = op -> false;
  private Function<OpImport, List<Shape>> inferred = OpImport::declaredShapes;

  /** Creates the lowering to the instructions whose values are an op's results, in order. */
  Lowering(Function<OpImport, ImmutableList<HloInstruction>> instructions) {
    this.instructions = instructions;
  }

  /** Adds what is required that the shape rule of HLO does not require, or not of any sizes. */
  Lowering checkedBy(Consumer<OpImport> rules) {
    check = check.andThen(rules);
    return this;
  }

  /** Has placeholders for the results, of their declared types, while a module is verified. */
  Lowering onlyChecked() {
    return onlyCheckedIf(op -> true);
  }

  Lowering onlyCheckedIf(Predicate<OpImport> condition) {
    isOnlyChecked = isOnlyChecked.or(condition);
    return this;
  }

  /** Has a placeholder of a shape that follows from the operands, as far as it does. */
  Lowering inferring(Function<OpImport, Shape> shape) {
    return inferringAll(op -> List.of(shape.apply(op)));
  }

  Lowering inferringAll(Function<OpImport, List<Shape>> shapes) {
    inferred = shapes;
    return this;
  }

  void check(OpImport op) {
    check.accept(op);
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
