package org.hlo4j.hlo.ir;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which slice of an array each device holds: the places are those of XLA's OpSharding. */
final class ArrayShardingTest {
  private static ArraySharding sharding(String shape, String sharding, int replicas, int count) {
    Sharding.Single single = (Sharding.Single) Parser.parseSharding(sharding);
    return new ArraySharding(Parser.parseShape(shape), single.placement(), replicas, count);
  }

  /** The slices of {@code {{0, 1, 2, 3}, {4, 5, 6, 7}}} on devices 0 to 3. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{replicated} | 01234567 01234567 01234567 01234567",
        "{unknown} | 01234567 01234567 01234567 01234567",
        "{devices=[2,2]<=[4]} | 01 23 45 67",
        "{devices=[2,2]<=[2,2]T(1,0)} | 01 45 23 67",
        "{devices=[2,2]3,1,2,0} | 67 23 45 01",
        "{devices=[1,4]<=[4]} | 04 15 26 37",
        "{devices=[2,1,2]<=[4] last_tile_dim_replicate} | 0123 0123 4567 4567",
        "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate} | 0123 4567 0123 4567",
        "{devices=[1,2,2]<=[4] last_tile_dims={manual}} | 0145 0145 2367 2367",
        "{mesh['x'=2,'y'=2], [{'x'}, {'y'}]} | 01 23 45 67",
        "{mesh['x'=2,'y'=2], [{'y'}, {'x'}]} | 01 45 23 67",
        "{mesh['x'=2,'y'=2], [{}, {'y','x'}]} | 04 26 15 37",
        "{mesh['x'=4], [{'x':(2)2}, {'x':(1)2}]} | 01 45 23 67",
        "{mesh['x'=2,'y'=2], replicated} | 01234567 01234567 01234567 01234567",
      })
  void slices(String text, String want) {
    ArraySharding sharding = sharding("f32[2,4]", text, 1, 4);
    Literal whole = Literal.of(new float[][] {{0, 1, 2, 3}, {4, 5, 6, 7}});
    List<Literal> slices = sharding.split(whole);
    assertThat(slices.stream().map(ArrayShardingTest::digits).toList())
        .isEqualTo(List.of(want.split(" ")));
    assertThat(slices.stream().map(Literal::shape).distinct().toList())
        .containsExactly(sharding.sliceShape());
    assertThat(sharding.join(slices)).isEqualTo(whole);
    assertThat(sharding.isReplicated()).isEqualTo(sharding.sliceShape().equals(whole.shape()));
  }

  private static String digits(Literal slice) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < slice.elementCount(); i++) {
      text.append((int) slice.doubleAt(i));
    }
    return text.toString();
  }

  @Test
  void eachReplicaHoldsAllSlices() {
    ArraySharding sharding = sharding("s32[4]", "{devices=[2]<=[2]}", 2, 2);
    assertThat(sharding.split(Literal.of(new int[] {0, 1, 2, 3})))
        .containsExactly(
            Literal.of(new int[] {0, 1}),
            Literal.of(new int[] {2, 3}),
            Literal.of(new int[] {0, 1}),
            Literal.of(new int[] {2, 3}))
        .inOrder();
  }

  /** As XLA does; what lies beyond the array is not read. */
  @Test
  void lastSlicesAreFilledWithZeros() {
    ArraySharding sharding = sharding("s32[5,1]", "{devices=[4,1]<=[4]}", 1, 4);
    Literal whole = Literal.of(new int[][] {{1}, {2}, {3}, {4}, {5}});
    List<Literal> slices = sharding.split(whole);
    assertThat(slices)
        .containsExactly(
            Literal.of(new int[][] {{1}, {2}}),
            Literal.of(new int[][] {{3}, {4}}),
            Literal.of(new int[][] {{5}, {0}}),
            Literal.of(new int[][] {{0}, {0}}))
        .inOrder();
    assertThat(sharding.join(slices)).isEqualTo(whole);
    assertThat(sharding.start(3).toArray()).isEqualTo(new long[] {6, 0});
  }

  @Test
  void ofSeveralAlikeTheFirstIsTaken() {
    ArraySharding sharding =
        sharding("s32[2]", "{devices=[1,2]<=[2] last_tile_dim_replicate}", 1, 2);
    Literal first = Literal.of(new int[] {1, 2});
    assertThat(sharding.join(List.of(first, Literal.of(new int[] {3, 4})))).isEqualTo(first);
    ArraySharding halves = sharding("s32[2]", "{devices=[2]<=[2]}", 2, 2);
    assertThat(halves.join(Stream.of(1, 2, 3, 4).map(i -> Literal.of(new int[] {i})).toList()))
        .isEqualTo(Literal.of(new int[] {1, 2}));
  }

  @ParameterizedTest
  @CsvSource({"pred", "s4", "u8", "bf16", "f64", "c64", "c128"})
  void elementsOfAnyTypeAndTokens(String type) {
    ArraySharding sharding = sharding(type + "[2,2]", "{devices=[1,2]<=[2]}", 1, 2);
    Literal whole = Literal.ofBits((Shape.Array) sharding.shape(), i -> i % 2);
    assertThat(sharding.slice(whole, 1))
        .isEqualTo(whole.taken((Shape.Array) sharding.sliceShape(), i -> 2 * i + 1));
    assertThat(sharding.join(sharding.split(whole))).isEqualTo(whole);
    ArraySharding token = new ArraySharding(Shape.token(), Sharding.Uniform.REPLICATED, 1, 2);
    assertThat(token.join(token.split(Literal.token()))).isEqualTo(Literal.token());
  }

  @Test
  void emptyArrays() {
    ArraySharding sharding = sharding("f32[0,4]", "{devices=[2,2]<=[4]}", 1, 4);
    assertThat(sharding.sliceShape()).isEqualTo(Shape.parse("f32[0,2]"));
    Literal whole = Literal.zeros(Shape.of(ElementType.F32, 0, 4));
    assertThat(sharding.join(sharding.split(whole))).isEqualTo(whole);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{manual} | 0 | sharding got manual, want one that says which slice of an array a device"
            + " has",
        "{unreduced} | 0 | sharding got unreduced, want one that says which slice of an array a"
            + " device has",
        "{maximal device=1} | 0 | sharding {maximal device=1} got device 0, which has no part of"
            + " the array",
        "{devices=[2]<=[2]} | 2 | sharding {devices=[2]<=[2]} got device 2, want one of 2",
        "{devices=[2]<=[2]} | -1 | sharding {devices=[2]<=[2]} got device -1, want one of 2",
        "{devices=[2]0,3} | 1 | sharding {devices=[2]0,3} got device 1, want one of its devices",
      })
  void unknownSlices(String text, int device, String want) {
    ArraySharding sharding = sharding("f32[2]", text, 1, 2);
    HloException refusal =
        assertThrows(HloException.class, () -> sharding.slice(Literal.of(new float[2]), device));
    assertThat(refusal).hasMessageThat().isEqualTo(want);
  }

  @Test
  void otherShapes() {
    ArraySharding sharding = sharding("f32[2]", "{devices=[2]<=[2]}", 1, 2);
    assertRefusal(
        () -> sharding.split(Literal.of(new float[3])),
        "sharding {devices=[2]<=[2]}: array got f32[3], want f32[2]");
    assertRefusal(
        () -> sharding.join(List.of(Literal.of(new float[2]), Literal.of(new float[1]))),
        "sharding {devices=[2]<=[2]}: slice got f32[2], want f32[1]");
    assertRefusal(
        () -> sharding.join(List.of(Literal.of(new float[1]))),
        "sharding {devices=[2]<=[2]} got 1 slices, want one for each of 2 devices");
    assertRefusal(
        () -> sharding("f32[2]", "{devices=[2,1]<=[2]}", 1, 2),
        "sharding {devices=[2,1]<=[2]} got 2 dimensions, want the rank of f32[2]");
  }

  private static void assertRefusal(Runnable work, String want) {
    assertThat(assertThrows(HloException.class, work::run)).hasMessageThat().isEqualTo(want);
  }
}
