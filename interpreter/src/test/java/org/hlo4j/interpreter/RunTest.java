package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a run asks of its module and its arguments, and says where it does not get it. */
class RunTest {
  private static final Shape.Array VECTOR = Shape.of(ElementType.F32, 3);

  /** The sum of a vector x and a scalar y. */
  private static HloModule module() {
    XlaBuilder b = new XlaBuilder("sum");
    XlaOp x = b.parameter(0, VECTOR, "x");
    XlaOp y = b.parameter(1, Shape.of(ElementType.F32), "y");
    return b.build(x.add(y));
  }

  private static String refusal(HloModule module, Literal... arguments) {
    HloException refusal =
        assertThrows(HloException.class, () -> Evaluators.both().run(module, arguments));
    return String.valueOf(refusal.getMessage());
  }

  private static final Literal X = Literal.of(new float[] {1, 2, 3});
  private static final Literal Y = Literal.of(10f);

  @Test
  void aModuleRunsAgainAndAgain() {
    HloModule module = module();
    Evaluator evaluator = Evaluators.both();
    for (int i = 0; i < 3; i++) {
      LiteralSubject.assertThat(evaluator.run(module, X, Y)).holds(new float[] {11, 12, 13});
    }
    LiteralSubject.assertThat(X).holds(new float[] {1, 2, 3});
  }

  @ParameterizedTest
  @EnumSource(Evaluators.class)
  void anExecutableTellsItsModuleAndSignature(Evaluators evaluators) {
    HloModule module = module();
    Executable executable = evaluators.alone(EvaluatorOptions.defaults()).compile(module);
    assertThat(executable.module()).isSameInstanceAs(module);
    assertThat(executable.signature())
        .isEqualTo(new ProgramShape(ImmutableList.of(VECTOR, Shape.of(ElementType.F32)), VECTOR));
    assertThat(executable.parameterNames()).containsExactly("x", "y").inOrder();
    assertThat(executable.toString()).isEqualTo("executable sum (x: f32[3], y: f32[]) -> f32[3]");
  }

  @Test
  void parametersAreMatchedByNumber() {
    XlaBuilder b = new XlaBuilder("numbers");
    XlaOp second = b.parameter(1, Shape.of(ElementType.S32), "second");
    XlaOp first = b.parameter(0, Shape.of(ElementType.S32), "first");
    LiteralSubject.assertThat(
            Evaluators.both().run(b.build(first.sub(second)), Literal.of(7), Literal.of(2)))
        .holds(5);
  }

  @Test
  void theRootNeedNotBeLastAndAParameterCanBeTheRoot() {
    XlaBuilder b = new XlaBuilder("root");
    XlaOp x = b.parameter(0, VECTOR, "x");
    XlaOp unused = x.add(x);
    assertThat(unused.shape()).isEqualTo(VECTOR);
    LiteralSubject.assertThat(Evaluators.both().run(b.build(x), X)).isEqualTo(X);
  }

  @Test
  void tooFewArguments() {
    assertThat(refusal(module(), X))
        .isEqualTo("run: got 1 argument, want 2: x f32[3], y f32[]; missing y");
    assertThat(refusal(module(), Y))
        .isEqualTo(
            "run: got 1 argument, want 2: x f32[3], y f32[]; missing y; argument x got f32[],"
                + " want f32[3]");
  }

  @Test
  void tooManyArguments() {
    assertThat(refusal(module(), X, Y, Y))
        .isEqualTo("run: got 3 arguments, want 2: x f32[3], y f32[]");
  }

  @Test
  void anArgumentOfTheWrongSize() {
    assertThat(refusal(module(), Literal.of(new float[] {1, 2}), Y))
        .isEqualTo("run: argument x got f32[2], want f32[3]");
  }

  @Test
  void anArgumentOfTheWrongElementType() {
    assertThat(refusal(module(), X, Literal.of(10)))
        .isEqualTo("run: argument y got s32[], want f32[]\n  fits: y.convertElementType(F32)");
    Literal wide = X.convertElementType(ElementType.F64);
    assertThat(refusal(module(), wide, Literal.of(1.0)))
        .isEqualTo(
            "run: argument x got f64[3], want f32[3]; argument y got f64[], want f32[]\n"
                + "  fits: x.convertElementType(F32), y.convertElementType(F32)");
    assertThat(refusal(module(), wide, X))
        .isEqualTo(
            "run: argument x got f64[3], want f32[3]; argument y got f32[3], want f32[]\n"
                + "  fits: x.convertElementType(F32)");
    assertThat(refusal(module(), X.convertElementType(ElementType.C64), Y))
        .isEqualTo("run: argument x got c64[3], want f32[3]");
  }

  @Test
  void aTupleForAnArray() {
    assertThat(refusal(module(), X, Literal.tuple(Y)))
        .isEqualTo("run: argument y got (f32[]), want f32[]");
  }

  @Test
  @SuppressWarnings("NullAway") // bad input on purpose
  void nullForAnArgument() {
    assertThat(refusal(module(), X, null)).isEqualTo("run: argument y got null, want f32[]");
  }

  @Test
  @SuppressWarnings("NullAway") // bad input on purpose
  void nullForTheModuleOrAllArguments() {
    assertThat(refusal(null)).isEqualTo("run: module is null");
    assertThat(refusal(module(), (Literal[]) null))
        .isEqualTo("run: arguments are null, want 2 literals");
  }

  @Test
  void aModuleThatBreaksARuleIsRefusedBeforeItRuns() {
    HloInstruction x = HloInstruction.of("x", new Parameter(0, VECTOR));
    HloInstruction wrong =
        HloInstruction.create(
            "wrong",
            new Elementwise(Elementwise.Kind.NEGATE),
            List.of(x),
            List.of(),
            Shape.of(ElementType.F32, 4),
            Metadata.NONE);
    HloModule module =
        HloModule.create("bad", HloComputation.create("bad", List.of(x, wrong), wrong));
    assertThat(refusal(module, X))
        .isEqualTo(
            """
            negate: declared shape got f32[4], want f32[3] as inferred
              %wrong = f32[4] negate(%x)\
            """);
  }

  @Test
  void argumentsBeyondTheBoundAreRefused() {
    Shape.Array bounded = Shape.of(ElementType.F32, 2).withDynamic(List.of(0));
    XlaBuilder b = new XlaBuilder("bounded");
    XlaOp x = b.parameter(0, bounded, "x");
    HloModule module = b.build(x.neg());
    assertThat(refusal(module, X)).isEqualTo("run: argument x got f32[3], want f32[<=2]");
  }

  @Test
  void unboundedDynamicShapesAreRefused() {
    Shape.Array unbounded = Shape.of(ElementType.F32).append(unbounded(), Dims.of(0));
    XlaBuilder b = new XlaBuilder("unbounded");
    HloModule module = b.build(b.parameter(0, unbounded, "x").neg());
    assertThat(refusal(module, X)).isEqualTo("run: argument x got f32[3], want f32[?]");
  }

  private static Shape.Array unbounded() {
    return Rows.shape("f32[?]");
  }

  @Test
  void aParameterNobodyUsesIsCheckedAllTheSame() {
    XlaBuilder b = new XlaBuilder("unused");
    XlaOp unused = b.parameter(0, VECTOR, "unused");
    HloModule module = b.build(b.constant(1));
    assertThat(unused.name()).isEqualTo("unused");
    assertThat(refusal(module, Y)).isEqualTo("run: argument unused got f32[], want f32[3]");
    LiteralSubject.assertThat(Evaluators.both().run(module, X)).holds(1);
  }

  @Test
  void anArrayTooLargeForTheHeapIsRefused() {
    XlaBuilder b = new XlaBuilder("large");
    HloModule module = b.build(b.full(Shape.of(ElementType.F32, 1L << 40), 1));
    assertThat(refusal(module))
        .startsWith(
            """
            run: f32[1099511627776] has 1099511627776 elements, want at most 2147483639
              %broadcast = f32[1099511627776] broadcast(%constant)
              at RunTest.java:\
            """);
  }

  @Test
  void anArrayTooLargeForThisHeapIsRefused() {
    XlaBuilder b = new XlaBuilder("large");
    HloModule module = b.build(b.full(Shape.of(ElementType.F64, Integer.MAX_VALUE - 8), 1));
    long needed = 12L * Integer.MAX_VALUE;
    assumeTrue(Runtime.getRuntime().maxMemory() < needed, "the heap has room for 26 GB");
    EvaluatorOptions unlimited = EvaluatorOptions.builder().maxBytes(Long.MAX_VALUE).build();
    HloException refusal =
        assertThrows(HloException.class, () -> Evaluators.both(unlimited).run(module));
    assertThat(refusal).hasMessageThat().contains("the heap has no room");
  }

  @Test
  void reducingMoreThanThereAreNumbersToNothingIsNoWork() {
    XlaBuilder b = new XlaBuilder("fold");
    XlaOp none = b.zeros(Shape.of(ElementType.F32, 0, 1L << 40, 1L << 40));
    HloModule module = b.build(none.reduce(b.constant(0f), XlaOp::add, 1, 2));
    assertThat(Evaluators.both(EvaluatorOptions.defaults()).run(module).shape())
        .isEqualTo(Shape.of(ElementType.F32, 0));
  }
}
