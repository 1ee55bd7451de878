package org.hlo4j.hlo.text;

import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableList;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Defaulted;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.SliceRanges;

/**
 * The attributes of an op as HLO text: one per record component, named as it is, in its order. One
 * way of writing for each component type.
 */
final class Attributes {
  private static final ClassValue<ImmutableList<RecordComponent>> COMPONENTS =
      new ClassValue<>() {
        @Override
        protected ImmutableList<RecordComponent> computeValue(Class<?> type) {
          return ImmutableList.copyOf(type.getRecordComponents());
        }
      };

  private Attributes() {}

  /** Appends {@code , name=value} for each attribute. */
  static void append(StringBuilder text, Op op) {
    switch (op) {
      case Elementwise e -> {}
      case Parameter p -> {}
      case Constant c -> {}
      default -> COMPONENTS.get(op.getClass()).forEach(part -> append(text, op, part));
    }
  }

  private static void append(StringBuilder text, Op op, RecordComponent component) {
    Object value = value(op, component);
    if (component.isAnnotationPresent(Defaulted.class) && isDefault(value)) {
      return;
    }
    print(value)
        .ifPresent(printed ->
            text.append(", ")
                .append(CaseFormat.LOWER_CAMEL.to(CaseFormat.LOWER_UNDERSCORE, component.getName()))
                .append('=')
                .append(printed));
  }

  private static Object value(Op op, RecordComponent component) {
    try {
      return component.getAccessor().invoke(op);
    } catch (ReflectiveOperationException broken) {
      throw new LinkageError(op + " has no readable " + component.getName(), broken);
    }
  }

  private static boolean isDefault(Object value) {
    return switch (value) {
      case Dims dims -> dims.isEmpty();
      case Boolean flag -> !flag;
      case List<?> list -> list.stream().allMatch(Dot.Precision.DEFAULT::equals);
      default -> throw new AssertionError("no default known for " + value.getClass());
    };
  }

  /** The value as text; empty where it stands in the shape of the result. */
  private static Optional<String> print(Object value) {
    return switch (value) {
      case Shape shape -> Optional.empty();
      case ElementType type -> Optional.empty();
      case Optional<?> maybe -> maybe.flatMap(Attributes::print);
      case Dims dims -> Optional.of(braced(Arrays.stream(dims.toArray()).boxed().toList()));
      case List<?> list -> Optional.of(braced(list));
      case Integer number -> Optional.of(number.toString());
      case Long number -> Optional.of(number.toString());
      case Boolean flag -> Optional.of(flag.toString());
      case SliceRanges ranges -> Optional.of(ranges.toString());
      case PadConfig padding -> Optional.of(padding.toString());
      case Enum<?> constant -> Optional.of(constant.toString());
      default -> throw new AssertionError("no text form known for " + value.getClass());
    };
  }

  private static String braced(List<?> values) {
    return values.stream().map(Object::toString).collect(Collectors.joining(",", "{", "}"));
  }
}
