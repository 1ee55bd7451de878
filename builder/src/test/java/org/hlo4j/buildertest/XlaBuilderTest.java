package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.buildertest.Refusals.here;
import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.S8;
import static org.hlo4j.hlo.ElementType.U16;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BinaryOperator;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;

/** Instructions built by valid calls; {@link BuilderRefusalsTest} tests invalid ones. */
final class XlaBuilderTest {
  private final XlaBuilder b = new XlaBuilder("test");

  private XlaOp x(long... sizes) {
    return b.parameter(0, Shape.of(F32, sizes), "x");
  }

  private XlaOp v(long... sizes) {
    return b.parameter(1, Shape.of(F32, sizes), "v");
  }

  private void assertBuilt(String text) {
    assertThat(Texts.built(b)).isEqualTo(text);
  }

  @Test
  void constantsFromJava() {
    b.tuple(
        b.constant(true),
        b.constant(1),
        b.constant(1L),
        b.constant(0.5f),
        b.constant(0.5),
        b.constant((byte) 1),
        b.constant(new int[] {1, 2}),
        b.constant(new float[][] {{1, 2}, {3, 4}}),
        b.constant(BF16, 0.1),
        b.constant(S8, new int[] {-1, 1}),
        b.constant(C64, new float[] {1, 2}),
        b.constant(Literal.of(new double[] {7})),
        b.constant((Object) Literal.of(3)),
        b.constant(new float[0][0]),
        b.constant(Literal.tuple(Literal.of(1), Literal.of(2))));
    assertBuilt(
        """
        ENTRY test {
          constant = pred[] constant(true)
          constant.1 = s32[] constant(1)
          constant.2 = s64[] constant(1)
          constant.3 = f32[] constant(0.5)
          constant.4 = f64[] constant(0.5)
          constant.5 = s8[] constant(1)
          constant.6 = s32[2] constant({1, 2})
          constant.7 = f32[2,2] constant({ { 1, 2 }, { 3, 4 } })
          constant.8 = bf16[] constant(0.1001)
          constant.9 = s8[2] constant({-1, 1})
          constant.10 = c64[] constant((1, 2))
          constant.11 = f64[1] constant({7})
          constant.12 = s32[] constant(3)
          constant.13 = f32[0,0] constant({  })
          constant.14 = (s32[], s32[]) constant({...})
          ROOT tuple = (pred[], s32[], s64[], f32[], f64[], /*index=5*/s8[], s32[2], f32[2,2], bf16[], s8[2], /*index=10*/c64[], f64[1], s32[], f32[0,0], (s32[], s32[])) tuple(constant, constant.1, constant.2, constant.3, constant.4, constant.5, constant.6, constant.7, constant.8, constant.9, constant.10, constant.11, constant.12, constant.13, constant.14)
        }
        """);
  }

  @Test
  void uniformArraysAreBroadcastScalars() {
    b.constant(new float[][] {{1, 1, 1}, {1, 1, 1}});
    b.constant(C64, new float[][] {{1, 2}, {1, 2}});
    b.constant(C64, new float[][] {{1, 1}, {1, 2}});
    b.constant(new float[] {0f, -0f});
    b.constant(new float[] {1});
    assertBuilt(
        """
        ENTRY test {
          constant = f32[] constant(1)
          broadcast = f32[2,3] broadcast(constant), dimensions={}
          constant.1 = c64[] constant((1, 2))
          broadcast.1 = c64[2] broadcast(constant.1), dimensions={}
          constant.2 = c64[2] constant({(1, 1), (1, 2)})
          constant.3 = f32[2] constant({0, -0.0})
          ROOT constant.4 = f32[1] constant({1})
        }
        """);
  }

  @Test
  void filledArrays() {
    XlaOp x = x(2);
    b.full(Shape.of(S32, 2, 3), 7);
    b.full(Shape.of(PRED), true);
    b.full(Shape.of(C64, 2), 1.5);
    b.zeros(Shape.of(PRED, 2));
    x.zerosLike();
    x.fullLike(2);
    assertBuilt(
        """
        ENTRY test {
          x = f32[2] parameter(0)
          constant = s32[] constant(7)
          broadcast = s32[2,3] broadcast(constant), dimensions={}
          constant.1 = pred[] constant(true)
          constant.2 = c64[] constant((1.5, 0))
          broadcast.1 = c64[2] broadcast(constant.2), dimensions={}
          constant.3 = pred[] constant(false)
          broadcast.2 = pred[2] broadcast(constant.3), dimensions={}
          constant.4 = f32[] constant(0)
          broadcast.3 = f32[2] broadcast(constant.4), dimensions={}
          constant.5 = f32[] constant(2)
          ROOT broadcast.4 = f32[2] broadcast(constant.5), dimensions={}
        }
        """);
  }

  @Test
  void iota() {
    b.iota(Shape.of(F32, 2, 3).withLayout(Layout.rowMajor(2)), 1);
    b.iota(S32, 5);
    assertBuilt(
        """
        ENTRY test {
          iota = f32[2,3] iota(), iota_dimension=1
          ROOT iota.1 = s32[5] iota(), iota_dimension=0
        }
        """);
  }

  @Test
  void conversions() {
    XlaOp x = x(2);
    x.convertElementType(S32);
    x.bitcastConvertType(U16);
    x.reducePrecision(5, 10);
    assertBuilt(
        """
        ENTRY test {
          x = f32[2] parameter(0)
          convert = s32[2] convert(x)
          bitcast-convert = u16[2,2] bitcast-convert(x)
          ROOT reduce-precision = f32[2] reduce-precision(x), exponent_bits=5, mantissa_bits=10
        }
        """);
  }

  @Test
  void rearrangingOps() {
    XlaOp x = x(2, 3, 4);
    x.reshape(6, 4);
    x.reshape(Dims.of(24));
    x.transpose(2, 0, 1);
    x.collapse(0, 1);
    x.collapse(1, 2);
    x.collapse(0, 1, 2);
    assertBuilt(
        """
        ENTRY test {
          x = f32[2,3,4] parameter(0)
          reshape = f32[6,4] reshape(x)
          reshape.1 = f32[24] reshape(x)
          transpose = f32[4,2,3] transpose(x), dimensions={2,0,1}
          reshape.2 = f32[6,4] reshape(x)
          reshape.3 = f32[2,12] reshape(x)
          ROOT reshape.4 = f32[24] reshape(x)
        }
        """);
  }

  @Test
  void collapsingOneDimensionIsNoOp() {
    XlaOp x = x(2, 3);
    assertThat(x.collapse()).isSameInstanceAs(x);
    assertThat(x.collapse(1)).isSameInstanceAs(x);
  }

  @Test
  void tuples() {
    XlaOp pair = b.tuple(List.of(x(2), b.tuple()));
    pair.getTupleElement(1);
    pair.getTupleElement(0).copy();
    assertBuilt(
        """
        ENTRY test {
          x = f32[2] parameter(0)
          tuple = () tuple()
          tuple.1 = (f32[2], ()) tuple(x, tuple)
          get-tuple-element = () get-tuple-element(tuple.1), index=1
          get-tuple-element.1 = f32[2] get-tuple-element(tuple.1), index=0
          ROOT copy = f32[2] copy(get-tuple-element.1)
        }
        """);
  }

  @Test
  void dots() {
    XlaOp x = x(2, 3);
    XlaOp v = b.parameter(1, Shape.of(F32, 3), "v");
    v.dot(v);
    x.dot(v);
    x.dotGeneral(x, Dot.general(Dims.of(0), Dims.of(1), Dims.of(0), Dims.of(1)));
    assertBuilt(
        """
        ENTRY test {
          x = f32[2,3] parameter(0)
          v = f32[3] parameter(1)
          dot = f32[] dot(v, v), lhs_contracting_dims={0}, rhs_contracting_dims={0}
          dot.1 = f32[2] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          ROOT dot.2 = f32[2] dot(x, x), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={0}, rhs_contracting_dims={1}
        }
        """);
  }

  @Test
  void scalarOnTheLeft() {
    x().sub(v(2, 3));
    assertBuilt(
        """
        ENTRY test {
          x = f32[] parameter(0)
          v = f32[2,3] parameter(1)
          broadcast = f32[2,3] broadcast(x), dimensions={}
          ROOT subtract = f32[2,3] subtract(broadcast, v)
        }
        """);
  }

  @Test
  void sizeZero() {
    x(0, 3).add(v(1, 3));
    assertBuilt(
        """
        ENTRY test {
          x = f32[0,3] parameter(0)
          v = f32[1,3] parameter(1)
          reshape = f32[3] reshape(v)
          broadcast = f32[0,3] broadcast(reshape), dimensions={1}
          ROOT add = f32[0,3] add(x, broadcast)
        }
        """);
  }

  @Test
  void boundedSizes() {
    XlaOp x = b.parameter(0, Shape.of(F32, 4, 3).withDynamic(ImmutableList.of(0)), "x");
    x.add(b.parameter(1, Shape.of(F32, 4, 1).withDynamic(ImmutableList.of(0)), "v"));
    assertBuilt(
        """
        ENTRY test {
          x = f32[<=4,3] parameter(0)
          v = f32[<=4,1] parameter(1)
          reshape = f32[<=4] reshape(v)
          broadcast = f32[<=4,3] broadcast(reshape), dimensions={0}
          ROOT add = f32[<=4,3] add(x, broadcast)
        }
        """);
  }

  @Test
  void selectOfEqualShapes() {
    b.parameter(2, Shape.of(PRED, 2), "p").select(x(2), v(2));
    assertBuilt(
        """
        ENTRY test {
          p = pred[2] parameter(2)
          x = f32[2] parameter(0)
          v = f32[2] parameter(1)
          ROOT select = f32[2] select(p, x, v)
        }
        """);
  }

  @Test
  void broadcastInDim() {
    x(3).broadcastInDim(Dims.of(2, 3), broadcastDimensions(1));
    assertBuilt(
        """
        ENTRY test {
          x = f32[3] parameter(0)
          ROOT broadcast = f32[2,3] broadcast(x), dimensions={1}
        }
        """);
  }

  @Test
  void namesAreUniqueAndSanitized() {
    XlaBuilder odd = new XlaBuilder("a model, 2nd");
    assertThat(odd.name()).isEqualTo("a_model__2nd");
    XlaOp x = odd.parameter(0, Shape.of(F32), "1st input");
    assertThat(x.name()).isEqualTo("_1st_input");
    assertThat(odd.parameter(1, Shape.of(F32), "").name()).isEqualTo("_");
    assertThat(odd.parameter(2, Shape.of(F32), "add.1").name()).isEqualTo("add.1");
    assertThat(x.add(x).name()).isEqualTo("add");
    assertThat(x.add(x).name()).isEqualTo("add.2");
    assertThat(odd.parameter(3, Shape.of(F32), "add").name()).isEqualTo("add.3");
  }

  /** Arguments are given by name, so what was there before yields; two parameters do not. */
  @Test
  void parametersKeepTheirNames() {
    XlaBuilder named = new XlaBuilder("m");
    XlaOp x = named.parameter(0, Shape.of(F32, 2), "x");
    XlaOp sum = x.add(x);
    XlaOp reduced = sum.reduce(named.constant(0f), (p, q) -> p.add(q), 0);
    XlaOp add = named.parameter(1, Shape.of(F32), "add");
    XlaOp p0 = named.parameter(2, Shape.of(F32), "p0");
    XlaOp twice = named.parameter(3, Shape.of(F32), "add");
    HloModule module = named.build(named.tuple(sum, reduced.mul(add), p0, twice));
    Verifier.strict().verify(module);
    assertThat(module.entry().parameters().stream().map(HloInstruction::name))
        .containsExactly("x", "add", "p0", "add.3")
        .inOrder();
    assertThat(Printer.print(module, PrintOptions.SHORT))
        .endsWith(
            """
            region {
              p0.1 = f32[] parameter(0)
              p1 = f32[] parameter(1)
              ROOT add.1 = f32[] add(p0.1, p1)
            }

            ENTRY m {
              x = f32[2] parameter(0)
              add.2 = f32[2] add(x, x)
              constant = f32[] constant(0)
              reduce = f32[] reduce(add.2, constant), dimensions={0}, to_apply=region
              add = f32[] parameter(1)
              p0 = f32[] parameter(2)
              add.3 = f32[] parameter(3)
              multiply = f32[] multiply(reduce, add)
              ROOT tuple = (f32[2], f32[], f32[], f32[]) tuple(add.2, multiply, p0, add.3)
            }
            """);
    assertThat(sum.instruction().name()).isEqualTo("add.2");
  }

  @Test
  void parametersInAnyOrderWithoutLayout() {
    b.parameter(1, Shape.tuple(Shape.of(F32, 2)), "t");
    b.parameter(0, Shape.of(F32, 2, 3).withLayout(new Layout(Dims.of(0, 1), "")), "x");
    assertBuilt(
        """
        ENTRY test {
          t = (f32[2]) parameter(1)
          ROOT x = f32[2,3] parameter(0)
        }
        """);
  }

  @Test
  void explicitRoot() {
    XlaOp x = x(2);
    XlaOp negate = x.neg();
    x.exp();
    HloModule module = b.build(negate);
    assertThat(module.entry().root()).isSameInstanceAs(negate.instruction());
    assertThat(module.name()).isEqualTo("test");
    assertThat(module.entry().instructions()).hasSize(3);
  }

  @Test
  void handlesExposeTheirInstruction() {
    XlaOp x = x(2);
    XlaOp negate = x.neg();
    assertThat(negate.builder()).isSameInstanceAs(b);
    assertThat(negate.shape()).isEqualTo(Shape.of(F32, 2));
    assertThat(negate.arrayShape()).isEqualTo(Shape.of(F32, 2));
    assertThat(negate.toString()).isEqualTo("%negate = f32[2] negate(%x)");
    assertThat(b.toString()).isEqualTo("XlaBuilder test, 2 ops");
  }

  @Test
  void instructionsRecordSourceLines() {
    int line = here();
    XlaOp x = x(2, 1);
    XlaOp sum = x.add(b.constant(new float[][] {{1, 2, 3}, {4, 5, 6}}));
    XlaOp zero = b.constant(0f);
    AtomicInteger lambdaLine = new AtomicInteger();
    BinaryOperator<XlaOp> body =
        (p, e) -> {
          lambdaLine.set(here() + 1);
          return p.add(e);
        };
    int reduceLine = here() + 1;
    XlaOp total = sum.reduceAll(zero, body);

    assertThat(sum.instruction().metadata()).isEqualTo(at(line + 2));
    // Instructions added implicitly by a call have the line of the call.
    HloInstruction broadcast = sum.instruction().operands().get(0);
    assertThat(broadcast.op().opcode()).isEqualTo("broadcast");
    assertThat(broadcast.metadata()).isEqualTo(at(line + 2));
    assertThat(broadcast.operands().get(0).metadata()).isEqualTo(at(line + 2));
    assertThat(total.instruction().metadata()).isEqualTo(at(reduceLine));
    // Instructions added in a lambda have their line in the lambda.
    HloComputation region = total.instruction().called().get(0);
    assertThat(region.root().metadata()).isEqualTo(at(lambdaLine.get()));
  }

  private static Metadata at(int line) {
    return Metadata.at(new SourceLine("XlaBuilderTest.java", line));
  }
}
