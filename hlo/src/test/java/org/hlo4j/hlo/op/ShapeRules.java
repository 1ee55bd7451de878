package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;

/** Shapes and assertions for tests of shape rules. */
final class ShapeRules {
  private ShapeRules() {}

  static Shape.Array f32(long... sizes) {
    return Shape.of(F32, sizes);
  }

  static Shape.Array s32(long... sizes) {
    return Shape.of(ElementType.S32, sizes);
  }

  static Shape.Array dynamic(Integer... dimensions) {
    return f32(5, 3).withDynamic(List.of(dimensions));
  }

  static Shape.Array unbounded() {
    return new Shape.Array(
        F32, Dims.of(Shape.UNBOUNDED, 3), ImmutableSortedSet.of(0), Optional.empty());
  }

  /** Infers the shape of a scatter whose computation has a scalar for each input and update. */
  static Shape infer(Scatter op, Shape... operands) {
    int count = operands.length / 2;
    ImmutableList<Shape> scalars = ImmutableList.copyOf(Collections.nCopies(count, f32()));
    ImmutableList<Shape> parameters =
        ImmutableList.<Shape>builder().addAll(scalars).addAll(scalars).build();
    Shape result = count == 1 ? f32() : new Shape.Tuple(scalars);
    return op.infer(
        new Operands(
            ImmutableList.copyOf(operands),
            ImmutableList.of(new ProgramShape(parameters, result))));
  }

  static void shape(String want, Shape got) {
    assertThat(got.toString()).isEqualTo(want);
  }

  static void refused(String label, String message, Runnable call) {
    HloException refusal = assertThrows(HloException.class, call::run);
    assertThat(refusal.label()).isEqualTo(label);
    assertThat(refusal.summary()).isEqualTo(message);
  }
}
