package org.hlo4j.interpreter.compiled.dots;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Arrays that a thread has of its own, for each type of elements. */
final class Workspace {
  private static final int CORNER = TileSet.ROWS * 512;

  private static final ThreadLocal<Map<Carrier, Workspace>> ALL =
      ThreadLocal.withInitial(() -> new EnumMap<>(Carrier.class));

  private final Carrier carrier;
  private final Movement movement;
  private final Object left;
  private final Object corner;
  private Object result;
  private @Nullable Area area;
  private @Nullable PlainRows plainRows;

  private Workspace(Carrier carrier) {
    this.carrier = carrier;
    this.movement = Movement.of(carrier);
    this.left = movement.allocate(LeftBlock.SIZE);
    this.corner = movement.allocate(CORNER);
    this.result = movement.allocate(0);
  }

  /** That of the thread that asks. */
  static Workspace of(Carrier carrier) {
    return ALL.get().computeIfAbsent(carrier, Workspace::new);
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
  Object result(int count) {
    if (movement.length(result) < count) {
      result = movement.allocate(count);
    }
    return result;
  }

  /** For a packed right side. */
  Area area(int count) {
    Area known = area;
    if (known == null || !known.holds(count)) {
      known = Area.of(carrier, count);
      area = known;
    }
    return known;
  }

  /** For a product by plain loops. */
  PlainRows plainRows() {
    PlainRows known = plainRows;
    if (known == null) {
      known = new PlainRows(carrier);
      plainRows = known;
    }
    return known;
  }
}
