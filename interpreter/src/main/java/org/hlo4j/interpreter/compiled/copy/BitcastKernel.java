package org.hlo4j.interpreter.compiled.copy;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A kernel of a bitcast-convert between types of different widths. The bits of elements, least
 * significant first, are split or joined, which is a copy of bytes where these come first.
 */
public final class BitcastKernel implements Kernel {
  /** The bytes of which threads get some at a time. */
  private static final int UNIT = Long.BYTES;

  private final Shape.Array operand;
  private final Shape.Array shape;

  public BitcastKernel(Shape.Array operand, Shape.Array shape) {
    this.operand = operand;
    this.shape = shape;
  }

  /**
   * Returns whether the kernel can convert between two types: both are as wide as the elements of
   * their arrays, and they are of different widths.
   */
  public static boolean supports(ElementType from, ElementType to) {
    boolean isLowByteFirst = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    return isLowByteFirst && isWhole(from) && isWhole(to) && from.bits() != to.bits();
  }

  private static boolean isWhole(ElementType type) {
    return !type.isComplex() && type.bits() >= Byte.SIZE;
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    MemorySegment from = Storages.bytes(operands[0].unsafeStorage());
    Object to = context.allocate(shape);
    MemorySegment bytes = Storages.bytes(to);
    int units = Math.toIntExact(Math.ceilDiv(from.byteSize(), UNIT));
    new Parallel(context, units, Machine.COPY_GRAIN)
        .run((first, end) -> {
          long at = (long) first * UNIT;
          MemorySegment.copy(
              from, at, bytes, at, Math.min((long) end * UNIT, from.byteSize()) - at);
        });
    return Literal.unsafeOf(shape, to);
  }

  @Override
  public String describe() {
    return "bitcast-convert from %d to %d bits"
        .formatted(operand.elementType().bits(), shape.elementType().bits());
  }
}
