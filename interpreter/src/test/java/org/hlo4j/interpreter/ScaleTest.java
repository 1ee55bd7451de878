package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.LiteralSubject;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Modules long, deep and tangled: worked through without recursion, or refused as bad input. */
@Tag("thorough")
@Execution(ExecutionMode.CONCURRENT)
class ScaleTest {
  private static final int LONG = Nightly.isOn() ? 30_000 : 1_000;
  private static final int WIDE = Nightly.isOn() ? 10_000 : 2_000;
  private static final int DEEP = 5_000;
  private static final Shape.Array SCALAR = Shape.of(ElementType.S32);

  @Test
  void aLongChain() {
    XlaBuilder b = new XlaBuilder("chain");
    XlaOp x = b.parameter(0, Shape.of(ElementType.S32, 2), "x");
    XlaOp one = b.constant(new int[] {1, 2});
    XlaOp sum = x;
    for (int i = 0; i < LONG; i++) {
      sum = i % 2 == 0 ? sum.add(one) : one.add(sum);
    }
    HloModule module = b.build(sum);
    assertThat(module.entry().instructions()).hasSize(LONG + 2);
    Verifier.strict().verify(module);
    assertThat(Printer.print(module).lines().count()).isAtLeast(LONG);
    assertThat(module.toString()).isNotEmpty();
    LiteralSubject.assertThat(Evaluators.both().run(module, Literal.of(new int[] {7, 7})))
        .holds(new int[] {LONG + 7, 2 * LONG + 7});
  }

  /** Each value used twice: a tree of 2^1000 leaves to whoever walks the graph as one. */
  @Test
  void aChainInWhichEachValueIsUsedTwice() {
    XlaBuilder b = new XlaBuilder("doubling");
    XlaOp x = b.constant(1.0);
    for (int i = 0; i < 1000; i++) {
      x = x.add(x);
    }
    HloModule module = b.build(x);
    Verifier.strict().verify(module);
    assertThat(Printer.print(module)).contains("ROOT");
    LiteralSubject.assertThat(Evaluators.both().run(module)).holds(0x1p1000);
  }

  /** Few enough for one method, but each has more code than a method can hold for all. */
  @Test
  void aLoopOfTooMuchCodeForAMethod() {
    XlaBuilder b = new XlaBuilder("loop");
    b.whileLoop(
        b.constant(0.5),
        x -> x.gt(x.builder().constant(0.01)),
        x -> {
          XlaOp next = x;
          for (int i = 0; i < 500; i++) {
            next = next.tanh();
          }
          return next;
        });
    assertThat(Evaluators.both().run(b.build()).doubleAt(0)).isLessThan(0.01);
  }

  /** One value used by many, and an op that takes it as often. */
  @Test
  void aConcatenationOfOneOperand() {
    XlaBuilder b = new XlaBuilder("wide");
    XlaOp x = b.constant(new int[] {1, 2}).neg();
    b.concatInDim(Collections.nCopies(100_000, x), 0);
    Literal result = Evaluators.both().run(b.build());
    assertThat(result.elementCount()).isEqualTo(200_000);
    assertThat(result.longAt(199_999)).isEqualTo(-2);
  }

  private static String commaSeparated(int count, IntFunction<String> item) {
    return IntStream.range(0, count).mapToObj(item).collect(joining(", "));
  }

  /** Of each part of the state it is asked once whether it is read at a computed index. */
  @Test
  void thePlanOfALoopWithAWideState() {
    String state = "(" + commaSeparated(WIDE, i -> "f32[]") + ")";
    HloModule module =
        Parser.parse(
            """
            HloModule wide

            condition {
              p = STATE parameter(0)
              x = f32[] get-tuple-element(p), index=0
              ROOT less = pred[] compare(x, x), direction=LT
            }

            body {
              p = STATE parameter(0)
            ELEMENTS
              ROOT next = STATE tuple(NEXT)
            }

            ENTRY main {
              p = STATE parameter(0)
              ROOT loop = STATE while(p), condition=condition, body=body
            }
            """
                .replace("STATE", state)
                .replace("NEXT", commaSeparated(WIDE, i -> "y" + i))
                .replace(
                    "ELEMENTS",
                    commaSeparated(
                            WIDE,
                            i ->
                                "x%1$d = f32[] get-tuple-element(p), index=%1$d\ny%1$d = f32[] sine(x%1$d)"
                                    .formatted(i))
                        .replace(", x", "\nx")));
    assertThat(Interpreter.compiled().compile(module).explain())
        .contains("while, step by step: too much for one method");
  }

  /** Read from a proto, and each alias checked, in one go over the parameters. */
  @Test
  void aProgramOfManyParametersGivenAway() {
    XlaBuilder b = new XlaBuilder("wide");
    XlaOp[] parameters = new XlaOp[WIDE];
    Arrays.setAll(parameters, i -> b.parameter(i, SCALAR, "x" + i));
    String text = Printer.print(b.build(b.tuple(parameters)));
    String aliases = commaSeparated(WIDE, i -> "{%1$d}: (%1$d, {}, may-alias)".formatted(i));
    HloModule module =
        Parser.parse(text.replaceFirst(",", ", input_output_alias={ " + aliases + " },"));
    Verifier.strict().verify(module);
    assertThat(Printer.print(HloProtos.readModule(HloProtos.writeModule(module))))
        .isEqualTo(Printer.print(module));
  }

  @Test
  void tuplesNestedTooDeepAreRefused() {
    XlaBuilder b = new XlaBuilder("tuples");
    HloException refusal = refusalWithin(b.constant(1), (i, x) -> b.tuple(x));
    assertThat(refusal.summary())
        .isEqualTo("tuple: shape: tuple nested 201 deep, want at most 200");
  }

  @Test
  void tuplesThatDoubleAreRefused() {
    XlaBuilder b = new XlaBuilder("doubling");
    HloException refusal = refusalWithin(b.constant(1), (i, x) -> b.tuple(x, x));
    assertThat(refusal.summary())
        .isEqualTo("tuple: shape: tuple of 1048576 values, want at most 1000000");
  }

  @Test
  void shapesAndLiteralsNestedTooDeepAreRefused() {
    assertThat(
            assertThrows(
                HloException.class, () -> nested((Shape) SCALAR, (i, shape) -> Shape.tuple(shape))))
        .hasMessageThat()
        .isEqualTo("shape: tuple nested 201 deep, want at most 200");
    assertThat(
            assertThrows(
                HloException.class,
                () -> nested(Literal.of(1), (i, literal) -> Literal.tuple(literal))))
        .hasMessageThat()
        .isEqualTo("shape: tuple nested 201 deep, want at most 200");
  }

  /** One step inwards. */
  private interface Step<T> {
    T apply(int depth, T inner);
  }

  private static <T> T nested(T innermost, Step<T> step) {
    T value = innermost;
    for (int i = 0; i < DEEP; i++) {
      value = step.apply(i, value);
    }
    return value;
  }

  private static HloException refusalWithin(XlaOp innermost, Step<XlaOp> step) {
    return assertThrows(HloException.class, () -> nested(innermost, step));
  }

  @Test
  void tuplesAsDeepAsMayBeAreWorkedThrough() {
    XlaBuilder b = new XlaBuilder("tuples");
    XlaOp x = b.constant(1);
    for (int i = 0; i < 200; i++) {
      x = b.tuple(x);
    }
    XlaOp inside = x;
    for (int i = 0; i < 200; i++) {
      inside = inside.getTupleElement(0);
    }
    HloModule module = b.build(b.tuple(inside));
    Verifier.strict().verify(module);
    assertThat(Printer.print(module)).contains("ROOT");
    LiteralSubject.assertThat(Evaluators.both().run(module).element(0)).holds(1);
  }

  /** A module of computations, each adding one to what the one before gives. */
  private static HloModule chainOfCalls(int depth) {
    XlaBuilder b = new XlaBuilder("calls");
    HloComputation callee =
        b.computation("innermost", List.of(SCALAR), (body, p) -> p.get(0).add(body.constant(1)));
    for (int i = 1; i < depth; i++) {
      HloComputation inner = callee;
      callee =
          b.computation(
              "level",
              List.of(SCALAR),
              (body, p) -> body.call(inner, p.get(0)).add(body.constant(1)));
    }
    return b.build(b.call(callee, b.constant(0)));
  }

  @Test
  void callsNestedTooDeepAreBuiltVerifiedAndPrintedButNotRun() {
    HloModule module = chainOfCalls(DEEP);
    assertThat(module.computations()).hasSize(DEEP + 1);
    Verifier.strict().verify(module);
    assertThat(Printer.print(module)).contains("%innermost");
    HloException refusal = assertThrows(HloException.class, () -> Evaluators.both().run(module));
    assertThat(refusal.summary())
        .isEqualTo("run: calls nest more than 400 deep at level.4599, want fewer");
    assertThat(refusal.facts().size()).isAtMost(25);
  }

  @Test
  void callsNestedAsDeepAsMayBeAreRun() {
    LiteralSubject.assertThat(Evaluators.both().run(chainOfCalls(399))).holds(399);
  }

  @Test
  void readyComputationsNestedDeepAreTakenIn() {
    IntFunction<HloComputation> level =
        i -> {
          XlaBuilder b = new XlaBuilder("level" + i);
          XlaOp x = b.parameter(0, SCALAR, "x");
          return b.buildComputation(x.neg());
        };
    HloComputation callee = level.apply(0);
    for (int i = 1; i < 300; i++) {
      XlaBuilder b = new XlaBuilder("level" + i);
      callee = b.buildComputation(b.call(callee, b.parameter(0, SCALAR, "x")));
    }
    XlaBuilder b = new XlaBuilder("entry");
    HloModule module = b.build(b.call(callee, b.constant(5)));
    Verifier.strict().verify(module);
    LiteralSubject.assertThat(Evaluators.both().run(module)).holds(-5);
  }

  /** Each level is made once, in the module; on the way there nothing is copied. */
  @Test
  void readyComputationsAreSharedUntilTheModuleIsBuilt() {
    int levels = 2_000;
    List<HloComputation> chain = new ArrayList<>();
    for (int i = 0; i < levels; i++) {
      XlaBuilder b = new XlaBuilder("level");
      XlaOp x = b.parameter(0, SCALAR, "x");
      chain.add(b.buildComputation(i == 0 ? x.neg() : b.call(chain.get(i - 1), x)));
    }
    for (int i = 1; i < levels; i++) {
      assertThat(chain.get(i).root().called().get(0)).isSameInstanceAs(chain.get(i - 1));
      assertThat(chain.get(i).instructions()).hasSize(2);
    }
    XlaBuilder b = new XlaBuilder("entry");
    XlaOp twice = b.call(chain.get(levels - 1), b.call(chain.get(levels - 1), b.constant(5)));
    HloModule module = b.build(twice);
    assertThat(module.computations()).hasSize(levels + 1);
    assertThat(module.entry().root()).isSameInstanceAs(twice.instruction());
    Verifier.strict().verify(module);
  }

  @Test
  void lambdasNestedTooDeepAreRefused() {
    XlaBuilder b = new XlaBuilder("lambdas");
    HloException refusal = assertThrows(HloException.class, () -> inside(b, b.constant(1), DEEP));
    assertThat(refusal.summary())
        .isEqualTo(
            "computation: level got more than 200 computations around it, want a ready one to"
                + " call");
  }

  private static XlaOp inside(XlaBuilder b, XlaOp x, int depth) {
    return depth == 0 ? x : b.call("level", (body, p) -> inside(body, p.get(0), depth - 1), x);
  }
}
