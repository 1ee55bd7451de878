package org.hlo4j.hlo.text;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.Trailing;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.op.Written;

/**
 * The attributes of an op as HLO text: one per record component, named as it is, in its order. The
 * record header is all there is to know: {@link Codec} says how each type of component is written
 * and read.
 */
final class Attributes {
  /**
   * What HLO text leaves out where it says nothing: an empty list, false, a count of 1, or a list
   * of defaults only. By name, the same in all ops: an annotation, when first asked for, takes Java
   * a tenth of the time of a first result.
   */
  private static final ImmutableSet<String> DEFAULTED =
      ImmutableSet.of(
          "api_version",
          "async_execution_thread",
          "batch_group_count",
          "constrain_layout",
          "custom_call_has_side_effect",
          "feature_group_count",
          "indices_are_sorted",
          "infeed_config",
          "input_batching_dims",
          "is_composite",
          "is_host_transfer",
          "is_reverse",
          "is_stable",
          "left_side",
          "lhs_batch_dims",
          "lower",
          "operand_batching_dims",
          "operand_precision",
          "outfeed_config",
          "output_to_operand_aliasing",
          "rhs_batch_dims",
          "rhs_group_dims",
          "scatter_indices_batching_dims",
          "schedule",
          "start_indices_batching_dims",
          "unique_indices",
          "unit_diagonal",
          "use_global_device_ids");

  private static final ClassValue<Attributes> OF_RECORD =
      new ClassValue<>() {
        @Override
        protected Attributes computeValue(Class<?> type) {
          return new Attributes(type);
        }
      };

  /**
   * A component of a record.
   *
   * @param name as HLO text has it
   * @param component the component
   * @param codec how it is written; none where it stands in the shape of the result
   */
  record Attribute(String name, RecordComponent component, Optional<Codec<Object>> codec) {
    @SuppressWarnings("unchecked") // a component's values are of its type
    static Attribute of(RecordComponent component) {
      Type type = component.getGenericType();
      boolean inShape = isInShape(type) && !component.isAnnotationPresent(Written.class);
      Optional<Codec<Object>> codec =
          inShape ? Optional.empty() : Optional.of((Codec<Object>) Codec.of(type));
      return new Attribute(
          CaseFormat.LOWER_CAMEL.to(CaseFormat.LOWER_UNDERSCORE, component.getName()),
          component,
          codec);
    }

    /** Whether a value may be left out of the text. */
    boolean mayBeAbsent() {
      boolean isList = component.getType() == ImmutableList.class;
      return DEFAULTED.contains(name)
          || (isList && name.equals("slice_sizes")) // of a collective-permute, not of a gather
          || component.getType() == Optional.class
          || component.getType() == Window.class;
    }

    /** Whether the shapes tell if its absence is a mistake: then it stands for nothing special. */
    boolean isAssumed() {
      Class<?> type = component.getType();
      return !DEFAULTED.contains(name) && (type == Dims.class || type == Window.class);
    }

    /** What it stands for where it is printed always but need not be written. */
    Optional<Object> whenLeftOut() {
      if (component.getType() == ReplicaGroups.class) {
        return Optional.of(ReplicaGroups.all());
      }
      return component.getType() == boolean.class
          ? Optional.of(name.equals("largest"))
          : Optional.empty();
    }

    /** Whether it stands behind the computations called. */
    boolean isTrailing() {
      return component.isAnnotationPresent(Trailing.class);
    }

    /** Whether it is the optional element type of the result. */
    boolean isOptionalElementType() {
      return codec.isEmpty() && component.getType() == Optional.class;
    }

    private static boolean isInShape(Type type) {
      boolean optional =
          type instanceof ParameterizedType generic && generic.getRawType() == Optional.class;
      Type inside = optional ? ((ParameterizedType) type).getActualTypeArguments()[0] : type;
      return inside == ElementType.class || inside == Shape.class || inside == Shape.Array.class;
    }

    private void append(StringBuilder text, Op op, PrintOptions options) {
      if (codec.isEmpty()) {
        return;
      }
      Object value = options.has(PrintOptions.Part.PARTICULARS) ? value(op) : essential(value(op));
      if (!(mayBeAbsent() && codec.get().isDefault().test(value))) {
        text.append(", ").append(name).append('=').append(codec.get().print().apply(value));
      }
    }

    /** The value without what is a matter of writing or of the place. */
    private Object essential(Object value) {
      return switch (value) {
        case ReplicaGroups groups -> ReplicaGroups.of(groups.groups());
        case String config when name.endsWith("feed_config") -> "";
        default -> value;
      };
    }

    private Object value(Op op) {
      try {
        return component.getAccessor().invoke(op);
      } catch (ReflectiveOperationException broken) {
        throw new LinkageError(op + " has no readable " + name, broken);
      }
    }
  }

  private final Class<?> type;
  private final ImmutableList<Attribute> all;

  private Attributes(Class<?> type) {
    this.type = type;
    boolean none = type == Elementwise.class || type == Parameter.class || type == Constant.class;
    this.all =
        none
            ? ImmutableList.of()
            : Arrays.stream(type.getRecordComponents())
                .map(Attribute::of)
                .collect(toImmutableList());
  }

  /** The attributes of a type of op; none of those whose components stand elsewhere. */
  static Attributes of(Class<?> type) {
    return OF_RECORD.get(type);
  }

  /** All components, those that stand in the shape too, in order. */
  ImmutableList<Attribute> all() {
    return all;
  }

  /** Appends {@code , name=value} for each attribute before the computations called. */
  static void append(StringBuilder text, Op op, PrintOptions options) {
    append(text, op, options, false);
  }

  /** Appends {@code , name=value} for each attribute behind the computations called. */
  static void appendTrailing(StringBuilder text, Op op, PrintOptions options) {
    append(text, op, options, true);
  }

  private static void append(StringBuilder text, Op op, PrintOptions options, boolean trailing) {
    for (Attribute attribute : of(op.getClass()).all) {
      if (attribute.isTrailing() == trailing) {
        attribute.append(text, op, options);
      }
    }
  }

  /**
   * The op of these components.
   *
   * @throws HloException if the op refuses them
   */
  Op create(List<Object> values) {
    try {
      return (Op) constructor().newInstance(values.toArray());
    } catch (InvocationTargetException refused) {
      if (refused.getCause() instanceof HloException refusal) {
        throw refusal;
      }
      throw new LinkageError(type + " cannot be made", refused);
    } catch (ReflectiveOperationException broken) {
      throw new LinkageError(type + " cannot be made", broken);
    }
  }

  private Constructor<?> constructor() throws NoSuchMethodException {
    Class<?>[] types =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    return type.getDeclaredConstructor(types);
  }
}
