package org.hlo4j.hlo.schema;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.collect.ImmutableList;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each op that {@link Op} permits has a schema, and the schema agrees with the op. */
final class OpSchemaTest {
  @Test
  void everyOpHasASchema() {
    assertThat(OpSchema.all().stream().map(OpSchema::type).toList())
        .containsExactlyElementsIn(
            records(Op.class).filter(type -> type != Elementwise.class).toList());
  }

  private static Stream<Class<?>> records(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses()).flatMap(OpSchemaTest::records).distinct()
        : Stream.of(type);
  }

  @Test
  void schemasAgreeWithTheirRecords() throws ReflectiveOperationException {
    for (OpSchema schema : OpSchema.all()) {
      Op op = (Op) sample(schema.type());
      assertWithMessage("%s", schema.type()).that(op.opcode()).isEqualTo(schema.opcode());
      assertThat(OpSchema.of(op.opcode())).hasValue(schema);
      List<Object> values =
          schema.attributes().stream().map(attribute -> attribute.value(op)).toList();
      assertThat(schema.create(values)).isEqualTo(op);
    }
  }

  @Test
  void calleeNamesAreAttributes() throws ReflectiveOperationException {
    for (OpSchema schema : OpSchema.all()) {
      Op op = (Op) sample(schema.type());
      op.callees().forEach(callee -> assertThat(OpSchema.isAttribute(callee)).isTrue());
      op.calleeList().ifPresent(list -> assertThat(OpSchema.isAttribute(list)).isTrue());
    }
  }

  @Test
  void elementwiseOpsAreFoundByMnemonic() {
    for (Elementwise.Kind kind : Elementwise.Kind.values()) {
      assertThat(OpSchema.elementwise(kind.mnemonic())).hasValue(new Elementwise(kind));
    }
  }

  @Test
  void opcodes() {
    assertThat(OpSchema.contains("subtract")).isTrue();
    assertThat(OpSchema.contains("elementwise")).isFalse();
    assertThat(OpSchema.opcodes()).containsAtLeast("subtract", "get-tuple-element");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          slice        | slice               | BEFORE_CALLED | MISTAKE | true  | slice_dimensions
          transpose    | dimensions          | BEFORE_CALLED | MISTAKE | true | dimensions
          dot          | lhs_batch_dims      | BEFORE_CALLED | DEFAULT | false | dot_dimension_numbers.lhs_batch_dimensions
          ragged-dot   | lhs_batch_dims      | BEFORE_CALLED | DEFAULT | false | ragged_dot_dimension_numbers.dot_dimension_numbers.lhs_batch_dimensions
          scaled-dot   | operand_precision   | BEFORE_CALLED | DEFAULT | false | precision_config.operand_precision
          reduce-window| window              | BEFORE_CALLED | DEFAULT_IF_SHAPES_SUIT | false | window
          all-reduce   | replica_groups      | BEFORE_CALLED | DEFAULT | true  | replica_groups
          topk         | largest             | BEFORE_CALLED | DEFAULT | true  | largest
          gather       | slice_sizes         | BEFORE_CALLED | MISTAKE | true | gather_slice_sizes
          collective-permute | slice_sizes   | BEFORE_CALLED | DEFAULT | false | dynamic_slice_sizes
          call         | is_composite        | AFTER_CALLED  | DEFAULT | false | is_composite
          outfeed      | outfeed_shape       | BEFORE_CALLED | MISTAKE | true  | outfeed_shape
          convert      | new_element_type    | SHAPE         | MISTAKE | true  | new_element_type
          parameter    | number              | PARENTHESES   | MISTAKE | true  | parameter_number
          """)
  void attributeProperties(
      String opcode,
      String name,
      OpAttribute.Place place,
      OpAttribute.Absence absence,
      boolean isPrintedIfDefault,
      String path) {
    OpAttribute attribute =
        OpSchema.of(opcode).orElseThrow().attributes().stream()
            .filter(candidate -> candidate.name().equals(name))
            .findFirst()
            .orElseThrow();
    assertThat(attribute.place()).isEqualTo(place);
    assertThat(attribute.absence()).isEqualTo(absence);
    assertThat(attribute.isPrintedIfDefault()).isEqualTo(isPrintedIfDefault);
    assertThat(String.join(".", attribute.path())).isEqualTo(path);
  }

  /** Returns an instance of a record whose components have default values of their types. */
  private static Object sample(Class<?> type) throws ReflectiveOperationException {
    RecordComponent[] components = type.getRecordComponents();
    List<Class<?>> types = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (RecordComponent component : components) {
      types.add(component.getType());
      values.add(defaultValue(component.getType()));
    }
    return type.getDeclaredConstructor(types.toArray(Class<?>[]::new))
        .newInstance(values.toArray());
  }

  private static Object defaultValue(Class<?> type) throws ReflectiveOperationException {
    if (type.isEnum() && type != ElementType.class) {
      return type.getEnumConstants()[0];
    } else if (type.isInterface() && type.isSealed()) {
      return defaultValue(type.getPermittedSubclasses()[0]);
    }
    return switch (type.getSimpleName()) {
      case "int" -> 0;
      case "long" -> 0L;
      case "float" -> 0f;
      case "boolean" -> false;
      case "String" -> "";
      case "Dims" -> Dims.of();
      case "Optional" -> Optional.empty();
      case "ImmutableList" -> ImmutableList.of();
      case "ElementType" -> ElementType.PRED;
      case "Shape", "Array" -> Shape.of(ElementType.F32);
      case "Literal" -> Literal.of(1);
      case "ReplicaGroups" -> ReplicaGroups.all();
      default -> sample(type);
    };
  }
}
