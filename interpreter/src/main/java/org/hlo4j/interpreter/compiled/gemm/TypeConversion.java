package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.compiled.loops.Loops;
import org.hlo4j.interpreter.engine.FixedStorageContext;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/** A conversion of an array to another element type by a generated loop. Its storage is reused. */
final class TypeConversion {
  private static final long MAX_KEPT = 1 << 23;
  private static final ImmutableSet<ElementType> NARROW =
      Sets.immutableEnumSet(
          ElementType.BF16,
          ElementType.F16,
          ElementType.S8,
          ElementType.U8,
          ElementType.S16,
          ElementType.U16);

  private final Shape.Array to;
  private final Kernel loop;
  private final AtomicReference<@Nullable Object> spare = new AtomicReference<>();

  private TypeConversion(Shape.Array to, Kernel loop) {
    this.to = to;
    this.loop = loop;
  }

  /**
   * {@return whether a type is one of the integers and floats of 8 or 16 bits all of whose values
   * f32 represents and which generated loops convert}
   */
  static boolean isNarrow(ElementType type) {
    return NARROW.contains(type);
  }

  /**
   * {@return the conversion of an operand to the accumulator type; null if {@link ElementConverter}
   * has to convert it}
   */
  static @Nullable TypeConversion widening(Shape.Array from, AccumulatorType accumulatorType) {
    if (!isNarrow(from.elementType())) {
      return null;
    }
    return switch (accumulatorType) {
      case F32 -> of(from, ElementType.F32);
      case I32 -> from.elementType().isIntegral() ? of(from, ElementType.S32) : null;
      case F64, I64 -> null;
    };
  }

  /**
   * {@return the conversion of a result from the accumulator type; null if {@link ElementConverter}
   * has to convert it}
   */
  static @Nullable TypeConversion narrowing(Shape.Array to, AccumulatorType accumulatorType) {
    boolean isHalf = to.elementType() == ElementType.BF16 || to.elementType() == ElementType.F16;
    return isHalf && accumulatorType == AccumulatorType.F32
        ? of(to.withElementType(ElementType.F32), to.elementType())
        : null;
  }

  private static @Nullable TypeConversion of(Shape.Array from, ElementType type) {
    Shape.Array plain = from.withLayout(null);
    HloInstruction operand =
        HloInstruction.create(
            "x",
            new Parameter(0, plain),
            ImmutableList.of(),
            ImmutableList.of(),
            plain,
            Metadata.NONE);
    HloInstruction convert = HloInstruction.of("y", new Convert(type), operand);
    Optional<Kernel> loop =
        plain.elementCount() > 0 ? Loops.kernel(convert, true).kernel() : Optional.empty();
    Shape.Array to = plain.withElementType(type);
    return loop.map(kernel -> new TypeConversion(to, kernel)).orElse(null);
  }

  /**
   * {@return the storage of the converted operand} The caller passes it to {@link #release}
   * afterwards.
   */
  Object apply(Literal operand, KernelContext context) {
    Object kept = spare.getAndSet(null);
    Object storage = kept != null ? kept : Literal.zeros(to).unsafeStorage();
    loop.run(new Literal[] {operand}, new FixedStorageContext(context, () -> storage));
    return storage;
  }

  void release(Object storage) {
    if (to.elementCount() <= MAX_KEPT) {
      spare.set(storage);
    }
  }

  /** {@return the converted array as a literal} */
  Literal result(Shape.Array from, Object storage, KernelContext context) {
    return loop.run(new Literal[] {Literal.unsafeOf(from, storage)}, context);
  }
}
