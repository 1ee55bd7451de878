package org.hlo4j.hlo.schema;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.base.CaseFormat;
import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Operands;

/**
 * The schema of an op: its opcode and attributes. The schemas are derived from the records: {@code
 * get-tuple-element} is the record {@code GetTupleElement}, and its attributes are the record's
 * components. The element-wise ops, which have no attributes, have their mnemonics instead. The
 * readers and writers of text and protocol buffers all use these schemas.
 */
public final class OpSchema {
  private static final ImmutableMap<String, Elementwise> ELEMENTWISE =
      Arrays.stream(Elementwise.Kind.values())
          .collect(toImmutableMap(Elementwise.Kind::mnemonic, Elementwise::new));

  private static final ImmutableMap<String, OpSchema> RECORDS =
      recordsOf(Op.class)
          .filter(type -> type != Elementwise.class)
          .map(OpSchema::new)
          .collect(toImmutableMap(OpSchema::opcode, schema -> schema));

  private static final ClassValue<ImmutableList<OpAttribute>> ATTRIBUTES =
      new ClassValue<>() {
        @Override
        protected ImmutableList<OpAttribute> computeValue(Class<?> type) {
          return type == Elementwise.class
              ? ImmutableList.of()
              : Arrays.stream(type.getRecordComponents())
                  .map(OpAttribute::of)
                  .collect(toImmutableList());
        }
      };

  /** Computed on first use, because it inspects all records. */
  private static final Supplier<ImmutableSet<String>> ATTRIBUTE_NAMES =
      Suppliers.memoize(() ->
          RECORDS.values().stream()
              .flatMap(schema -> schema.attributes().stream())
              .filter(OpAttribute::isNamed)
              .map(OpAttribute::name)
              .collect(toImmutableSet()));

  /** The attributes that name computations. */
  private static final ImmutableSet<String> CALLEES =
      ImmutableSet.of(
          "to_apply",
          "calls",
          "condition",
          "body",
          "select",
          "scatter",
          "true_computation",
          "false_computation",
          "branch_computations",
          "called_computations");

  private final Class<?> type;
  private final String opcode;

  private OpSchema(Class<?> type) {
    this.type = type;
    this.opcode = CaseFormat.UPPER_CAMEL.to(CaseFormat.LOWER_HYPHEN, type.getSimpleName());
  }

  private static Stream<Class<?>> recordsOf(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses()).flatMap(OpSchema::recordsOf).distinct()
        : Stream.of(type);
  }

  /**
   * Returns the schemas of all ops but the element-wise ones.
   *
   * @return the schemas
   */
  public static ImmutableCollection<OpSchema> all() {
    return RECORDS.values();
  }

  /**
   * Returns the schema of an opcode; empty for an element-wise op, and if there is no such op.
   *
   * @param opcode the opcode
   * @return the schema
   */
  public static Optional<OpSchema> of(String opcode) {
    return Optional.ofNullable(RECORDS.get(opcode));
  }

  /**
   * Returns the element-wise op of an opcode; empty if it is another.
   *
   * @param opcode the opcode
   * @return the element-wise op of an opcode
   */
  public static Optional<Elementwise> elementwise(String opcode) {
    return Optional.ofNullable(ELEMENTWISE.get(opcode));
  }

  /**
   * Returns whether there is an op of this opcode.
   *
   * @param opcode the opcode
   * @return whether there is an op of this opcode
   */
  public static boolean contains(String opcode) {
    return ELEMENTWISE.containsKey(opcode) || RECORDS.containsKey(opcode);
  }

  /**
   * Returns all opcodes there are.
   *
   * @return all opcodes there are
   */
  public static ImmutableSet<String> opcodes() {
    return ImmutableSet.<String>builder()
        .addAll(ELEMENTWISE.keySet())
        .addAll(RECORDS.keySet())
        .build();
  }

  /**
   * Returns whether this is the name of an attribute of any op in HLO text.
   *
   * @param name the name
   * @return whether this is the name of an attribute of any op in HLO text
   */
  public static boolean isAttribute(String name) {
    return ATTRIBUTE_NAMES.get().contains(name) || CALLEES.contains(name);
  }

  /**
   * Returns the attributes of an op, in the order of its record.
   *
   * @param op the op
   * @return the attributes of an op, in the order of its record
   */
  public static ImmutableList<OpAttribute> attributes(Op op) {
    return ATTRIBUTES.get(op.getClass());
  }

  /**
   * Returns the attributes, in the order of the record.
   *
   * @return the attributes, in the order of the record
   */
  public ImmutableList<OpAttribute> attributes() {
    return ATTRIBUTES.get(type);
  }

  /**
   * Returns the record.
   *
   * @return the record
   */
  public Class<?> type() {
    return type;
  }

  /**
   * Returns the opcode.
   *
   * @return the opcode
   */
  public String opcode() {
    return opcode;
  }

  /**
   * Returns the op of these attributes.
   *
   * @param values the values of its attributes, in order
   * @return the op of these attributes
   * @throws HloException if the op refuses them
   */
  public Op create(List<Object> values) {
    return (Op) record(type, values);
  }

  /**
   * Returns a record, such as an op or a component of one.
   *
   * @param type its class
   * @param values its components, in order
   * @return the record
   * @throws HloException if it refuses them
   */
  public static Object record(Class<?> type, List<Object> values) {
    try {
      Class<?>[] types =
          Arrays.stream(type.getRecordComponents())
              .map(RecordComponent::getType)
              .toArray(Class<?>[]::new);
      return type.getDeclaredConstructor(types).newInstance(values.toArray());
    } catch (InvocationTargetException refused) {
      if (refused.getCause() instanceof HloException refusal) {
        throw refusal;
      }
      throw new LinkageError(type + " cannot be made", refused);
    } catch (ReflectiveOperationException broken) {
      throw new LinkageError(type + " cannot be made", broken);
    }
  }

  /**
   * Returns an op with other attributes.
   *
   * @param op the op
   * @param change gives what takes the place of an attribute, from its name and its value
   * @return the op of these attributes; the same one if they are the same
   * @throws HloException if the op refuses them
   */
  public static Op with(Op op, BiFunction<String, Object, Object> change) {
    List<Object> values = new ArrayList<>();
    List<Object> changed = new ArrayList<>();
    for (OpAttribute attribute : attributes(op)) {
      values.add(attribute.value(op));
      changed.add(change.apply(attribute.name(), attribute.value(op)));
    }
    return changed.equals(values) ? op : of(op.opcode()).orElseThrow().create(changed);
  }

  /**
   * Adapts an op to the shape of its result: adds the element type or the shape of the result if
   * the op has an optional one that is absent but needed.
   *
   * @param op the op of the values
   * @param values the values of its attributes
   * @param inputs its operands and what it calls
   * @param result the shape of its result, as declared
   * @return the op
   * @throws HloException if the op refuses it
   */
  public Op withPartOfShape(Op op, List<Object> values, Operands inputs, Shape result) {
    ImmutableList<OpAttribute> all = attributes();
    for (int i = 0; i < all.size(); i++) {
      Optional<Object> part = all.get(i).optionalPartOf(result);
      if (part.isPresent() && !suits(op, inputs, result)) {
        List<Object> typed = new ArrayList<>(values);
        typed.set(i, part);
        Op other = create(typed);
        return suits(other, inputs, result) ? other : op;
      }
    }
    return op;
  }

  /**
   * Returns whether the shape rule of an op gives a shape.
   *
   * @param op the op
   * @param inputs its operands and what it calls
   * @return whether the shape rule of an op gives a shape
   */
  public static boolean infers(Op op, Operands inputs) {
    return inferred(op, inputs).isPresent();
  }

  /**
   * Returns whether the shape rule of an op gives this shape.
   *
   * @param op the op
   * @param inputs its operands and what it calls
   * @param result the shape of the result, as declared
   * @return whether the shape rule of an op gives this shape
   */
  public static boolean suits(Op op, Operands inputs, Shape result) {
    return inferred(op, inputs).filter(shape -> shape.compatible(result)).isPresent();
  }

  private static Optional<Shape> inferred(Op op, Operands inputs) {
    try {
      return Optional.of(op.infer(inputs));
    } catch (HloException refusal) {
      return Optional.empty();
    }
  }
}
