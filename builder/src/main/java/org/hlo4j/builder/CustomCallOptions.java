package org.hlo4j.builder;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.MoreObjects;
import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Aliasing;
import org.hlo4j.hlo.op.CustomCall;

/**
 * The options of a custom call, which calls a function outside of HLO.
 *
 * <pre>{@code
 * CustomCallOptions.builder("lu", shape).opaque("{}").build()
 * }</pre>
 */
public final class CustomCallOptions {
  private final CustomCall op;
  private final String opaque;
  private final ImmutableList<HloComputation> computations;

  private CustomCallOptions(Builder builder) {
    this.op =
        new CustomCall(
            builder.shape,
            builder.target,
            builder.operandShapesWithLayout,
            builder.hasSideEffect,
            builder.literal,
            builder.outputOperandAliasing,
            builder.schedule,
            builder.apiVersion);
    this.opaque = builder.opaque;
    this.computations = builder.computations;
  }

  /**
   * Returns the options of a call without further options.
   *
   * @param target the name, not beginning with {@code $}
   * @param shape the shape of the result
   * @return the options
   * @throws org.hlo4j.hlo.HloException if the target begins with {@code $}, as XLA's own do
   */
  public static CustomCallOptions of(String target, Shape shape) {
    return builder(target, shape).build();
  }

  /**
   * Returns a builder of a call.
   *
   * @param target the name, not beginning with {@code $}
   * @param shape the shape of the result
   * @return the builder
   * @throws org.hlo4j.hlo.HloException if the target begins with {@code $}, as XLA's own do
   */
  public static Builder builder(String target, Shape shape) {
    return new Builder(target, shape);
  }

  /**
   * Returns a builder initialized with these options.
   *
   * @return the builder
   */
  public Builder toBuilder() {
    Builder builder = builder(target(), shape());
    builder.opaque = opaque;
    builder.hasSideEffect = hasSideEffect();
    builder.outputOperandAliasing = outputOperandAliasing();
    builder.literal = literal();
    builder.schedule = schedule();
    builder.apiVersion = apiVersion();
    builder.operandShapesWithLayout = operandShapesWithLayout();
    builder.computations = computations;
    return builder;
  }

  /**
   * Returns the name.
   *
   * @return the name of the call target
   */
  public String target() {
    return op.customCallTarget();
  }

  /**
   * Returns the shape.
   *
   * @return the shape of the result
   */
  public Shape shape() {
    return op.shape();
  }

  /**
   * See {@link Builder#opaque}.
   *
   * @return the opaque text passed to the target; may be empty
   */
  public String opaque() {
    return opaque;
  }

  /**
   * See {@link Builder#hasSideEffect}.
   *
   * @return whether it has side effects
   */
  public boolean hasSideEffect() {
    return op.customCallHasSideEffect();
  }

  /**
   * See {@link Builder#outputOperandAliasing}.
   *
   * @return which parts of the result may share an operand's buffer
   */
  public ImmutableList<Aliasing> outputOperandAliasing() {
    return op.outputToOperandAliasing();
  }

  /**
   * See {@link Builder#literal}.
   *
   * @return the constant passed with the call
   */
  public Optional<Literal> literal() {
    return op.literal();
  }

  /**
   * See {@link Builder#schedule}.
   *
   * @return when to schedule the call
   */
  public CustomCall.Schedule schedule() {
    return op.schedule();
  }

  /**
   * See {@link Builder#apiVersion}.
   *
   * @return the calling convention
   */
  public CustomCall.ApiVersion apiVersion() {
    return op.apiVersion();
  }

  /**
   * See {@link Builder#operandShapesWithLayout}.
   *
   * @return the required layouts of the operands; empty for any
   */
  public Optional<ImmutableList<Shape>> operandShapesWithLayout() {
    return op.operandLayoutConstraints();
  }

  /**
   * See {@link Builder#computations}.
   *
   * @return the computations that the target may call
   */
  public ImmutableList<HloComputation> computations() {
    return computations;
  }

  CustomCall op() {
    return op;
  }

  @Override
  public String toString() {
    return MoreObjects.toStringHelper(this)
        .omitNullValues()
        .add("target", target())
        .add("shape", shape())
        .add("opaque", opaque.isEmpty() ? null : opaque)
        .add("hasSideEffect", hasSideEffect())
        .add("outputOperandAliasing", outputOperandAliasing())
        .add("literal", literal().orElse(null))
        .add("schedule", schedule())
        .add("apiVersion", apiVersion())
        .add("operandShapesWithLayout", operandShapesWithLayout().orElse(null))
        .add("computations", computations.stream().map(HloComputation::name).toList())
        .toString();
  }

  /** A builder of options. An option that is not set is omitted from the call. */
  @SuppressWarnings("exports") // annotations for the compiler only
  public static final class Builder {
    private final String target;
    private final Shape shape;
    private String opaque = "";
    private boolean hasSideEffect = false;
    private ImmutableList<Aliasing> outputOperandAliasing = ImmutableList.of();
    private Optional<Literal> literal = Optional.empty();
    private CustomCall.Schedule schedule = CustomCall.Schedule.SCHEDULE_NONE;
    private CustomCall.ApiVersion apiVersion = CustomCall.ApiVersion.API_VERSION_ORIGINAL;
    private Optional<ImmutableList<Shape>> operandShapesWithLayout = Optional.empty();
    private ImmutableList<HloComputation> computations = ImmutableList.of();

    private Builder(String target, Shape shape) {
      require(
          !target.startsWith("$"),
          "",
          "custom-call: target got %s, want a name without $: those are XLA's own",
          target);
      this.target = target;
      this.shape = shape;
    }

    /**
     * Sets the opaque text that is passed to the target.
     *
     * @param value any text; may be empty
     * @return this builder
     */
    @CanIgnoreReturnValue
    public Builder opaque(String value) {
      this.opaque = value;
      return this;
    }

    /**
     * Sets whether it has side effects.
     *
     * @param value whether it has side effects
     * @return this builder
     */
    @CanIgnoreReturnValue
    public Builder hasSideEffect(boolean value) {
      this.hasSideEffect = value;
      return this;
    }

    /**
     * Sets which results share the buffers of operands.
     *
     * @param value which parts of the result may share an operand's buffer
     * @return this builder
     */
    @CanIgnoreReturnValue
    public Builder outputOperandAliasing(Aliasing... value) {
      this.outputOperandAliasing = ImmutableList.copyOf(value);
      return this;
    }

    /**
     * Sets a constant for the target.
     *
     * @param value the constant passed with the call
     * @return this builder
     */
    @CanIgnoreReturnValue
    public Builder literal(Literal value) {
      this.literal = Optional.of(value);
      return this;
    }

    /**
     * Sets when to schedule the call.
     *
     * @param value when to schedule the call
     * @return this builder
     */
    @CanIgnoreReturnValue
    public Builder schedule(CustomCall.Schedule value) {
      this.schedule = value;
      return this;
    }

    /**
     * Sets the calling convention.
     *
     * @param value the calling convention
     * @return this builder
     */
    @CanIgnoreReturnValue
    public Builder apiVersion(CustomCall.ApiVersion value) {
      this.apiVersion = value;
      return this;
    }

    /**
     * Sets the required layouts of the operands.
     *
     * @param value the required layouts of the operands; empty for any
     * @return this builder
     */
    @CanIgnoreReturnValue
    public Builder operandShapesWithLayout(List<Shape> value) {
      this.operandShapesWithLayout = Optional.of(ImmutableList.copyOf(value));
      return this;
    }

    /**
     * Sets the computations that the target may call.
     *
     * @param value the computations
     * @return this builder
     */
    @CanIgnoreReturnValue
    public Builder computations(HloComputation... value) {
      this.computations = ImmutableList.copyOf(value);
      return this;
    }

    /**
     * Returns the options; the builder can be used again.
     *
     * @return the options
     */
    public CustomCallOptions build() {
      return new CustomCallOptions(this);
    }
  }
}
