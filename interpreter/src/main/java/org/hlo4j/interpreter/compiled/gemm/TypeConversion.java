package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.loops.Loops;
import org.hlo4j.interpreter.engine.FixedStorageContext;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/** A conversion of an array to another element type by a generated loop. */
final class TypeConversion {
  private final Shape.Array to;
  private final Kernel loop;

  private TypeConversion(Shape.Array to, Kernel loop) {
    this.to = to;
    this.loop = loop;
  }

  /**
   * {@return the conversion of the elements of an array to a type} Integers wrap, floats are
   * rounded once.
   *
   * @throws NoCodeException if no loop does that
   */
  static TypeConversion of(Shape.Array from, ElementType type) {
    Shape.Array plain = from.withLayout(null);
    HloInstruction operand = HloInstruction.of("x", new Parameter(0, plain));
    HloInstruction convert = HloInstruction.of("y", new Convert(type), operand);
    Kernel loop =
        Loops.kernel(convert, true)
            .kernel()
            .orElseThrow(() -> new NoCodeException("no loop converts " + plain + " to " + type));
    return new TypeConversion(plain.withElementType(type), loop);
  }

  /**
   * {@return the storage of the converted operand} The caller passes it to {@link #release}
   * afterwards.
   */
  Object apply(Literal operand, KernelContext context) {
    Object storage = context.borrow(to, "a widened operand");
    loop.run(new Literal[] {operand}, new FixedStorageContext(context, () -> storage));
    return storage;
  }

  void release(Object storage, KernelContext context) {
    context.giveBack(to, storage);
  }

  /** {@return the converted array as a literal} */
  Literal result(Shape.Array from, Object storage, KernelContext context) {
    return loop.run(new Literal[] {Literal.unsafeOf(from, storage)}, context);
  }
}
