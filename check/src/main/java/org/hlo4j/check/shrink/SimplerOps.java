package org.hlo4j.check.shrink;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Optional;
import java.util.function.BiFunction;
import org.hlo4j.check.Runner;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.schema.OpSchema;

/** Ops with simpler attributes. */
final class SimplerOps {
  /** What takes the place of attributes, from their names and values, in the order of trials. */
  static final ImmutableMap<String, BiFunction<String, Object, Object>> CHANGES =
      ImmutableMap.of(
          "default precision",
          (name, value) -> name.equals("operand_precision") ? ImmutableList.of() : value,
          "no options",
          (name, value) -> value instanceof Optional<?> ? Optional.empty() : value,
          "no flags",
          (name, value) -> value instanceof Boolean ? false : value,
          "no groups",
          (name, value) -> name.endsWith("group_count") ? 1L : value,
          "no padding",
          (name, value) ->
              switch (value) {
                case Window window -> window.withValidPadding();
                case PadConfig padding -> PadConfig.none(padding.edgePaddingLow().count());
                default -> value;
              },
          "no strides",
          (name, value) ->
              value instanceof Window window
                  ? Window.of(window.sizes()).withPadding(window.paddingLow(), window.paddingHigh())
                  : value,
          "single elements",
          (name, value) ->
              value instanceof Window window ? Window.of(Dims.filled(window.rank(), 1)) : value);

  private SimplerOps() {}

  /** Returns the op with other attributes; the same if it refuses them. */
  static Op with(Op op, BiFunction<String, Object, Object> change) {
    return Runner.unlessRefused(() -> OpSchema.with(op, change)).orElse(op);
  }
}
