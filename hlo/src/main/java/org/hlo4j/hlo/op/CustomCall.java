package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/**
 * Calls a function outside of HLO by name.
 *
 * @param shape the shape of the result
 * @param customCallTarget the name, not beginning with {@code $}
 * @param operandLayoutConstraints the shapes of the operands with the required layouts; empty if
 *     any layout is allowed
 * @param customCallHasSideEffect whether it has side effects
 * @param literal a constant that is passed with the call
 * @param outputToOperandAliasing which parts of the result may share an operand's buffer
 * @param schedule when to schedule the call
 * @param apiVersion the calling convention
 */
public record CustomCall(
    Shape shape,
    String customCallTarget,
    Optional<ImmutableList<Shape>> operandLayoutConstraints,
    boolean customCallHasSideEffect,
    Optional<Literal> literal,
    ImmutableList<Aliasing> outputToOperandAliasing,
    Schedule schedule,
    ApiVersion apiVersion)
    implements External {
  /** The target that takes an array and gives a buffer that holds it. */
  public static final String PIN = "Pin";

  /** The target that takes a buffer and gives the array that it holds. */
  public static final String UNPIN = "Unpin";

  /** The target that takes nothing and gives a buffer of which the contents are not said. */
  public static final String CREATE_BUFFER = "CreateBuffer";

  /** When a custom call is scheduled. */
  public enum Schedule {
    /** Whenever. */
    SCHEDULE_NONE,
    /** As late as can be. */
    SCHEDULE_LATEST,
    /** As early as can be. */
    SCHEDULE_EARLIEST
  }

  /** The calling convention of a custom call. */
  public enum ApiVersion {
    /** Without a status. */
    API_VERSION_ORIGINAL,
    /** With a status in its arguments. */
    API_VERSION_STATUS_RETURNING,
    /** With a status and one form for all platforms. */
    API_VERSION_STATUS_RETURNING_UNIFIED,
    /** Through the foreign function interface. */
    API_VERSION_TYPED_FFI
  }

  /**
   * Returns a call of a target with defaults for all other attributes.
   *
   * @param shape the shape of the result
   * @param customCallTarget the name
   */
  public CustomCall(Shape shape, String customCallTarget) {
    this(
        shape,
        customCallTarget,
        Optional.empty(),
        false,
        Optional.empty(),
        ImmutableList.of(),
        Schedule.SCHEDULE_NONE,
        ApiVersion.API_VERSION_ORIGINAL);
  }

  /**
   * Returns the same call of arrays of other shapes or layouts.
   *
   * @param newShape the shape of the result
   * @param operands the shapes of the operands with the required layouts; empty if any layout is
   *     allowed
   * @return the call
   */
  public CustomCall withShapes(Shape newShape, Optional<ImmutableList<Shape>> operands) {
    return new CustomCall(
        newShape,
        customCallTarget,
        operands,
        customCallHasSideEffect,
        literal,
        outputToOperandAliasing,
        schedule,
        apiVersion);
  }

  /**
   * Returns the same call through the foreign function interface, which passes no literal.
   *
   * @return the call
   */
  public CustomCall typed() {
    return new CustomCall(
        shape,
        customCallTarget,
        operandLayoutConstraints,
        customCallHasSideEffect,
        Optional.empty(),
        outputToOperandAliasing,
        schedule,
        ApiVersion.API_VERSION_TYPED_FFI);
  }

  @Override
  public String opcode() {
    return "custom-call";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(0);
  }

  @Override
  public Optional<String> calleeList() {
    return Optional.of("called_computations");
  }

  @Override
  public Shape resultShape(Operands in) {
    require(!customCallTarget.isEmpty(), "", "custom_call_target got \"\", want a name");
    if (operandLayoutConstraints.isPresent()) {
      checkLayouts(operandLayoutConstraints.get(), in.shapes());
    }
    boolean movesBuffer = customCallTarget.equals(PIN) || customCallTarget.equals(UNPIN);
    Aliasing.requireValid(outputToOperandAliasing, in.shapes(), shape, movesBuffer);
    return shape.withoutLayout();
  }

  /**
   * Refuses a call that does not give back each buffer that it takes, or is one of the calls that
   * make a buffer of an array or the reverse, but of other shapes or layouts.
   *
   * @param operands the shapes of its operands
   * @param result the shape of its result
   * @throws HloException if it is such a call
   */
  public void checkBuffers(ImmutableList<Shape> operands, Shape result) {
    try {
      CallBuffers.check(this, operands, result);
    } catch (HloException refusal) {
      throw refusal.prefixed(opcode() + ": ");
    }
  }

  private static void checkLayouts(ImmutableList<Shape> constraints, ImmutableList<Shape> shapes) {
    require(
        constraints.size() == shapes.size(),
        "",
        "operand_layout_constraints got %s, want one for each of the %s operands",
        constraints.size(),
        shapes.size());
    for (int i = 0; i < shapes.size(); i++) {
      Shape constraint = constraints.get(i);
      require(
          constraint.compatible(shapes.get(i)),
          "",
          "operand_layout_constraints[%s] got %s, want %s as the operand",
          i,
          constraint,
          shapes.get(i));
      require(
          hasLayouts(constraint),
          "",
          "operand_layout_constraints[%s] got %s, want a layout on each array",
          i,
          constraint);
    }
  }

  private static boolean hasLayouts(Shape shape) {
    return switch (shape) {
      case Shape.Array array -> array.isScalar() || array.layout().isPresent();
      case Shape.Tuple tuple -> tuple.elements().stream().allMatch(CustomCall::hasLayouts);
      case Shape.Buffer buffer -> hasLayouts(buffer.array());
      case Shape.Token token -> true;
      case Shape.Opaque opaque -> true;
    };
  }
}
