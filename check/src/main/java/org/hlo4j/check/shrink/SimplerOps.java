package org.hlo4j.check.shrink;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.schema.OpAttribute;
import org.hlo4j.hlo.schema.OpSchema;

/** Ops with simpler attributes. */
final class SimplerOps {
  private SimplerOps() {}

  /** Returns the op with default precision. */
  static Op defaultPrecision(Op op) {
    return with(
        op,
        (name, value) ->
            value instanceof ImmutableList<?> list && isPrecision(list)
                ? ImmutableList.of()
                : value);
  }

  /** Returns the op without optional attributes. */
  static Op required(Op op) {
    return with(op, (name, value) -> value instanceof Optional<?> ? Optional.empty() : value);
  }

  /** Returns the op with its flags off. */
  static Op flagless(Op op) {
    return with(op, (name, value) -> value instanceof Boolean ? false : value);
  }

  /** Returns the op without groups. */
  static Op ungrouped(Op op) {
    return with(op, (name, value) -> name.endsWith("group_count") ? 1L : value);
  }

  private static boolean isPrecision(List<?> list) {
    return !list.isEmpty() && list.get(0) instanceof Dot.Precision;
  }

  /** Returns the op without padding. */
  static Op unpadded(Op op) {
    return with(
        op,
        (name, value) ->
            switch (value) {
              case Window window -> window.withValidPadding();
              case PadConfig padding -> PadConfig.none(padding.edgePaddingLow().count());
              default -> value;
            });
  }

  /** Returns the op with a window that has strides of 1 and no dilation. */
  static Op undilated(Op op) {
    return with(
        op,
        (name, value) ->
            value instanceof Window window
                ? Window.of(window.sizes()).withPadding(window.paddingLow(), window.paddingHigh())
                : value);
  }

  /** Returns the op with a window of single elements. */
  static Op single(Op op) {
    return with(
        op,
        (name, value) ->
            value instanceof Window window
                ? Window.of(Dims.filled(window.sizes().count(), 1))
                : value);
  }

  /** Returns the op with other attributes; the same if it refuses them. */
  static Op with(Op op, BiFunction<String, Object, Object> change) {
    Optional<OpSchema> schema = OpSchema.of(op.opcode());
    if (schema.isEmpty()) {
      return op;
    }
    List<Object> values = new ArrayList<>();
    boolean isChanged = false;
    for (OpAttribute attribute : schema.get().attributes()) {
      Object value = attribute.value(op);
      Object changed = change.apply(attribute.name(), value);
      isChanged |= !changed.equals(value);
      values.add(changed);
    }
    try {
      return isChanged ? schema.get().create(values) : op;
    } catch (HloException refused) {
      return op;
    }
  }
}
