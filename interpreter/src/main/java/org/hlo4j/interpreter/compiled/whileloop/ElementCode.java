package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.QuietNaN;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/**
 * The code writer of elementwise ops: those of {@link ElementFunctions}.
 *
 * @param emitter writes the code
 * @param code writes the code of operands
 * @param observesNanBits whether the bits of NaNs are observable
 */
record ElementCode(CodeEmitter emitter, ArrayCode code, boolean observesNanBits) {
  Operand.Leaf write(HloInstruction instruction, List<Operand> operands, boolean isShared) {
    Shape.Array shape = Operand.array(instruction.shape());
    List<Shape.Array> shapes = Operand.operandShapes(instruction);
    requireSameSizes(instruction, shape, shapes);
    List<ElementType> types = shapes.stream().map(Shape.Array::elementType).toList();
    ElementFunctions.Traits traits =
        ElementFunctions.traits(instruction.op(), types, shape.elementType());
    List<Operand.Leaf> read = operands.stream().map(Operand::leaf).toList();
    int cost = traits.operations() + ArrayCode.cost(read);
    ImmutableList<Operand.Leaf> leaves = code.readable(shape, cost, read);
    return code.compute(
        shape,
        cost,
        leaves,
        isShared,
        index -> apply(instruction.op(), types, shape.elementType(), read(leaves, index)));
  }

  /**
   * Requires operands of the sizes of the result, or scalars, which stand for arrays of equal
   * elements.
   */
  private static void requireSameSizes(
      HloInstruction instruction, Shape.Array shape, List<Shape.Array> operands) {
    boolean areSame =
        operands.stream().allMatch(each -> each.isScalar() || each.sizes().equals(shape.sizes()));
    if (operands.isEmpty() || !areSame) {
      throw new NoCodeException("not element by element: " + instruction);
    }
  }

  /** Reads the operands. One that occurs twice is computed once. */
  private List<Value> read(List<Operand.Leaf> leaves, ImmutableList<Value> index) {
    Map<Operand.Leaf, Value> values = new HashMap<>();
    for (Operand.Leaf leaf : leaves) {
      if (!values.containsKey(leaf)) {
        values.put(leaf, code.at(leaf, index));
      }
    }
    return leaves.stream().map(values::get).toList();
  }

  private Value apply(
      Op op, List<ElementType> types, ElementType resultType, List<Value> operands) {
    Value value = ElementFunctions.apply(emitter, op, types, resultType, operands);
    boolean isQuiet = observesNanBits && QuietNaN.isNeededBy(op, resultType);
    return isQuiet ? QuietNaN.canonicalize(emitter, value) : value;
  }
}
