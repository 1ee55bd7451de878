package org.hlo4j.stablehlo.mlir;

import static com.google.common.truth.Truth.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Asserts that two operations are equal, where values correspond if their definitions correspond.
 */
final class SameModel {
  private final Map<Value, Value> actualOf = new HashMap<>();

  private SameModel() {}

  /** Asserts that the operations are equal, including their locations. */
  static void assertSame(Operation actual, Operation expected) {
    new SameModel().operation(actual, expected);
  }

  private void operation(Operation actual, Operation expected) {
    assertThat(actual.toString()).isEqualTo(expected.toString());
    assertThat(actual.attributes()).isEqualTo(expected.attributes());
    assertThat(actual.location()).isEqualTo(expected.location());
    for (int i = 0; i < expected.operands().size(); i++) {
      assertThat(actual.operand(i)).isSameInstanceAs(actualOf.get(expected.operand(i)));
    }
    assertThat(actual.regions()).hasSize(expected.regions().size());
    for (int i = 0; i < expected.regions().size(); i++) {
      List<Block> blocks = expected.region(i).blocks();
      assertThat(actual.region(i).blocks()).hasSize(blocks.size());
      for (int j = 0; j < blocks.size(); j++) {
        block(actual.region(i).blocks().get(j), blocks.get(j));
      }
    }
    define(actual.results(), expected.results());
  }

  private void block(Block actual, Block expected) {
    define(actual.arguments(), expected.arguments());
    for (int i = 0; i < expected.arguments().size(); i++) {
      Value argument = actual.arguments().get(i);
      assertThat(argument.location()).isEqualTo(expected.arguments().get(i).location());
    }
    assertThat(actual.operations()).hasSize(expected.operations().size());
    for (int i = 0; i < expected.operations().size(); i++) {
      operation(actual.operations().get(i), expected.operations().get(i));
    }
  }

  private void define(List<Value> actual, List<Value> expected) {
    assertThat(actual.stream().map(Value::type).toList())
        .isEqualTo(expected.stream().map(Value::type).toList());
    for (int i = 0; i < expected.size(); i++) {
      actualOf.put(expected.get(i), actual.get(i));
    }
  }
}
