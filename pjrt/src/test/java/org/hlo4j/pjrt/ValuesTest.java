package org.hlo4j.pjrt;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.pjrt.CpuPlugin.refusal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the C interface does not check, so that wrong values would come without an error. */
final class ValuesTest {
  private static final String COLUMN_MAJOR_RESULT =
      "module @m { func.func @main(%a: tensor<2x3xf32>)"
          + " -> (tensor<2x3xf32> {mhlo.layout_mode = \"{0,1}\"}) {"
          + " %0 = stablehlo.add %a, %a : tensor<2x3xf32> return %0 : tensor<2x3xf32> } }";

  private static final Literal ROWS = Literal.of(new float[][] {{1, 2, 3}, {4, 5, 6}});

  private static PjrtExecutable same(String type) {
    return CpuPlugin.compile(type, type, "return %a : tensor<" + type + ">");
  }

  /** P1: XLA:CPU gives the elements in the order of the device, whatever is asked. */
  @Test
  void resultsAreReordered() {
    try (PjrtScope scope = new PjrtScope()) {
      PjrtExecutable twice = scope.add(CpuPlugin.compile(COLUMN_MAJOR_RESULT));
      PjrtBuffer result =
          scope.addAll(twice.execute(List.of(scope.add(CpuPlugin.client().buffer(ROWS))))).get(0);
      assertThat(result.layout().orElseThrow().toString()).isEqualTo("{0,1}");
      assertThat(result.toLiteral()).isEqualTo(Literal.of(new float[][] {{2, 4, 6}, {8, 10, 12}}));
    }
  }

  /** P1, of more dimensions: each order of three. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"0,1,2", "0,2,1", "1,0,2", "1,2,0", "2,0,1", "2,1,0"})
  void ordersOfThreeDimensions(String order) {
    String type = "tensor<2x3x4xs32>".replace("s32", "i32");
    Literal want = Literal.of(Shape.of(ElementType.S32, 2, 3, 4), IntStream.range(0, 24).toArray());
    try (PjrtExecutable same =
        CpuPlugin.compile(
            "module @m { func.func @main(%a: "
                + type
                + ") -> ("
                + type
                + " {mhlo.layout_mode = \"{"
                + order
                + "}\"}) { %0 = stablehlo.negate %a : "
                + type
                + " %1 = stablehlo.negate %0 : "
                + type
                + " return %1 : "
                + type
                + " } }")) {
      assertThat(same.run(want)).containsExactly(want);
    }
  }

  /** P2: Execute compares the number of bytes only. */
  @Test
  void argumentOfAnotherTypeOrShape() {
    try (PjrtScope scope = new PjrtScope()) {
      PjrtExecutable same = scope.add(same("4xf32"));
      PjrtClient client = CpuPlugin.client();
      PjrtBuffer ints = scope.add(client.buffer(Literal.of(new int[] {1, 2, 3, 4})));
      PjrtBuffer square = scope.add(client.buffer(Literal.of(new float[][] {{1, 2}, {3, 4}})));
      assertThat(refusal(() -> same.execute(List.of(ints))))
          .isEqualTo("execute: argument 0 got s32[4], want f32[4]");
      assertThat(refusal(() -> same.execute(List.of(square))))
          .isEqualTo("execute: argument 0 got f32[2,2], want f32[4]");
      assertThat(refusal(() -> same.execute(List.of())))
          .isEqualTo("execute: got 0 arguments, want 1");
    }
  }

  /** P3: a column-major array would be read as a row-major one. */
  @Test
  void argumentInAnotherLayout() {
    try (PjrtScope scope = new PjrtScope()) {
      PjrtExecutable twice = scope.add(CpuPlugin.compile(COLUMN_MAJOR_RESULT));
      PjrtBuffer x = scope.add(CpuPlugin.client().buffer(ROWS));
      PjrtBuffer columns = scope.addAll(twice.execute(List.of(x))).get(0);
      assertThat(refusal(() -> twice.execute(List.of(columns))))
          .isEqualTo("execute: argument 0 got f32[2,3] in the layout {0,1}, want {1,0}");
    }
  }

  /** P3: where only one dimension has more than one element, all layouts are the same. */
  @Test
  void layoutsOfOneRowAreTheSame() {
    String row = COLUMN_MAJOR_RESULT.replace("2x3", "1x3");
    try (PjrtScope scope = new PjrtScope()) {
      PjrtExecutable twice = scope.add(CpuPlugin.compile(row));
      PjrtBuffer x = scope.add(CpuPlugin.client().buffer(Literal.of(new float[][] {{1, 2, 3}})));
      for (int i = 0; i < 3; i++) {
        x = scope.addAll(twice.execute(List.of(x))).get(0);
      }
      assertThat(x.toLiteral()).isEqualTo(Literal.of(new float[][] {{8, 16, 24}}));
    }
  }

  /** P4: a byte for each on the host, packed on the device, and signs are not extended. */
  @ParameterizedTest
  @CsvSource({
    "S4, i4, 3",
    "S4, i4, 4",
    "U4, ui4, 5",
    "S2, i2, 7",
    "U2, ui2, 5",
    "PRED, i1, 3",
    "F4E2M1FN, f4E2M1FN, 3",
    "F8E4M3FN, f8E4M3FN, 3",
    "F8E8M0FNU, f8E8M0FNU, 1",
    "BF16, bf16, 3",
    "F16, f16, 1",
    "U64, ui64, 3",
    "C64, complex<f32>, 3",
    "C128, complex<f64>, 1"
  })
  void bitsThereAndBack(ElementType type, String mlir, int count) {
    Shape.Array shape = Shape.of(type, count);
    LiteralBuilder builder = new LiteralBuilder(shape);
    for (int i = 0; i < count * type.componentCount(); i++) {
      builder.setBits(i, 0xfedcba9876543210L >>> (4 * i));
    }
    Literal bits = builder.build();
    try (PjrtExecutable same = same(count + "x" + mlir)) {
      assertThat(same.run(bits)).containsExactly(bits);
    }
  }

  @Test
  void negativeNumberOfFourBits() {
    Literal numbers = Literal.of(Shape.of(ElementType.S4, 3), new int[] {-2, 7, -8});
    try (PjrtExecutable same = same("3xi4")) {
      Literal back = same.run(numbers).get(0);
      assertThat(back.toInts()).asList().containsExactly(-2, 7, -8).inOrder();
    }
  }

  /** P4: what is not 0 is true, on both ways. */
  @Test
  void predBecomesZeroOrOne() {
    Literal two = Literal.unsafeOf(Shape.of(ElementType.PRED, 3), new byte[] {2, 0, -1});
    try (PjrtExecutable same = same("3xi1")) {
      assertThat(same.run(two)).containsExactly(Literal.of(new boolean[] {true, false, true}));
    }
  }

  /** All types that the plugin knows go there and back; of the others the name is said. */
  @ParameterizedTest
  @EnumSource(ElementType.class)
  void everyTypeGoesThereAndBackOrIsNamed(ElementType type) {
    Literal zeros = Literal.zeros(Shape.of(type, 2, 3));
    String refusal =
        refusal(() -> {
          try (PjrtBuffer buffer = CpuPlugin.client().buffer(zeros)) {
            assertThat(buffer.toLiteral()).isEqualTo(zeros);
          }
        });
    assertThat(refusal)
        .isEqualTo(
            type == ElementType.S1 || type == ElementType.U1
                ? "pjrt: got elements of type "
                    + type
                    + ", which plugins have since 0.94, want one that version 0.81 has"
                : "(none)");
  }

  /** P6, P5: memory at a multiple of 64 bytes is not copied, and not written to. */
  @Test
  void viewsAliasAndAreNotDonated() throws InterruptedException {
    try (PjrtScope scope = new PjrtScope()) {
      Arena arena = Arena.ofShared();
      MemorySegment memory = arena.allocate(16, 64);
      MemorySegment.copy(new float[] {1, 2, 3, 4}, 0, memory, ValueLayout.JAVA_FLOAT, 0, 4);
      PjrtBuffer view =
          CpuPlugin.client()
              .view(
                  arena, memory, Shape.of(ElementType.F32, 4), CpuPlugin.client().devices().get(0));
      assertThat(view.isAlias()).isTrue();
      assertThat(view.toLiteral()).isEqualTo(Literal.of(new float[] {1, 2, 3, 4}));
      PjrtExecutable same = scope.add(same("4xf32"));
      assertThat(refusal(() -> same.execute(List.of(view), Set.of(0))))
          .isEqualTo("execute: donated got argument 0, which is a view");
      view.close();
      for (int i = 0; i < 1000 && memory.scope().isAlive(); i++) {
        Thread.sleep(1);
      }
      assertThat(memory.scope().isAlive()).isFalse();
    }
  }

  @Test
  void viewsThatAreRefused() {
    PjrtDevice device = CpuPlugin.client().devices().get(0);
    Shape.Array four = Shape.of(ElementType.F32, 4);
    try (Arena confined = Arena.ofConfined();
        Arena shared = Arena.ofShared()) {
      assertThat(refusal(() -> view(confined, confined.allocate(16, 64), four, device)))
          .isEqualTo("view: got memory of an arena of one thread, want Arena.ofShared()");
      assertThat(refusal(() -> view(shared, shared.allocate(80, 64).asSlice(4, 16), four, device)))
          .matches("view: got memory at \\d+, want it outside of the heap at a multiple of 64");
      assertThat(refusal(() -> view(shared, MemorySegment.ofArray(new float[4]), four, device)))
          .isEqualTo(
              "view: got memory on the heap, want it outside of the heap at a multiple of 64");
      assertThat(refusal(() -> view(shared, shared.allocate(8, 64), four, device)))
          .isEqualTo("view: got 8 bytes for f32[4], want 16, and elements of at least 8 bits");
      Shape.Array narrow = Shape.of(ElementType.S4, 16);
      assertThat(refusal(() -> view(shared, shared.allocate(16, 64), narrow, device)))
          .isEqualTo("view: got 16 bytes for s4[16], want 16, and elements of at least 8 bits");
    }
  }

  private static void view(
      Arena arena, MemorySegment memory, Shape.Array shape, PjrtDevice device) {
    CpuPlugin.client().view(arena, memory, shape, device).close();
  }

  /** P7: XLA:CPU flushes subnormals; P22: Java's own arithmetic does not begin to. */
  @Test
  void subnormalsAreFlushedThereAndNotHere() {
    float least = Float.MIN_NORMAL;
    String half =
        "%c = stablehlo.constant dense<0.5> : tensor<f32>"
            + " %0 = stablehlo.multiply %a, %c : tensor<f32> return %0 : tensor<f32>";
    try (PjrtExecutable multiply = CpuPlugin.compile("f32", "f32", half)) {
      assertThat(multiply.run(Literal.of(least))).containsExactly(Literal.of(0f));
    }
    assertThat(least * 0.5f).isGreaterThan(0f);
    assertThat(Double.MIN_NORMAL * 0.5).isGreaterThan(0.0);
  }

  /** P50: there need be no memory for no elements. */
  @Test
  void arraysWithoutElements() {
    Literal none = Literal.zeros(Shape.of(ElementType.F32, 0, 3));
    try (PjrtExecutable same = same("0x3xf32")) {
      assertThat(same.run(none)).containsExactly(none);
    }
  }

  @Test
  void copyIntoMemory() {
    float[] into = new float[6];
    try (PjrtBuffer buffer = CpuPlugin.client().buffer(ROWS)) {
      buffer.copyTo(MemorySegment.ofArray(into));
      assertThat(into).usingExactEquality().containsExactly(1f, 2f, 3f, 4f, 5f, 6f).inOrder();
      assertThat(refusal(() -> buffer.copyTo(MemorySegment.ofArray(new float[5]))))
          .isEqualTo("copyTo: got 20 bytes, want the 24 of f32[2,3]");
    }
  }

  @Test
  void copyToAnotherDevice() {
    PjrtDevice last = CpuPlugin.client().devices().get(3);
    try (PjrtBuffer buffer = CpuPlugin.client().buffer(ROWS);
        PjrtBuffer copy = buffer.copyTo(last)) {
      assertThat(copy.device()).isEqualTo(last);
      assertThat(copy.toLiteral()).isEqualTo(ROWS);
      assertThat(buffer.toLiteral()).isEqualTo(ROWS);
    }
  }

  @Test
  void everyMemoryOfADeviceTakesAnArray() {
    PjrtDevice device = CpuPlugin.client().devices().get(0);
    assertThat(device.memories().stream().map(PjrtMemory::kind).toList())
        .containsExactly("device", "pinned_host", "unpinned_host");
    for (PjrtMemory memory : device.memories()) {
      try (PjrtBuffer buffer = CpuPlugin.client().buffer(ROWS, device, memory)) {
        assertWithMessage("%s", memory).that(buffer.toLiteral()).isEqualTo(ROWS);
        assertThat(buffer.memory().kind()).isEqualTo(memory.kind());
      }
    }
  }

  /** Donation: off unless asked for, even where the program permits it. */
  @Test
  void onlyWhatIsNamedIsDonated() {
    String plusOne =
        "module @m { func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32})"
            + " -> tensor<4xf32> { %c = stablehlo.constant dense<1.0> : tensor<4xf32>"
            + " %0 = stablehlo.add %a, %c : tensor<4xf32> return %0 : tensor<4xf32> } }";
    Literal four = Literal.of(new float[] {1, 2, 3, 4});
    Literal more = Literal.of(new float[] {2, 3, 4, 5});
    try (PjrtScope scope = new PjrtScope()) {
      PjrtExecutable add = scope.add(CpuPlugin.compile(plusOne));
      PjrtBuffer x = scope.add(CpuPlugin.client().buffer(four));
      assertThat(scope.addAll(add.execute(List.of(x))).get(0).toLiteral()).isEqualTo(more);
      assertThat(x.toLiteral()).isEqualTo(four);
      PjrtBuffer result = scope.addAll(add.execute(List.of(x), Set.of(0))).get(0);
      assertThat(result.toLiteral()).isEqualTo(more);
      assertThat(refusal(x::toLiteral))
          .isEqualTo("pjrt: buffer f32[4] was donated to a run, which may have written to it");
      assertThat(refusal(() -> add.execute(List.of(x))))
          .isEqualTo("pjrt: buffer f32[4] was donated to a run, which may have written to it");
    }
  }

  @Test
  void donationsThatAreRefused() {
    String sum =
        "module @m { func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {"
            + " %0 = stablehlo.add %a, %b : tensor<4xf32> return %0 : tensor<4xf32> } }";
    try (PjrtScope scope = new PjrtScope()) {
      PjrtExecutable add = scope.add(CpuPlugin.compile(sum));
      PjrtBuffer x = scope.add(CpuPlugin.client().buffer(Literal.of(new float[] {1, 2, 3, 4})));
      assertThat(refusal(() -> add.execute(List.of(x, x), Set.of(1))))
          .isEqualTo("execute: donated got argument 1, which is argument 0, too");
      assertThat(refusal(() -> add.execute(List.of(x, x), Set.of(2))))
          .isEqualTo("execute: donated got argument 2, want one of the 2");
    }
  }

  /** P48: the plugin's own message names the same device twice. */
  @Test
  void buffersOfAnotherClient() {
    try (PjrtClient other = CpuPlugin.plugin().client();
        PjrtBuffer there = other.buffer(Literal.of(new float[] {1, 2, 3, 4}));
        PjrtExecutable same = same("4xf32")) {
      assertThat(refusal(() -> same.execute(List.of(there))))
          .startsWith(
              "execute: argument 0 got a buffer of another client, want one of this: cpu of");
    }
  }

  @Test
  void buffersOfAnotherDevice() {
    PjrtDevice second = CpuPlugin.client().devices().get(1);
    try (PjrtBuffer there =
            CpuPlugin.client().buffer(Literal.of(new float[] {1, 2, 3, 4}), second);
        PjrtExecutable same = same("4xf32")) {
      assertThat(refusal(() -> same.execute(List.of(there))))
          .isEqualTo(
              "execute: argument 0 got f32[4] on CpuDevice(id=1), want it on CpuDevice(id=0)");
    }
  }
}
