package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.function.Function;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.junit.jupiter.api.Test;

/** Called computations, written as lambdas or imported from other builders. */
final class RegionsTest {
  private final XlaBuilder b = new XlaBuilder("test");

  private XlaOp x(long... sizes) {
    return b.parameter(0, Shape.of(F32, sizes), "x");
  }

  private void assertBuilt(String text) {
    assertThat(Texts.built(b)).isEqualTo(text);
  }

  @Test
  void reduceWithALambda() {
    x(2, 3).reduce(b.constant(0f), (a, e) -> a.add(e), 1);
    assertBuilt(
        """
        region {
          p0 = f32[] parameter(0)
          p1 = f32[] parameter(1)
          ROOT add = f32[] add(p0, p1)
        }

        ENTRY test {
          x = f32[2,3] parameter(0)
          constant = f32[] constant(0)
          ROOT reduce = f32[2] reduce(x, constant), dimensions={1}, to_apply=region
        }
        """);
  }

  @Test
  void reduceAllReducesEveryDimension() {
    x(2, 3).reduceAll(b.constant(0f), XlaOp::max);
    assertThat(Texts.built(b))
        .contains("ROOT reduce = f32[] reduce(x, constant), dimensions={0,1}, to_apply=region\n");
  }

  @Test
  void variadicReduce() {
    XlaOp x = x(3);
    XlaOp i = b.iota(S32, 3);
    b.reduce(
        List.of(x, i),
        List.of(b.constant(0f), b.constant(0)),
        (body, p) -> body.tuple(p.get(0).add(p.get(2)), p.get(1).add(p.get(3))),
        0);
    assertBuilt(
        """
        region {
          p0 = f32[] parameter(0)
          p1 = s32[] parameter(1)
          p2 = f32[] parameter(2)
          p3 = s32[] parameter(3)
          add = f32[] add(p0, p2)
          add.1 = s32[] add(p1, p3)
          ROOT tuple = (f32[], s32[]) tuple(add, add.1)
        }

        ENTRY test {
          x = f32[3] parameter(0)
          iota = s32[3] iota(), iota_dimension=0
          constant = f32[] constant(0)
          constant.1 = s32[] constant(0)
          ROOT reduce = (f32[], s32[]) reduce(x, iota, constant, constant.1), dimensions={0}, to_apply=region
        }
        """);
  }

  @Test
  void callWithALambda() {
    b.call("twice", (body, p) -> p.get(0).mul(body.constant(2f)), x(2));
    assertBuilt(
        """
        twice {
          p0 = f32[2] parameter(0)
          constant = f32[] constant(2)
          broadcast = f32[2] broadcast(constant), dimensions={}
          ROOT multiply = f32[2] multiply(p0, broadcast)
        }

        ENTRY test {
          x = f32[2] parameter(0)
          ROOT call = f32[2] call(x), to_apply=twice
        }
        """);
  }

  @Test
  void nestedRegions() {
    b.call(
        "outer",
        (body, p) -> body.call("inner", (deeper, q) -> q.get(0).neg(), p.get(0)).exp(),
        x());
    assertBuilt(
        """
        inner {
          p0.1 = f32[] parameter(0)
          ROOT negate = f32[] negate(p0.1)
        }

        outer {
          p0 = f32[] parameter(0)
          call = f32[] call(p0), to_apply=inner
          ROOT exponential = f32[] exponential(call)
        }

        ENTRY test {
          x = f32[] parameter(0)
          ROOT call.1 = f32[] call(x), to_apply=outer
        }
        """);
  }

  @Test
  void computationOfModuleIsNotCopied() {
    HloComputation negate =
        b.computation("negate", List.of(Shape.of(F32)), (body, p) -> p.get(0).neg());
    XlaOp x = x();
    b.call(negate, b.call(negate, x));
    HloModule module = b.build();
    assertThat(module.computations()).containsExactly(negate, module.entry()).inOrder();
  }

  /** One imported computation that is used twice, and another one with the same names. */
  @Test
  void importedComputationsAreSharedAndRenamed() {
    HloComputation sum = sumOf("sum");
    HloComputation other = sumOf("sum");
    XlaOp x = x(2, 3);
    XlaOp zero = b.constant(0f);
    x.reduce(zero, sum, 0);
    x.reduce(zero, sum, 1);
    b.reduce(List.of(x), List.of(zero), other, 0, 1);
    assertBuilt(
        """
        sum {
          x.1 = f32[] parameter(0)
          y = f32[] parameter(1)
          ROOT add = f32[] add(x.1, y)
        }

        sum.1 {
          x.2 = f32[] parameter(0)
          y.1 = f32[] parameter(1)
          ROOT add.1 = f32[] add(x.2, y.1)
        }

        ENTRY test {
          x = f32[2,3] parameter(0)
          constant = f32[] constant(0)
          reduce = f32[3] reduce(x, constant), dimensions={0}, to_apply=sum
          reduce.1 = f32[2] reduce(x, constant), dimensions={1}, to_apply=sum
          ROOT reduce.2 = f32[] reduce(x, constant), dimensions={0,1}, to_apply=sum.1
        }
        """);
  }

  @Test
  void importedComputationsIncludeCallees() {
    XlaBuilder library = new XlaBuilder("test");
    XlaOp p = library.parameter(0, Shape.of(F32, 2), "x");
    HloComputation total = library.buildComputation(p.reduceAll(library.constant(0f), XlaOp::add));
    b.call(total, x(2));
    assertBuilt(
        """
        region {
          p0 = f32[] parameter(0)
          p1 = f32[] parameter(1)
          ROOT add = f32[] add(p0, p1)
        }

        test.1 {
          x.1 = f32[2] parameter(0)
          constant = f32[] constant(0)
          ROOT reduce = f32[] reduce(x.1, constant), dimensions={0}, to_apply=region
        }

        ENTRY test {
          x = f32[2] parameter(0)
          ROOT call = f32[] call(x), to_apply=test.1
        }
        """);
  }

  private static HloComputation sumOf(String name) {
    XlaBuilder library = new XlaBuilder(name);
    XlaOp x = library.parameter(0, Shape.of(F32), "x");
    return library.buildComputation(x.add(library.parameter(1, Shape.of(F32), "y")));
  }

  /** A program of nested lambdas, whose n-ary ops are methods of the builder that is chosen. */
  private static String nested(Function<XlaOp, XlaBuilder> of, XlaBuilder b) {
    XlaOp x = b.parameter(0, Shape.of(F32, 2), "x");
    XlaOp y =
        b.whileLoop(
            b.tuple(b.constant(0), x),
            s -> of.apply(s).and(s.getTupleElement(0).lt(10), s.getTupleElement(0).ne(7)),
            s -> {
              XlaOp i = s.getTupleElement(0);
              XlaOp v = s.getTupleElement(1);
              XlaOp w =
                  of.apply(s)
                      .whileLoop(
                          of.apply(s).tuple(i, v),
                          t -> t.getTupleElement(0).lt(3),
                          t ->
                              of.apply(t)
                                  .tuple(
                                      t.getTupleElement(0).add(1),
                                      t.getTupleElement(1)
                                          .reduce(b.constant(0f), (p, e) -> p.add(e), 0)
                                          .add(t.getTupleElement(1))));
              XlaOp both =
                  of.apply(w).concatInDim(List.of(v, w.getTupleElement(1)), 0).slice("0:2");
              XlaOp chosen =
                  of.apply(i).conditional(i.lt(5), both, p -> p.neg(), both, p -> p.add(p));
              return of.apply(s).tuple(i.add(1), chosen);
            });
    return Texts.printed(b.build(y));
  }

  /** Where the operands are values of a lambda, its builder or one around it give the same. */
  @Test
  void opsBelongToTheBuilderOfTheirOperands() {
    XlaBuilder outer = new XlaBuilder("test");
    String text = nested(each -> outer, outer);
    assertThat(text).isEqualTo(nested(XlaOp::builder, new XlaBuilder("test")));
    assertThat(text).contains("ROOT tuple.2 = (s32[], f32[2]) tuple(");
  }

  /** After a refusal in a lambda, the builder around it goes on as before. */
  @Test
  void aRefusedOpOfALambdaLeavesNothingBehind() {
    XlaOp x = x(2);
    HloException refusal =
        assertThrows(
            HloException.class,
            () -> b.whileLoop(x, s -> b.constant(true), s -> b.concatInDim(List.of(s, x), 0)));
    assertThat(refusal)
        .hasMessageThat()
        .startsWith(
            "x got from builder test, want an op of builder body: a computation sees its parameters"
                + " and scalar constants only, ");
    assertThat(Texts.printed(b.build(b.tuple(x)))).contains("ROOT tuple = (f32[2]) tuple(x)");
  }
}
