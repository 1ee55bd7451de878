package org.hlo4j.hlo.text;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.collect.ImmutableList;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.junit.jupiter.api.Test;

/** The parser finds ops by the names of their records; each must be what its opcode says. */
final class OpcodesTest {
  @Test
  void everyRecordIsNamedAsItsOpcode() throws ReflectiveOperationException {
    for (Class<?> type : Opcodes.recordsOf(Op.class).toList()) {
      if (type != Elementwise.class) {
        Op op = (Op) sample(type);
        assertWithMessage("%s", type).that(Opcodes.opcode(type)).isEqualTo(op.opcode());
        assertThat(Opcodes.record(op.opcode())).hasValue(type);
      }
    }
  }

  @Test
  void everyElementwiseFunctionIsFound() {
    for (Elementwise.Kind kind : Elementwise.Kind.values()) {
      assertThat(Opcodes.elementwise(kind.mnemonic())).hasValue(new Elementwise(kind));
    }
  }

  @Test
  void examples() {
    assertThat(Opcodes.record("get-tuple-element")).hasValue(GetTupleElement.class);
    assertThat(Opcodes.contains("subtract")).isTrue();
    assertThat(Opcodes.contains("elementwise")).isFalse();
  }

  @Test
  void everyComponentHasATextForm() {
    for (Class<?> type : Opcodes.recordsOf(Op.class).toList()) {
      assertThat(Attributes.of(type)).isNotNull();
    }
  }

  /** A record of the plainest values of its components' types. */
  private static Object sample(Class<?> type) throws ReflectiveOperationException {
    RecordComponent[] components = type.getRecordComponents();
    List<Class<?>> types = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (RecordComponent component : components) {
      types.add(component.getType());
      values.add(plainest(component.getType()));
    }
    return type.getDeclaredConstructor(types.toArray(Class<?>[]::new))
        .newInstance(values.toArray());
  }

  private static Object plainest(Class<?> type) throws ReflectiveOperationException {
    if (type.isEnum() && type != ElementType.class) {
      return type.getEnumConstants()[0];
    } else if (type.isInterface() && type.isSealed()) {
      return plainest(type.getPermittedSubclasses()[0]);
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
