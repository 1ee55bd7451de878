package org.hlo4j.interpreter.compiled.gemm;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The workspace of a thread, for each accumulator type. */
public final class ThreadWorkspace {
  private static final ThreadLocal<Map<AccumulatorType, ThreadWorkspace>> ALL =
      ThreadLocal.withInitial(() -> new EnumMap<>(AccumulatorType.class));

  private final AccumulatorType accumulatorType;
  private final MatrixCopies copies;

  /** The array for packed blocks of the left side. */
  final Object left;

  private Object result;
  private @Nullable AlignedBuffer buffer;
  private @Nullable ScalarRows scalarRows;

  private ThreadWorkspace(AccumulatorType accumulatorType) {
    this.accumulatorType = accumulatorType;
    this.copies = MatrixCopies.of(accumulatorType);
    this.left = copies.allocate(PackedLhs.SIZE);
    this.result = copies.allocate(0);
  }

  /** {@return the workspace of the current thread} */
  public static ThreadWorkspace of(AccumulatorType accumulatorType) {
    return ALL.get().computeIfAbsent(accumulatorType, ThreadWorkspace::new);
  }

  /** {@return an array for a part of the result, with room for {@code count} elements} */
  public Object result(int count) {
    if (copies.length(result) < count) {
      result = copies.allocate(count);
    }
    return result;
  }

  /** {@return the buffer for a packed right side, with room for {@code count} elements} */
  AlignedBuffer buffer(int count) {
    AlignedBuffer known = buffer;
    if (known == null || !known.hasCapacity(count)) {
      known = AlignedBuffer.of(accumulatorType, count);
      buffer = known;
    }
    return known;
  }

  /** {@return the arrays for a product by plain loops} */
  ScalarRows scalarRows() {
    ScalarRows known = scalarRows;
    if (known == null) {
      known = new ScalarRows(accumulatorType);
      scalarRows = known;
    }
    return known;
  }
}
