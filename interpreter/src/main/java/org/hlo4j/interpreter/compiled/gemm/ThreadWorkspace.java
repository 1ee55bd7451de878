package org.hlo4j.interpreter.compiled.gemm;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Arrays that a thread has of its own, for each type of elements. */
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

  /** That of the thread that asks. */
  public static ThreadWorkspace of(AccumulatorType carrier) {
    return ALL.get().computeIfAbsent(carrier, ThreadWorkspace::new);
  }

  /** For a packed block of the left side. */
  Object left() {
    return left;
  }

  /** For a tile of the result of which a part only is wanted. */
  Object corner() {
    return corner;
  }

  /** For a part of the result. */
  public Object result(int count) {
    if (movement.length(result) < count) {
      result = movement.allocate(count);
    }
    return result;
  }

  /** For a packed right side. */
  AlignedBuffer area(int count) {
    AlignedBuffer known = area;
    if (known == null || !known.holds(count)) {
      known = AlignedBuffer.of(carrier, count);
      area = known;
    }
    return known;
  }

  /** For a product by plain loops. */
  ScalarRows plainRows() {
    ScalarRows known = plainRows;
    if (known == null) {
      known = new ScalarRows(carrier);
      plainRows = known;
    }
    return known;
  }
}
