package org.hlo4j.hlo.text;

import com.google.common.base.Ascii;
import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableList;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.AttributeText;
import org.hlo4j.hlo.op.Aliasing;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Defaulted;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Trailing;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.op.Written;

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

  /** Appends {@code , name=value} for each attribute before the computations called. */
  static void append(StringBuilder text, Op op) {
    append(text, op, false);
  }

  /** Appends {@code , name=value} for each attribute behind the computations called. */
  static void appendTrailing(StringBuilder text, Op op) {
    append(text, op, true);
  }

  private static void append(StringBuilder text, Op op, boolean trailing) {
    switch (op) {
      case Elementwise e -> {}
      case Parameter p -> {}
      case Constant c -> {}
      default ->
          COMPONENTS.get(op.getClass()).stream()
              .filter(part -> part.isAnnotationPresent(Trailing.class) == trailing)
              .forEach(part -> append(text, op, part));
    }
  }

  private static void append(StringBuilder text, Op op, RecordComponent component) {
    Object value = value(op, component);
    if (component.isAnnotationPresent(Defaulted.class) && isDefault(value)) {
      return;
    }
    Optional<String> written =
        component.isAnnotationPresent(Written.class)
            ? Optional.of(((Shape) value).withDefaultLayout().toString())
            : print(value);
    written.ifPresent(printed ->
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
      case Long count -> count == 1;
      case String string -> string.isEmpty();
      case CustomCall.Schedule schedule -> schedule == CustomCall.Schedule.SCHEDULE_NONE;
      case CustomCall.ApiVersion version -> version == CustomCall.ApiVersion.API_VERSION_ORIGINAL;
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
      case ReplicaGroups groups -> Optional.of(groups.toString());
      case List<?> list -> Optional.of(braced(list));
      case Literal literal ->
          Optional.of(literal.shape().withDefaultLayout() + " " + literal.toHloText());
      case String string -> Optional.of(AttributeText.quoted(string));
      case Domain.Border border -> Optional.of(border.toString());
      case Integer number -> Optional.of(number.toString());
      case Long number -> Optional.of(number.toString());
      case Boolean flag -> Optional.of(flag.toString());
      case Float number -> Optional.of(number(number));
      case Window window -> window.rank() == 0 ? Optional.empty() : Optional.of(window.toString());
      case ConvolutionDimensionNumbers numbers -> Optional.of(numbers.toString());
      case SliceRanges ranges -> Optional.of(ranges.toString());
      case PadConfig padding -> Optional.of(padding.toString());
      case Enum<?> constant -> Optional.of(constant.toString());
      default -> throw new AssertionError("no text form known for " + value.getClass());
    };
  }

  /** A float that reads back as the same one. */
  private static String number(float value) {
    return Ascii.toLowerCase(Float.toString(value)).replace("infinity", "inf");
  }

  private static String braced(List<?> values) {
    boolean spaced = !values.isEmpty() && isStructured(values.get(0));
    String separator = spaced ? ", " : ",";
    return values.stream()
        .map(value -> value instanceof Dims ? print(value).orElseThrow() : value.toString())
        .collect(Collectors.joining(separator, "{", "}"));
  }

  private static boolean isStructured(Object value) {
    return value instanceof Shape || value instanceof Aliasing;
  }
}
