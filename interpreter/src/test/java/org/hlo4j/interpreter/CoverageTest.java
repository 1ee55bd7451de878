package org.hlo4j.interpreter;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.util.Map.entry;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.testing.ElementwiseCase;
import org.junit.jupiter.api.Test;

/**
 * Every op has a builder method, is verified, printed and evaluated, and has a row in a test. The
 * lists of ops are {@code Op.class.getPermittedSubclasses()} and {@code Kind.values()}: a new op
 * fails here, by name, until it is in the tables below and in elements.txt.
 */
class CoverageTest {
  /** How to build an op, and what its value is. */
  private record Example(Function<XlaBuilder, XlaOp> build, Literal value) {
    static Example of(Function<XlaBuilder, XlaOp> build, Object value) {
      return new Example(build, value instanceof Literal literal ? literal : Literal.of(value));
    }
  }

  private static final ImmutableMap<Class<? extends Op>, Example> STRUCTURED =
      ImmutableMap.ofEntries(
          entry(
              BitcastConvert.class,
              Example.of(b -> b.constant(1f).bitcastConvertType(ElementType.S32), 0x3f800000)),
          entry(
              Broadcast.class,
              Example.of(
                  b -> b.constant(new int[] {1, 2}).broadcast(2), new int[][] {{1, 2}, {1, 2}})),
          entry(
              Call.class,
              Example.of(b -> b.call("f", (body, p) -> p.get(0).neg(), b.constant(3)), -3)),
          entry(Clamp.class, Example.of(b -> b.constant(7).clamp(b.constant(0), b.constant(5)), 5)),
          entry(Compare.class, Example.of(b -> b.constant(1).lt(b.constant(2)), true)),
          entry(Constant.class, Example.of(b -> b.constant(new int[] {1, 2}), new int[] {1, 2})),
          entry(
              Convert.class,
              Example.of(b -> b.constant(1.75f).convertElementType(ElementType.S32), 1)),
          entry(Copy.class, Example.of(b -> b.constant(4).copy(), 4)),
          entry(
              Dot.class,
              Example.of(b -> b.constant(new int[] {1, 2}).dot(b.constant(new int[] {3, 4})), 11)),
          entry(
              GetTupleElement.class,
              Example.of(b -> b.tuple(b.constant(1), b.constant(2)).getTupleElement(1), 2)),
          entry(Iota.class, Example.of(b -> b.iota(ElementType.S32, 3), new int[] {0, 1, 2})),
          entry(
              Parameter.class, Example.of(b -> b.parameter(0, Shape.of(ElementType.S32), "x"), 42)),
          entry(
              Reduce.class,
              Example.of(
                  b -> b.constant(new int[] {1, 2, 3}).reduceAll(b.constant(0), XlaOp::add), 6)),
          entry(ReducePrecision.class, Example.of(b -> b.constant(1.2f).reducePrecision(8, 1), 1f)),
          entry(
              Reshape.class,
              Example.of(b -> b.constant(new int[] {1, 2}).reshape(2, 1), new int[][] {{1}, {2}})),
          entry(
              Select.class,
              Example.of(b -> b.constant(false).select(b.constant(1), b.constant(2)), 2)),
          entry(
              Transpose.class,
              Example.of(
                  b -> b.constant(new int[][] {{1, 2}}).transpose(1, 0), new int[][] {{1}, {2}})),
          entry(
              Tuple.class,
              Example.of(
                  b -> b.tuple(b.constant(1), b.constant(true)),
                  Literal.tuple(Literal.of(1), Literal.of(true)))));

  @Test
  void everyStructuredOpHasAnExample() {
    List<String> missing =
        Arrays.stream(Op.class.getPermittedSubclasses())
            .filter(op -> op != Elementwise.class && !STRUCTURED.containsKey(op))
            .map(Class::getSimpleName)
            .toList();
    assertWithMessage("ops without a builder method, an evaluation and a row in the table above")
        .that(missing)
        .isEmpty();
  }

  @Test
  void everyStructuredOpIsBuiltVerifiedPrintedAndEvaluated() {
    STRUCTURED.forEach((op, example) -> {
      XlaBuilder b = new XlaBuilder("example");
      XlaOp root = example.build().apply(b);
      assertThat(root.instruction().op()).isInstanceOf(op);
      HloModule module = b.build(root);
      assertPrints(module, root);
      Literal[] arguments =
          module.entry().parameters().isEmpty() ? new Literal[0] : new Literal[] {example.value()};
      assertWithMessage("%s", op.getSimpleName())
          .that(Interpreter.reference().run(module, arguments))
          .isEqualTo(example.value());
    });
  }

  private static void assertPrints(HloModule module, XlaOp op) {
    Verifier.strict().verify(module);
    HloComputation entry = module.entry();
    assertThat(Printer.print(module))
        .containsMatch("ROOT %[a-z0-9_.-]+ = [^=]* " + entry.root().op().opcode() + "\\(");
    assertThat(entry.root()).isSameInstanceAs(op.instruction());
  }

  private static Stream<ElementType> accepted(Elementwise.Kind kind) {
    return Arrays.stream(ElementType.values()).filter(kind::accepts);
  }

  /** Builds an element-wise op on ones, of a type; empty if there is no method for it. */
  private static Optional<XlaOp> built(XlaBuilder b, Elementwise.Kind kind, ElementType type) {
    List<XlaOp> operands = new ArrayList<>();
    for (int i = 0; i < kind.arity(); i++) {
      operands.add(b.parameter(i, Shape.of(type, 2), "p" + i));
    }
    return Builds.elementwise(kind, operands);
  }

  @Test
  void everyElementwiseOpHasABuilderMethod() {
    List<String> missing =
        Arrays.stream(Elementwise.Kind.values())
            .filter(kind ->
                accepted(kind)
                    .findFirst()
                    .flatMap(type -> built(new XlaBuilder("b"), kind, type))
                    .filter(op -> op.instruction().op().equals(new Elementwise(kind)))
                    .isEmpty())
            .map(Elementwise.Kind::name)
            .toList();
    assertWithMessage("element-wise ops that the table in Builds does not build, or builds wrong")
        .that(missing)
        .isEmpty();
  }

  @Test
  void everyElementwiseOpIsEvaluatedOnEveryTypeItAccepts() {
    for (Elementwise.Kind kind : Elementwise.Kind.values()) {
      accepted(kind).forEach(type -> evaluate(kind, type));
    }
  }

  private static void evaluate(Elementwise.Kind kind, ElementType type) {
    XlaBuilder b = new XlaBuilder("b");
    XlaOp op = built(b, kind, type).orElseThrow();
    HloModule module = b.build(op);
    assertPrints(module, op);
    Literal bits =
        ElementsTest.bits(type, type.isComplex() ? new long[] {0, 1, 1, 0} : new long[] {0, 1});
    Literal[] arguments = new Literal[kind.arity()];
    Arrays.fill(arguments, bits);
    assertWithMessage("%s of %s", kind, type)
        .that(Interpreter.reference().run(module, arguments).shape())
        .isEqualTo(Shape.of(kind.resultType(type), 2));
  }

  /** One row for each way through the evaluator: each family of types that an op accepts. */
  @Test
  void everyElementwiseOpHasARowForEveryFamilyOfTypes() {
    ImmutableSet<String> rows =
        ElementsTest.rows().stream()
            .map(row -> row.op() + " of " + firstType(row).kind())
            .collect(toImmutableSet());
    List<String> missing =
        Arrays.stream(Elementwise.Kind.values())
            .flatMap(kind -> accepted(kind).map(type -> kind.mnemonic() + " of " + type.kind()))
            .distinct()
            .filter(wanted -> !rows.contains(wanted))
            .toList();
    assertWithMessage("rows to be added to elements.txt").that(missing).isEmpty();
  }

  private static ElementType firstType(ElementwiseCase row) {
    return row.arguments().get(0).elementType();
  }
}
