package org.hlo4j.hlo.schema;

import com.google.common.base.Ascii;
import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.Window;

/**
 * An attribute of an op, which is a component of its record.
 *
 * @param name its name in HLO text, such as {@code lhs_batch_dims}
 * @param component the record component
 * @param place its position in HLO text
 * @param absence the meaning of its absence in HLO text
 * @param isPrintedIfDefault whether HLO text has it even if it has the default value
 * @param path its path in HloInstructionProto: the names of messages, then that of the field
 */
public record OpAttribute(
    String name,
    RecordComponent component,
    Place place,
    Absence absence,
    boolean isPrintedIfDefault,
    ImmutableList<String> path) {
  /** The position of an attribute in HLO text. */
  public enum Place {
    /** In the shape of the result; it is not in a field of its own either. */
    SHAPE,
    /** Between the parentheses after the opcode. */
    PARENTHESES,
    /** After the operands. */
    BEFORE_CALLED,
    /** After the called computations. */
    AFTER_CALLED
  }

  /** The meaning of an absent attribute. */
  public enum Absence {
    /** It is an error. */
    MISTAKE,
    /** It has the default value; see {@link OpAttribute#defaultValue}. */
    DEFAULT,
    /** It has the default value if the shapes then match; otherwise it is an error. */
    DEFAULT_IF_SHAPES_SUIT
  }

  /**
   * The attributes that HLO text omits if they have the default value: an empty list, false, a
   * count of 1, or a list of defaults only.
   */
  private static final ImmutableSet<String> LEFT_OUT =
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

  /** The attributes that HLO text writes after the called computations. */
  private static final ImmutableSet<String> AFTER_CALLED = ImmutableSet.of("is_composite");

  /** The lists of dimensions or sizes that are needed, even if they are empty, as in XLA. */
  private static final ImmutableSet<String> NEEDED =
      ImmutableSet.of(
          "collapsed_slice_dims",
          "dimensions",
          "dynamic_slice_sizes",
          "inserted_window_dims",
          "offset_dims",
          "scatter_dims_to_operand_dims",
          "slice_sizes",
          "start_index_map",
          "update_window_dims");

  /** The ops whose {@code dimensions} may be left out all the same. */
  private static final ImmutableSet<String> WITHOUT_DIMENSIONS =
      ImmutableSet.of("broadcast", "map");

  /** Shapes that are attributes of their own, with their layouts. */
  private static final ImmutableSet<String> WRITTEN_SHAPES = ImmutableSet.of("outfeed_shape");

  static OpAttribute of(RecordComponent component) {
    String name = CaseFormat.LOWER_CAMEL.to(CaseFormat.LOWER_UNDERSCORE, component.getName());
    Class<?> type = component.getType();
    // Slice sizes are a list in a collective-permute; those of a gather are needed.
    boolean isLeftOut =
        LEFT_OUT.contains(name)
            || type == Optional.class
            || (type == ImmutableList.class && name.equals("slice_sizes"));
    return new OpAttribute(
        name,
        component,
        place(component, name),
        isLeftOut ? Absence.DEFAULT : absence(component, name),
        !isLeftOut && type != Window.class,
        FieldPaths.of(component, name));
  }

  private static Place place(RecordComponent component, String name) {
    if (isOfShape(component.getGenericType()) && !WRITTEN_SHAPES.contains(name)) {
      return Place.SHAPE;
    }
    Class<?> op = component.getDeclaringRecord();
    if (op == Parameter.class || op == Constant.class) {
      return Place.PARENTHESES;
    }
    return AFTER_CALLED.contains(name) ? Place.AFTER_CALLED : Place.BEFORE_CALLED;
  }

  private static boolean isOfShape(Type type) {
    boolean optional =
        type instanceof ParameterizedType generic && generic.getRawType() == Optional.class;
    Type inside = optional ? ((ParameterizedType) type).getActualTypeArguments()[0] : type;
    return inside == ElementType.class || inside == Shape.class || inside == Shape.Array.class;
  }

  private static Absence absence(RecordComponent component, String name) {
    Class<?> type = component.getType();
    if (type == Window.class || (type == Dims.class && !isNeeded(component, name))) {
      return Absence.DEFAULT_IF_SHAPES_SUIT;
    }
    return type == boolean.class || type == ReplicaGroups.class ? Absence.DEFAULT : Absence.MISTAKE;
  }

  private static boolean isNeeded(RecordComponent component, String name) {
    String op = Ascii.toLowerCase(component.getDeclaringRecord().getSimpleName());
    return NEEDED.contains(name) && !(name.equals("dimensions") && WITHOUT_DIMENSIONS.contains(op));
  }

  /**
   * Returns whether HLO text has it after the operands, as {@code name=value}.
   *
   * @return whether HLO text has it after the operands, as {@code name=value}
   */
  public boolean isNamed() {
    return place == Place.BEFORE_CALLED || place == Place.AFTER_CALLED;
  }

  /**
   * Returns the type of its values.
   *
   * @return the type of its values
   */
  public Type type() {
    return component.getGenericType();
  }

  /**
   * Returns what its absence means, if that is not what it means for all attributes of its type.
   *
   * @return what its absence means, if that is not what it means for all attributes of its type
   */
  public Optional<Object> defaultValue() {
    return name.equals("largest") ? Optional.of(true) : Optional.empty();
  }

  /**
   * Its value in an op.
   *
   * @param op the op
   * @return its value in an op
   */
  public Object value(Op op) {
    try {
      return component.getAccessor().invoke(op);
    } catch (ReflectiveOperationException broken) {
      throw new LinkageError(op + " has no readable " + name, broken);
    }
  }

  /**
   * Returns the part of the shape of the result that it may hold: the element type, or all of it;
   * empty if it holds none, or the result has no element type.
   */
  Optional<Object> optionalPartOf(Shape result) {
    if (place != Place.SHAPE || component.getType() != Optional.class) {
      return Optional.empty();
    }
    boolean isType = ((ParameterizedType) type()).getActualTypeArguments()[0] == ElementType.class;
    if (!isType) {
      return Optional.of(result.withoutLayout());
    }
    return result instanceof Shape.Array array
        ? Optional.of(array.elementType())
        : Optional.empty();
  }

  /**
   * Returns the value of an attribute that is part of the result shape: that shape, its element
   * type, or an empty optional for an optional element type.
   *
   * @param result the shape of the result, as declared
   * @return the value; empty if the result should be an array and is none
   */
  public Optional<Object> inShape(Shape result) {
    Class<?> type = component.getType();
    if (type == Optional.class) {
      return Optional.of(Optional.empty());
    }
    Shape plain = received(result).withoutLayout();
    if (type == Shape.class) {
      return Optional.of(plain);
    }
    return plain instanceof Shape.Array array
        ? Optional.of(type == ElementType.class ? array.elementType() : array)
        : Optional.empty();
  }

  /**
   * Returns the shape of a received value, which is the first element of the result, before the
   * token.
   */
  private Shape received(Shape result) {
    Class<?> op = component.getDeclaringRecord();
    return (op == Infeed.class || op == Recv.class)
            && result instanceof Shape.Tuple tuple
            && !tuple.elements().isEmpty()
        ? tuple.elements().get(0)
        : result;
  }
}
