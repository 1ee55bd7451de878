package org.hlo4j.interpreter.conformance;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Transfers;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.interpreter.conformance.HandBuiltExamples.HandBuilt;
import org.hlo4j.testing.ElementwiseCase;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every op has a builder method, is verified, printed and evaluated, and has a row in a test. The
 * lists of ops are the records that {@code Op} permits and {@code Kind.values()}: a new op fails
 * here, by name, until it is in a table of examples or in elements.txt.
 */
class CoverageTest {
  /** Each op that a public method of the builder makes. */
  static final ImmutableMap<Class<? extends Op>, Example> STRUCTURED =
      ImmutableMap.<Class<? extends Op>, Example>builder()
          .putAll(BasicExamples.TABLE)
          .putAll(IndexExamples.TABLE)
          .putAll(SumExamples.TABLE)
          .putAll(ControlExamples.TABLE)
          .buildOrThrow();

  /** Every op that is a record with attributes of its own, in the order of their names. */
  static ImmutableList<Class<?>> structuredOps() {
    return records(Op.class).filter(op -> op != Elementwise.class).collect(toImmutableList());
  }

  private static Stream<Class<?>> records(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses()).flatMap(CoverageTest::records).distinct()
        : Stream.of(type);
  }

  /** The examples of both tables. */
  static ImmutableMap<Class<? extends Op>, Example> examples() {
    return ImmutableMap.<Class<? extends Op>, Example>builder()
        .putAll(STRUCTURED)
        .putAll(Maps.transformValues(HandBuiltExamples.TABLE, HandBuilt::example))
        .buildOrThrow();
  }

  @Test
  void everyStructuredOpHasAnExample() {
    List<String> missing =
        structuredOps().stream()
            .filter(op -> !examples().containsKey(op))
            .map(Class::getSimpleName)
            .toList();
    assertWithMessage(
            "ops without an example in BasicExamples, IndexExamples, SumExamples or"
                + " ControlExamples, or, if XLA's builder has no method for them, in"
                + " HandBuiltExamples")
        .that(missing)
        .isEmpty();
  }

  @TestFactory
  Stream<DynamicTest> everyStructuredOpIsBuiltVerifiedPrintedAndEvaluated() {
    return examples().entrySet().stream()
        .map(row ->
            dynamicTest(
                row.getKey().getSimpleName(), () -> checkExample(row.getKey(), row.getValue())));
  }

  private static void checkExample(Class<? extends Op> type, Example example) {
    HloModule module = example.module().get();
    Verifier.strict().verify(module);
    String opcode = example.op(type).opcode();
    assertThat(Printer.print(module)).containsMatch("%[a-z0-9_.-]+ = .* " + opcode + "\\(");
    List<Literal> arguments =
        module.entry().parameters().isEmpty() ? List.of() : List.of(example.value());
    for (Evaluators evaluators : Evaluators.values()) {
      List<Literal> results =
          evaluators
              .alone(surroundings())
              .runOnDevices(
                  module, Example.GRID, Collections.nCopies(Example.GRID.deviceCount(), arguments));
      assertThat(results.get(results.size() - 1)).isEqualTo(example.value());
    }
  }

  /** What the examples that reach out of their module find there. */
  private static EvaluatorOptions surroundings() {
    Transfers transfers = Transfers.create();
    for (int device = 0; device < Example.GRID.deviceCount(); device++) {
      transfers.feedInto(device, ControlExamples.FED);
    }
    return EvaluatorOptions.builder()
        .transfers(transfers)
        .customCall(
            "twice", (call, operands) -> Literal.of((float) (2 * operands.get(0).getDouble())))
        .build();
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

  /** A module of an element-wise op, of the first type that it accepts. */
  static HloModule module(Elementwise.Kind kind) {
    XlaBuilder b = new XlaBuilder("b");
    ElementType type = accepted(kind).findFirst().orElseThrow();
    return b.build(builtOrFail(b, kind, type));
  }

  private static XlaOp builtOrFail(XlaBuilder b, Elementwise.Kind kind, ElementType type) {
    return built(b, kind, type)
        .orElseThrow(() -> new AssertionError("the table in Builds does not build " + kind));
  }

  private static void evaluate(Elementwise.Kind kind, ElementType type) {
    XlaBuilder b = new XlaBuilder("b");
    XlaOp op = builtOrFail(b, kind, type);
    HloModule module = b.build(op);
    assertPrints(module, op);
    Literal bits =
        ElementsTest.bits(type, type.isComplex() ? new long[] {0, 1, 1, 0} : new long[] {0, 1});
    Literal[] arguments = new Literal[kind.arity()];
    Arrays.fill(arguments, bits);
    assertWithMessage("%s of %s", kind, type)
        .that(Evaluators.both().run(module, arguments).shape())
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
