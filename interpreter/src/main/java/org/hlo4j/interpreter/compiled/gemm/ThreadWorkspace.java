package org.hlo4j.interpreter.compiled.gemm;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The workspace of a thread, for each accumulator type. */
public final class ThreadWorkspace {
  private static final int CORNER = MicroKernelSet.ROWS * 512;

  private static final ThreadLocal<Map<AccumulatorType, ThreadWorkspace>> ALL =
      ThreadLocal.withInitial(() -> new EnumMap<>(AccumulatorType.class));

  private final AccumulatorType carrier;
  private final MatrixCopies movement;
  private final Object left;
  private final Object corner;
  private Object result;
  private @Nullable AlignedBuffer area;
  private @Nullable ScalarRows plainRows;

  private ThreadWorkspace(AccumulatorType carrier) {
    this.carrier = carrier;
    this.movement = MatrixCopies.of(carrier);
    this.left = movement.allocate(PackedLhs.SIZE);
    this.corner = movement.allocate(CORNER);
    this.result = movement.allocate(0);
  }

  /** {@return the workspace of the current thread} */
  public static ThreadWorkspace of(AccumulatorType carrier) {
    return ALL.get().computeIfAbsent(carrier, ThreadWorkspace::new);
  }

  /** {@return the array for packed blocks of the left side} */
  Object left() {
    return left;
  }

  /** {@return the array for a tile of the result, of which only a part is needed} */
  Object corner() {
    return corner;
  }

  /** {@return an array for a part of the result, with room for {@code count} elements} */
  public Object result(int count) {
    if (movement.length(result) < count) {
      result = movement.allocate(count);
    }
    return result;
  }

  /** {@return the buffer for a packed right side, with room for {@code count} elements} */
  AlignedBuffer area(int count) {
    AlignedBuffer known = area;
    if (known == null || !known.holds(count)) {
      known = AlignedBuffer.of(carrier, count);
      area = known;
    }
    return known;
  }

  /** {@return the arrays for a product by plain loops} */
  ScalarRows plainRows() {
    ScalarRows known = plainRows;
    if (known == null) {
      known = new ScalarRows(carrier);
      plainRows = known;
    }
    return known;
  }
}
