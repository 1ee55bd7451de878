package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.expr.SingleOp;
import org.hlo4j.interpreter.engine.FixedStorageContext;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A kernel of a sum of complex numbers. It runs a sum of real numbers, whose arrays have an
 * additional dimension for the real and imaginary parts.
 */
public final class ComplexSum implements Kernel {
  private final Kernel sum;
  private final Shape.Array parts;
  private final Shape.Array shape;

  private ComplexSum(Kernel sum, Shape.Array parts, Shape.Array shape) {
    this.sum = sum;
    this.parts = parts;
    this.shape = shape;
  }

  /**
   * Returns the kernel of a reduction; there is none if it is not the sum of one complex array.
   *
   * @param reals gives the kernels of real reductions
   */
  public static KernelChoice of(
      HloInstruction reduce, Function<HloInstruction, KernelChoice> reals) {
    if (!(reduce.shape().withoutLayout() instanceof Shape.Array shape)
        || !shape.elementType().isComplex()) {
      return KernelChoice.NONE;
    }
    if (!Storages.canHold(shape)
        || !Storages.canHold(reduce.operands().get(0).shape())
        || !SingleOp.of(reduce.called().get(0)).equals(Optional.of(Elementwise.Kind.ADD))) {
      return KernelChoice.decline("no sum of one complex array");
    }
    ElementType part = shape.elementType().componentType();
    Shape.Array operand = (Shape.Array) reduce.operands().get(0).shape();
    Shape.Array parts = Shape.of(part, operand.sizes().concat(Dims.of(2)));
    HloInstruction real =
        HloInstruction.create(
            "sum",
            new Reduce(((Reduce) reduce.op()).dimensions()),
            ImmutableList.of(parameter(0, parts), parameter(1, Shape.of(part))),
            ImmutableList.of(adding(part)),
            Shape.of(part, shape.sizes().concat(Dims.of(2))),
            Metadata.NONE);
    return reals.apply(real).flatMap(sum -> KernelChoice.of(new ComplexSum(sum, parts, shape)));
  }

  private static HloInstruction parameter(int number, Shape shape) {
    return HloInstruction.of("p" + number, new Parameter(number, shape));
  }

  private static HloComputation adding(ElementType type) {
    HloInstruction a = parameter(0, Shape.of(type));
    HloInstruction b = parameter(1, Shape.of(type));
    HloInstruction sum = HloInstruction.of("r", new Elementwise(Elementwise.Kind.ADD), a, b);
    return HloComputation.create("add", ImmutableList.of(a, b, sum), sum);
  }

  /**
   * Sums all parts, starting with the real part of the initial value; and if its imaginary part is
   * another number, sums them again, starting with that.
   */
  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object all = sums(operands, 0, context, () -> context.allocate(shape));
    if (operands[1].bitsAt(0) != operands[1].bitsAt(1)) {
      int count = 2 * Ints.checkedCast(shape.elementCount());
      Object other =
          sums(operands, 1, context, () -> Storages.allocate(parts.elementType(), count));
      for (int i = 1; i < count; i += 2) {
        Storages.setBits(all, i, Storages.bits(other, i));
      }
    }
    return Literal.unsafeOf(shape, all);
  }

  private Object sums(
      Literal[] operands, int initialPart, KernelContext context, Supplier<Object> storage) {
    LiteralBuilder initial = new LiteralBuilder(Shape.of(parts.elementType()));
    initial.setBits(0, operands[1].bitsAt(initialPart));
    Literal elements = Literal.unsafeOf(parts, operands[0].unsafeStorage());
    Literal[] all = {elements, initial.build()};
    return sum.run(all, new FixedStorageContext(context, storage)).unsafeStorage();
  }

  @Override
  public String describe() {
    return "complex sum: " + sum.describe();
  }
}
