package org.hlo4j.interpreter.compiled.reduce;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.engine.Kernel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fusions that contain reductions, and reductions whose reducers have several ops. */
final class FusionsTest {
  private static final String SUM =
      "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n";
  private static final String MAX =
      "max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n";
  private static final String ARGMAX =
      """
      argmax {
        a = f32[] parameter(0)
        i = s32[] parameter(1)
        b = f32[] parameter(2)
        j = s32[] parameter(3)
        greater = pred[] compare(a, b), direction=GT
        same = pred[] compare(a, b), direction=EQ
        before = pred[] compare(i, j), direction=LT
        earlier = pred[] and(same, before)
        keep = pred[] or(greater, earlier)
        value = f32[] select(keep, a, b)
        index = s32[] select(keep, i, j)
        ROOT r = (f32[], s32[]) tuple(value, index)
      }
      """;

  static final String SOFTMAX = SUM + MAX + ReducePrograms.SOFTMAX.replace("TYPE", "f32");

  private static final String COLUMN_SOFTMAX =
      SOFTMAX
          .replace("f32[R]", "f32[C]")
          .replace("dimensions={1}", "dimensions={X}")
          .replace("dimensions={0}", "dimensions={1}")
          .replace("dimensions={X}", "dimensions={0}");

  private static final String LAYER_NORM =
      SUM
          + """
          fused {
            x = f32[R,C] parameter(0)
            scale = f32[C] parameter(1)
            bias = f32[C] parameter(2)
            zero = f32[] constant(0)
            n = f32[] constant(0.125)
            nb = f32[R] broadcast(n), dimensions={}
            tiny = f32[] constant(0.00001)
            tinyb = f32[R,1] broadcast(tiny), dimensions={}
            s = f32[R] reduce(x, zero), dimensions={1}, to_apply=sum
            mean = f32[R] multiply(s, nb)
            meanb = f32[R,C] broadcast(mean), dimensions={0}
            d = f32[R,C] subtract(x, meanb)
            dd = f32[R,C] multiply(d, d)
            v = f32[R] reduce(dd, zero), dimensions={1}, to_apply=sum
            var = f32[R] multiply(v, nb)
            var1 = f32[R,1] reshape(var)
            shifted = f32[R,1] add(var1, tinyb)
            deviation = f32[R,1] sqrt(shifted)
            deviation0 = f32[R] reshape(deviation)
            deviationb = f32[R,C] broadcast(deviation0), dimensions={0}
            q = f32[R,C] divide(d, deviationb)
            scaleb = f32[R,C] broadcast(scale), dimensions={1}
            biasb = f32[R,C] broadcast(bias), dimensions={1}
            scaled = f32[R,C] multiply(q, scaleb)
            ROOT y = f32[R,C] add(scaled, biasb)
          }
          ENTRY e {
            x = f32[R,C] parameter(0)
            scale = f32[C] parameter(1)
            bias = f32[C] parameter(2)
            ROOT y = f32[R,C] fusion(x, scale, bias), kind=kLoop, calls=fused
          }
          """;

  private static final String MOMENTS =
      SUM
          + """
          fused {
            x = f32[R,C] parameter(0)
            zero = f32[] constant(0)
            xx = f32[R,C] multiply(x, x)
            s = f32[C] reduce(x, zero), dimensions={0}, to_apply=sum
            ss = f32[C] reduce(xx, zero), dimensions={0}, to_apply=sum
            ROOT t = (f32[C], f32[C]) tuple(s, ss)
          }
          ENTRY e {
            x = f32[R,C] parameter(0)
            ROOT y = (f32[C], f32[C]) fusion(x), kind=kLoop, calls=fused
          }
          """;

  private static final String POSITION =
      ARGMAX
          + """
          fused {
            x = f32[R,C] parameter(0)
            low = f32[] constant(-inf)
            zero = s32[] constant(0)
            xx = f32[R,C] abs(x)
            i = s32[R,C] iota(), iota_dimension=1
            both = (f32[R], s32[R]) reduce(xx, i, low, zero), dimensions={1}, to_apply=argmax
            ROOT r = s32[R] get-tuple-element(both), index=1
          }
          ENTRY e { x = f32[R,C] parameter(0) ROOT y = s32[R] fusion(x), kind=kLoop, calls=fused }
          """;

  private static final String BOTH =
      POSITION
          .replace("both = (f32[R]", "ROOT both = (f32[R]")
          .replace("  ROOT r = s32[R] get-tuple-element(both), index=1\n", "")
          .replace("ROOT y = s32[R] fusion", "ROOT y = (f32[R], s32[R]) fusion");

  private static final String ATTENTION =
      SUM
          + MAX
          + """
          fused {
            x = f32[2,3,R,C] parameter(0)
            mask = pred[2,R,C] parameter(1)
            low = f32[] constant(-inf)
            least = f32[2,3,R,C] broadcast(low), dimensions={}
            zero = f32[] constant(0)
            maskb = pred[2,3,R,C] broadcast(mask), dimensions={0,2,3}
            masked = f32[2,3,R,C] select(maskb, x, least)
            m = f32[2,3,R] reduce(masked, low), dimensions={3}, to_apply=max
            mb = f32[2,3,R,C] broadcast(m), dimensions={0,1,2}
            d = f32[2,3,R,C] subtract(masked, mb)
            e = f32[2,3,R,C] exponential(d)
            s = f32[2,3,R] reduce(e, zero), dimensions={3}, to_apply=sum
            sb = f32[2,3,R,C] broadcast(s), dimensions={0,1,2}
            ROOT y = f32[2,3,R,C] divide(e, sb)
          }
          ENTRY e {
            x = f32[2,3,R,C] parameter(0)
            mask = pred[2,R,C] parameter(1)
            ROOT y = f32[2,3,R,C] fusion(x, mask), kind=kLoop, calls=fused
          }
          """;

  private static final String VARIANCES =
      SUM
          + """
          fused {
            x = f32[R,C] parameter(0)
            m = f32[C] parameter(1)
            w = f32[C] parameter(2)
            zero = f32[] constant(0)
            mb = f32[R,C] broadcast(m), dimensions={1}
            wb = f32[R,C] broadcast(w), dimensions={1}
            d = f32[R,C] subtract(x, mb)
            q = f32[R,C] multiply(d, d)
            v = f32[R,C] multiply(q, wb)
            ROOT r = f32[C] reduce(v, zero), dimensions={0}, to_apply=sum
          }
          ENTRY e {
            x = f32[R,C] parameter(0)
            m = f32[C] parameter(1)
            w = f32[C] parameter(2)
            ROOT y = f32[C] fusion(x, m, w), kind=kLoop, calls=fused
          }
          """;

  /** Reduces all elements to one; each row has an element of its own. */
  private static final String WHOLE =
      SUM
          + """
          fused {
            x = f32[R,C] parameter(0)
            m = f32[R] parameter(1)
            w = f32[C] parameter(2)
            zero = f32[] constant(0)
            mb = f32[R,C] broadcast(m), dimensions={0}
            wb = f32[R,C] broadcast(w), dimensions={1}
            d = f32[R,C] multiply(x, mb)
            v = f32[R,C] add(d, wb)
            ROOT r = f32[] reduce(v, zero), dimensions={0,1}, to_apply=sum
          }
          ENTRY e {
            x = f32[R,C] parameter(0)
            m = f32[R] parameter(1)
            w = f32[C] parameter(2)
            ROOT y = f32[] fusion(x, m, w), kind=kLoop, calls=fused
          }
          """;

  private static final String SLABS =
      VARIANCES
          .replace("x = f32[R,C]", "x = f32[R,3,C]")
          .replace("f32[R,C]", "f32[R,3,C]")
          .replace("dimensions={1}", "dimensions={2}")
          .replace("f32[C] reduce", "f32[3,C] reduce")
          .replace("ROOT y = f32[C]", "ROOT y = f32[3,C]");

  private static HloModule sized(String text, int rows, int columns) {
    return Parser.parse(
        "HloModule m\n"
            + text.replaceAll("\\bR([,\\]])", rows + "$1")
                .replaceAll("([\\[,])C\\]", "$1" + columns + "]"));
  }

  @ParameterizedTest
  @CsvSource({"1,2", "7,13", "13,7", "3,257", "2,4097", "300,10", "5,15361", "4,31000"})
  void closeToTheReference(int rows, int columns) {
    ReducePrograms.check(sized(SOFTMAX, rows, columns), 1, 4);
    ReducePrograms.check(sized(LAYER_NORM, rows, columns), 3, 4);
  }

  @ParameterizedTest
  @CsvSource({"7,13", "13,7", "300,10"})
  void softmaxOfColumns(int rows, int columns) {
    ReducePrograms.check(sized(COLUMN_SOFTMAX, rows, columns), 2, 4);
  }

  /** Such columns are computed by several kernels. */
  @ParameterizedTest
  @CsvSource({"3,257", "961,10"})
  void columnsWithSeveralPassesHaveNoKernel(int rows, int columns) {
    HloInstruction fusion = sized(COLUMN_SOFTMAX, rows, columns).entry().root();
    assertThat(ReduceKernels.kernel(fusion).reason())
        .contains("results that are computed from what is reduced");
  }

  /** What takes several dimensions of short rows is computed by a kernel of its own. */
  @ParameterizedTest
  @ValueSource(strings = {"exponential(x)", "pad(x, z), padding=0_0x0_0x1_-1"})
  void computedPiecesOfRowsInOrderHaveNoKernel(String computed) {
    HloModule module =
        Parser.parse(
            "HloModule m\n"
                + SUM
                + """
                fused {
                  x = f32[4,64,6] parameter(0)
                  z = f32[] constant(0)
                  q = f32[4,64,6] COMPUTED
                  ROOT y = f32[64] reduce(q, z), dimensions={0,2}, to_apply=sum
                }
                ENTRY e {
                  x = f32[4,64,6] parameter(0)
                  ROOT y = f32[64] fusion(x), kind=kInput, calls=fused
                }
                """
                    .replace("COMPUTED", computed));
    assertThat(ReduceKernels.kernel(module.entry().root()).reason())
        .contains("rows in order of several pieces that are computed");
  }

  /** Short rows are computed and read as one long row. */
  @ParameterizedTest
  @CsvSource({"1,3", "7,13", "27,3", "21,256", "20,257", "9,1", "20003,16", "1003,30", "99,400"})
  void rowsThatShareOperands(int rows, int columns) {
    ReducePrograms.check(sized(VARIANCES, rows, columns), 7, 4);
  }

  /** The innermost dimension is not merged with its neighbour, though both are reduced or kept. */
  @ParameterizedTest
  @CsvSource({"2,64", "7,65", "3,257", "300,1000"})
  void rowsWithOperandsOfTheirOwn(int rows, int columns) {
    ReducePrograms.check(sized(WHOLE, rows, columns), 12, 4);
    ReducePrograms.check(sized(SLABS, rows, columns), 13, 4);
  }

  @ParameterizedTest
  @CsvSource({"2,2", "7,13", "3,257"})
  void masksThatSeveralRowsShare(int rows, int columns) {
    ReducePrograms.check(sized(ATTENTION, rows, columns), 4, 4);
  }

  @ParameterizedTest
  @CsvSource({"1,2", "7,13", "13,7", "3,257", "257,3", "2,4097"})
  void sameBits(int rows, int columns) {
    ReducePrograms.check(sized(MOMENTS, rows, columns), 5, 0);
    ReducePrograms.check(sized(POSITION, rows, columns), 6, 0);
    ReducePrograms.check(sized(BOTH, rows, columns), 6, 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1", "0,2", "1,2", "0,1,2"})
  void reducersOfSeveralOps(String dimensions) {
    int kept = 3 - dimensions.split(",").length;
    String result = kept == 0 ? "" : String.join(",", sizes(dimensions));
    String text =
        ARGMAX
            + String.format(
                """
                ENTRY e {
                  x = f32[5,13,40] parameter(0)
                  i = s32[5,13,40] parameter(1)
                  low = f32[] constant(-inf)
                  zero = s32[] constant(0)
                  ROOT y = (f32[%s], s32[%s]) reduce(x, i, low, zero), dimensions={%s}, to_apply=argmax
                }
                """,
                result, result, dimensions);
    ReducePrograms.check(Parser.parse("HloModule m\n" + text), 7, 0);
  }

  /** The initial value is a constant, whose bits become the first accumulators. */
  @ParameterizedTest
  @CsvSource({"s2, -2", "s4, -8", "u4, 0", "s8, -128", "bf16, -inf", "s64, -1"})
  void initialValuesOfNarrowTypes(String type, String low) {
    for (int dimension : new int[] {0, 1}) {
      String text =
          ARGMAX
              + """
              ENTRY e {
                x = f32[7,300] parameter(0)
                i = s32[7,300] iota(), iota_dimension=DIMENSION
                low = f32[] constant(LOW)
                zero = s32[] constant(0)
                ROOT y = (f32[KEPT], s32[KEPT]) reduce(x, i, low, zero), dimensions={DIMENSION}, to_apply=argmax
              }
              """
                  .replace("DIMENSION", "" + dimension)
                  .replace("LOW", low)
                  .replace("KEPT", dimension == 0 ? "300" : "7");
      HloModule module = Parser.parse("HloModule m\n" + text.replace("f32", type));
      Literal[] arguments = ReducePrograms.TESTER.arguments(module, 7);
      assertThat(Interpreter.compiled().run(module, arguments))
          .isEqualTo(Interpreter.reference().run(module, arguments));
    }
  }

  /**
   * The deviations of columns, squared and summed: columns are in groups of 64, because of the
   * scale, and a result has all elements.
   */
  @ParameterizedTest
  @CsvSource({"2,1", "2,2", "7,3"})
  void columnsInGroups(int rows, int groups) {
    String text =
        SUM
            + """
            fused {
              x = f32[R,G,64] parameter(0)
              scale = f32[64] parameter(1)
              zero = f32[] constant(0)
              scaleb = f32[R,G,64] broadcast(scale), dimensions={2}
              e = f32[R,G,64] multiply(x, scaleb)
              s = f32[G,64] reduce(e, zero), dimensions={0}, to_apply=sum
              sb = f32[R,G,64] broadcast(s), dimensions={1,2}
              d = f32[R,G,64] subtract(e, sb)
              dd = f32[R,G,64] multiply(d, d)
              v = f32[G,64] reduce(dd, zero), dimensions={0}, to_apply=sum
              vb = f32[R,G,64] broadcast(v), dimensions={1,2}
              ROOT y = f32[R,G,64] multiply(d, vb)
            }
            ENTRY e {
              x = f32[R,G,64] parameter(0)
              scale = f32[64] parameter(1)
              ROOT y = f32[R,G,64] fusion(x, scale), kind=kLoop, calls=fused
            }
            """
                .replace("[R", "[" + rows)
                .replace("G,", groups + ",");
    ReducePrograms.check(Parser.parse("HloModule m\n" + text), 8, 64);
  }

  /** A result of each element is one of each row if rows have one element. */
  @Test
  void movedElementsOfRowsOfOne() {
    HloModule module =
        Parser.parse(
            "HloModule m\n"
                + SUM
                + """
                fused {
                  x = f32[1,127] parameter(0)
                  three = f32[] constant(3)
                  p = f32[1,129] pad(x, three), padding=0_0x1_1
                  s = f32[129] reduce(p, three), dimensions={0}, to_apply=sum
                  sb = f32[1,129] broadcast(s), dimensions={1}
                  ROOT y = f32[1,129] subtract(p, sb)
                }
                ENTRY e {
                  x = f32[1,127] parameter(0)
                  ROOT y = f32[1,129] fusion(x), kind=kLoop, calls=fused
                }
                """);
    assertThat(ReduceKernels.kernel(module.entry().root()).reason())
        .contains("results that are computed from what is reduced");
  }

  @Test
  void resultsMayReuseOperandBuffers() {
    assertThat(overwritten(SOFTMAX)).containsExactly(true);
    assertThat(overwritten(LAYER_NORM)).containsExactly(true, false, false).inOrder();
    assertThat(overwritten(MOMENTS)).containsExactly(false);
    assertThat(overwritten(ATTENTION)).containsExactly(true, false).inOrder();
    assertThat(overwritten(POSITION)).containsExactly(false);
  }

  private static List<Boolean> overwritten(String text) {
    HloInstruction fusion = sized(text, 7, 13).entry().root();
    Kernel kernel = ReduceKernels.kernel(fusion).kernel().orElseThrow();
    return IntStream.range(0, fusion.operands().size())
        .mapToObj(kernel::canReuseOperandBuffer)
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"7,13", "3,257", "300,10", "21,4099"})
  void inPlace(int rows, int columns) {
    for (String text : List.of(SOFTMAX, LAYER_NORM)) {
      ReducePrograms.check(sized(text, rows, columns), 11, 4);
    }
  }

  private static List<String> sizes(String reduced) {
    List<String> sizes = new java.util.ArrayList<>();
    String[] all = {"5", "13", "40"};
    for (int i = 0; i < 3; i++) {
      if (!reduced.contains(String.valueOf(i))) {
        sizes.add(all[i]);
      }
    }
    return sizes;
  }

  @ParameterizedTest
  @ValueSource(strings = {"subtract", "divide", "power", "atan2"})
  void opsWhoseOrderMatters(String op) {
    ReducePrograms.check(
        ReducePrograms.reduce("f32[7,200]", "1", op, "2"), 8, op.length() > 6 ? 0 : 4);
    ReducePrograms.check(
        ReducePrograms.reduce("f32[7,20]", "0", op, "2"), 9, op.length() > 6 ? 0 : 4);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // reductions along different dimensions
        """
        fused {
          x = f32[4,6] parameter(0)
          zero = f32[] constant(0)
          a = f32[4] reduce(x, zero), dimensions={1}, to_apply=sum
          b = f32[6] reduce(x, zero), dimensions={0}, to_apply=sum
          ROOT t = (f32[4], f32[6]) tuple(a, b)
        }
        """,
        // the reduced operand is not computed element-wise
        """
        fused {
          x = f32[4,6] parameter(0)
          zero = f32[] constant(0)
          y = f32[4,6] sort(x), dimensions={1}, to_apply=less
          ROOT a = f32[4] reduce(y, zero), dimensions={1}, to_apply=sum
        }
        """,
      })
  void notFused(String fused) {
    String less =
        "less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b),"
            + " direction=LT }\n";
    HloModule module =
        Parser.parse(
            "HloModule m\n" + SUM + less + fused + "ENTRY e { ROOT x = f32[] parameter(0) }");
    assertThat(
            module.computations().stream()
                .filter(computation -> computation.name().equals("fused"))
                .map(FusionsTest::kernel)
                .toList())
        .containsExactly(Optional.empty());
  }

  private static Optional<Kernel> kernel(HloComputation fused) {
    return ReduceKernels.kernel(
            HloInstruction.create(
                "f",
                new Fusion(Fusion.Kind.INPUT),
                fused.parameters(),
                ImmutableList.of(fused),
                fused.root().shape(),
                Metadata.NONE))
        .kernel();
  }
}
