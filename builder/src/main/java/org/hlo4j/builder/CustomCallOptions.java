package org.hlo4j.builder;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Aliasing;
import org.hlo4j.hlo.op.CustomCall;

/**
 * How to call something that HLO does not know: {@code CustomCallOptions.of("lu",
 * shape).withOpaque("{}")}.
 *
 * @param target the name, not beginning with {@code $}
 * @param shape the shape of the result
 * @param opaque what the target is told, any text; empty if nothing
 * @param hasSideEffect whether it does more than give a result
 * @param outputOperandAliasing which parts of the result may lie where which operand lies
 * @param literal a value that goes with the call
 * @param schedule when to run it
 * @param apiVersion how it is called
 * @param operandShapesWithLayout the layouts wanted of the operands; empty for any
 * @param computations what the target may call
 */
public record CustomCallOptions(
    String target,
    Shape shape,
    String opaque,
    boolean hasSideEffect,
    ImmutableList<Aliasing> outputOperandAliasing,
    Optional<Literal> literal,
    CustomCall.Schedule schedule,
    CustomCall.ApiVersion apiVersion,
    Optional<ImmutableList<Shape>> operandShapesWithLayout,
    ImmutableList<HloComputation> computations) {
  /**
   * Checks the target.
   *
   * @throws org.hlo4j.hlo.HloException if it begins with {@code $}, as XLA's own targets do
   */
  public CustomCallOptions {
    require(
        !target.startsWith("$"),
        "",
        "custom-call: target got %s, want a name without $: those are XLA's own",
        target);
  }

  /**
   * A call without further options.
   *
   * @param target the name
   * @param shape the shape of the result
   * @return the options
   */
  public static CustomCallOptions of(String target, Shape shape) {
    return new CustomCallOptions(
        target,
        shape,
        "",
        false,
        ImmutableList.of(),
        Optional.empty(),
        CustomCall.Schedule.SCHEDULE_NONE,
        CustomCall.ApiVersion.API_VERSION_ORIGINAL,
        Optional.empty(),
        ImmutableList.of());
  }

  /**
   * The same with another value for {@link #opaque}.
   *
   * @param newOpaque what the target is told, any text; empty if nothing
   * @return the options
   */
  public CustomCallOptions withOpaque(String newOpaque) {
    return new CustomCallOptions(
        target,
        shape,
        newOpaque,
        hasSideEffect,
        outputOperandAliasing,
        literal,
        schedule,
        apiVersion,
        operandShapesWithLayout,
        computations);
  }

  /**
   * The same with another value for {@link #hasSideEffect}.
   *
   * @param newHasSideEffect whether it does more than give a result
   * @return the options
   */
  public CustomCallOptions withHasSideEffect(boolean newHasSideEffect) {
    return new CustomCallOptions(
        target,
        shape,
        opaque,
        newHasSideEffect,
        outputOperandAliasing,
        literal,
        schedule,
        apiVersion,
        operandShapesWithLayout,
        computations);
  }

  /**
   * The same with another value for {@link #outputOperandAliasing}.
   *
   * @param newOutputOperandAliasing which parts of the result may lie where which operand lies
   * @return the options
   */
  public CustomCallOptions withOutputOperandAliasing(Aliasing... newOutputOperandAliasing) {
    return new CustomCallOptions(
        target,
        shape,
        opaque,
        hasSideEffect,
        ImmutableList.copyOf(newOutputOperandAliasing),
        literal,
        schedule,
        apiVersion,
        operandShapesWithLayout,
        computations);
  }

  /**
   * The same with another value for {@link #literal}.
   *
   * @param newLiteral a value that goes with the call
   * @return the options
   */
  public CustomCallOptions withLiteral(Literal newLiteral) {
    return new CustomCallOptions(
        target,
        shape,
        opaque,
        hasSideEffect,
        outputOperandAliasing,
        Optional.of(newLiteral),
        schedule,
        apiVersion,
        operandShapesWithLayout,
        computations);
  }

  /**
   * The same with another value for {@link #schedule}.
   *
   * @param newSchedule when to run it
   * @return the options
   */
  public CustomCallOptions withSchedule(CustomCall.Schedule newSchedule) {
    return new CustomCallOptions(
        target,
        shape,
        opaque,
        hasSideEffect,
        outputOperandAliasing,
        literal,
        newSchedule,
        apiVersion,
        operandShapesWithLayout,
        computations);
  }

  /**
   * The same with another value for {@link #apiVersion}.
   *
   * @param newApiVersion how it is called
   * @return the options
   */
  public CustomCallOptions withApiVersion(CustomCall.ApiVersion newApiVersion) {
    return new CustomCallOptions(
        target,
        shape,
        opaque,
        hasSideEffect,
        outputOperandAliasing,
        literal,
        schedule,
        newApiVersion,
        operandShapesWithLayout,
        computations);
  }

  /**
   * The same with another value for {@link #operandShapesWithLayout}.
   *
   * @param newOperandShapesWithLayout the layouts wanted of the operands; empty for any
   * @return the options
   */
  public CustomCallOptions withOperandShapesWithLayout(List<Shape> newOperandShapesWithLayout) {
    return new CustomCallOptions(
        target,
        shape,
        opaque,
        hasSideEffect,
        outputOperandAliasing,
        literal,
        schedule,
        apiVersion,
        Optional.of(ImmutableList.copyOf(newOperandShapesWithLayout)),
        computations);
  }

  /**
   * The same with another value for {@link #computations}.
   *
   * @param newComputations what the target may call
   * @return the options
   */
  public CustomCallOptions withComputations(HloComputation... newComputations) {
    return new CustomCallOptions(
        target,
        shape,
        opaque,
        hasSideEffect,
        outputOperandAliasing,
        literal,
        schedule,
        apiVersion,
        operandShapesWithLayout,
        ImmutableList.copyOf(newComputations));
  }

  CustomCall op() {
    return new CustomCall(
        shape,
        target,
        operandShapesWithLayout,
        hasSideEffect,
        literal,
        outputOperandAliasing,
        schedule,
        apiVersion);
  }
}
