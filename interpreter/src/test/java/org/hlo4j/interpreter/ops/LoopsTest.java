package org.hlo4j.interpreter.ops;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S8;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Loops;
import org.hlo4j.builder.lib.Tuples;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;

/** Loops that carry several values, and tuples. */
final class LoopsTest {
  private static final XlaBuilder ANY = new XlaBuilder("any");

  private static Literal run(XlaBuilder b, List<XlaOp> results) {
    return Evaluators.both().run(b.build(b.tuple(results)));
  }

  @Test
  void whileLoopHelper() {
    XlaBuilder b = new XlaBuilder("halve");
    List<XlaOp> last =
        Loops.whileLoopHelper(
            b,
            (c, v) -> v.get(0).ge(c.constant(1f)),
            (c, v) -> List.of(v.get(0).div(c.constant(2f)), v.get(1).add(c.constant(1))),
            List.of(b.constant(12f), b.constant(0)));
    assertThat(run(b, last)).isEqualTo(Literal.tuple(Literal.of(0.75f), Literal.of(4)));
  }

  @Test
  void forEachIndex() {
    XlaBuilder b = new XlaBuilder("fibonacci");
    List<XlaOp> last =
        Loops.forEachIndex(
            b,
            10,
            S32,
            (c, i, v) -> List.of(v.get(1), v.get(0).add(v.get(1)), v.get(2).add(i)),
            List.of(b.constant(0), b.constant(1), b.constant(0)));
    assertThat(run(b, last))
        .isEqualTo(Literal.tuple(Literal.of(55), Literal.of(89), Literal.of(45)));
  }

  @Test
  void noRoundsAndNoValues() {
    XlaBuilder b = new XlaBuilder("none");
    List<XlaOp> last =
        Loops.forEachIndex(b, 0, S32, (c, i, v) -> List.of(v.get(0).neg()), List.of(b.constant(7)));
    assertThat(run(b, last)).isEqualTo(Literal.tuple(Literal.of(7)));
    XlaBuilder empty = new XlaBuilder("empty");
    assertThat(Loops.forEachIndex(empty, 3, S8, (c, i, v) -> v, List.of())).isEmpty();
    assertThat(run(empty, List.of())).isEqualTo(Literal.tuple());
  }

  @Test
  void aBodyOfOtherShapesIsRefused() {
    XlaBuilder b = new XlaBuilder("other");
    HloException refusal =
        assertThrows(
            HloException.class,
            () ->
                Loops.forEachIndex(b, 2, S32, (c, i, v) -> List.of(i, i), List.of(b.constant(7))));
    assertThat(refusal.summary()).contains("while");
    refusal =
        assertThrows(
            HloException.class, () -> Loops.forEachIndex(ANY, 128, S8, (c, i, v) -> v, List.of()));
    assertThat(refusal.summary())
        .isEqualTo("forEachIndex: iterations got 128, want from 0 to what s8 can hold");
    refusal =
        assertThrows(
            HloException.class, () -> Loops.forEachIndex(ANY, -1, S8, (c, i, v) -> v, List.of()));
    assertThat(refusal.summary())
        .isEqualTo("forEachIndex: iterations got -1, want from 0 to what s8 can hold");
    refusal =
        assertThrows(
            HloException.class, () -> Loops.forEachIndex(ANY, 1, F32, (c, i, v) -> v, List.of()));
    assertThat(refusal.summary())
        .isEqualTo("forEachIndex: index type got f32, want an integer type");
  }

  @Test
  void tuples() {
    XlaBuilder b = new XlaBuilder("tuples");
    XlaOp nested = b.tuple(b.constant(1), b.tuple(b.constant(2f), b.tuple()), b.constant(true));
    List<XlaOp> leaves = Tuples.disassembleTuple(nested);
    assertThat(leaves.stream().map(leaf -> leaf.shape().toString()).toList())
        .containsExactly("s32[]", "f32[]", "pred[]")
        .inOrder();
    XlaOp again = Tuples.assembleTuple(b, nested.shape(), leaves);
    assertThat(Evaluators.both().run(b.build(again)))
        .isEqualTo(
            Literal.tuple(
                Literal.of(1), Literal.tuple(Literal.of(2f), Literal.tuple()), Literal.of(true)));
  }

  @Test
  void otherLeavesAreRefused() {
    XlaBuilder b = new XlaBuilder("tuples");
    XlaOp one = b.constant(1);
    Shape.Tuple pair = Shape.tuple(Shape.of(S32), Shape.of(F32));
    assertThat(summary(() -> Tuples.assembleTuple(b, pair, List.of(one))))
        .isEqualTo("assembleTuple: got 1 values, want more");
    assertThat(summary(() -> Tuples.assembleTuple(b, pair, List.of(one, one))))
        .isEqualTo("assembleTuple: value got s32[], want f32[]");
    assertThat(summary(() -> Tuples.assembleTuple(b, one.shape(), List.of(one, one))))
        .isEqualTo("assembleTuple: got 2 values, want fewer for s32[]");
  }

  private static String summary(Runnable work) {
    return assertThrows(HloException.class, work::run).summary();
  }
}
