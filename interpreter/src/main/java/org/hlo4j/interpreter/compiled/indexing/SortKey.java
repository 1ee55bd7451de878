package org.hlo4j.interpreter.compiled.indexing;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.compiled.expr.BodyCode;
import org.hlo4j.interpreter.compiled.expr.GeneratedCode;

/**
 * The key that a comparator orders by, if it is {@code f(left) < f(right)} or {@code f(left) >
 * f(right)} for one operand.
 *
 * @param operand the number of the operand
 * @param isLong whether keys need 64 bits
 * @param mapping computes the keys, which are ordered as integers
 */
record SortKey(int operand, boolean isLong, KeyMapping mapping) {
  /** Returns the key of a top-k; empty if its elements have no code. */
  static Optional<SortKey> of(ElementType type, boolean descending) {
    Compare.Type order =
        type.isFloating() ? Compare.Type.TOTALORDER : Compare.Type.defaultFor(type);
    HloInstruction element = HloInstruction.of("x", new Parameter(0, Shape.of(type)));
    return BodyCode.of(element, element).flatMap(identity -> of(0, identity, order, descending));
  }

  private static Optional<SortKey> of(
      int operand, BodyCode function, Compare.Type order, boolean descending) {
    return GeneratedCode.getOrGenerate(
            KeyMapping.class,
            function.withObservableNaNs(order == Compare.Type.TOTALORDER),
            List.of(order, descending),
            code -> KeyMappingCode.mapping(code, order, descending))
        .map(mapping -> new SortKey(operand, isLong(function.resultType()), mapping));
  }

  /** {@return the bytes for an element while {@link SortOrder} sorts: keys and order} */
  long bytesPerElement() {
    return (isLong ? 3L : 2L) * Long.BYTES + Integer.BYTES;
  }

  /** Returns whether keys of a type need 64 bits. */
  static boolean isLong(ElementType type) {
    return type.bits() > 32;
  }

  /** Returns the key of a comparator; empty if it is not of this form. */
  static Optional<SortKey> of(HloComputation comparator) {
    HloInstruction root = comparator.root();
    if (!(root.op() instanceof Compare compare)
        || (compare.direction() != Compare.Direction.LT
            && compare.direction() != Compare.Direction.GT)) {
      return Optional.empty();
    }
    HloInstruction first = root.operands().get(0);
    HloInstruction second = root.operands().get(1);
    Set<HloInstruction> ofFirst = parameters(first);
    Set<HloInstruction> ofSecond = parameters(second);
    if (ofFirst.size() != 1 || ofSecond.size() != 1) {
      return Optional.empty();
    }
    HloInstruction ofLeft = ofFirst.iterator().next();
    HloInstruction ofRight = ofSecond.iterator().next();
    Optional<BodyCode> function = BodyCode.of(ofLeft, first);
    Optional<Object> structure = function.map(BodyCode::structure);
    int left = number(ofLeft);
    int right = number(ofRight);
    if ((left ^ right) != 1
        || !structure.equals(BodyCode.of(ofRight, second).map(BodyCode::structure))) {
      return Optional.empty();
    }
    boolean greaterFirst = (compare.direction() == Compare.Direction.GT) == (left < right);
    Compare.Type order = compare.typeFor(((Shape.Array) first.shape()).elementType());
    return function.flatMap(code -> of(left / 2, code, order, greaterFirst));
  }

  private static int number(HloInstruction parameter) {
    return ((Parameter) parameter.op()).number();
  }

  private static Set<HloInstruction> parameters(HloInstruction value) {
    Set<HloInstruction> all = new LinkedHashSet<>();
    collect(value, all);
    all.removeIf(instruction -> !(instruction.op() instanceof Parameter));
    return all;
  }

  private static void collect(HloInstruction value, Set<HloInstruction> seen) {
    if (seen.add(value)) {
      value.operands().forEach(operand -> collect(operand, seen));
    }
  }
}
