package org.hlo4j.builder;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.hlo4j.hlo.HloException;

/** The implicit broadcasting of a builder. By default there is none. */
abstract class BroadcastFactory extends ValueFactory {
  private Optional<BroadcastPolicy> defaultPolicy = Optional.empty();
  private Optional<Consumer<HloException>> ambiguityListener = Optional.empty();

  /**
   * From here on, binary ops, select and clamp that are given neither a policy nor {@code
   * broadcast_dimensions} broadcast by this policy, in computations inside this one as well.
   * Without it they broadcast as XLA does: strictly, see {@link org.hlo4j.hlo.op.Broadcasting}.
   *
   * <pre>{@code
   * XlaBuilder b = new XlaBuilder("model").defaultBroadcast(numpy());
   * }</pre>
   *
   * @param policy the policy
   * @return this builder
   */
  public XlaBuilder defaultBroadcast(BroadcastPolicy policy) {
    return configured(() -> {
      require(policy != null, "", "defaultBroadcast: policy is null");
      defaultPolicy = Optional.of(policy);
    });
  }

  /**
   * Reports, from here on, each op whose policy guesses an alignment that is not the only valid
   * one, such as a square matrix and a vector by NumPy's rule. The finding contains the operands,
   * drawings of both alignments, and the line. An explicit alignment is never reported.
   *
   * <pre>{@code
   * builder.onAmbiguity(finding -> System.err.println(finding.getMessage())); // warns
   * builder.onAmbiguity(finding -> { throw finding; });                       // refuses
   * }</pre>
   *
   * @param listener what to do with a finding
   * @return this builder
   */
  public XlaBuilder onAmbiguity(Consumer<HloException> listener) {
    return configured(() -> {
      require(listener != null, "", "onAmbiguity: listener is null");
      ambiguityListener = Optional.of(listener);
    });
  }

  private XlaBuilder configured(Runnable change) {
    return guarded(
        List.of(),
        () -> {
          change.run();
          return (XlaBuilder) this;
        });
  }

  final Optional<BroadcastPolicy> defaultPolicy() {
    return defaultPolicy;
  }

  final void inherit(BroadcastFactory outer) {
    defaultPolicy = outer.defaultPolicy;
    ambiguityListener = outer.ambiguityListener;
  }

  /** Searches for other alignments, if a listener for them is set. */
  final void watch(
      String opcode,
      BroadcastPolicy policy,
      ImmutableList<BroadcastPolicy.Operand> seen,
      List<XlaOp> operands) {
    ambiguityListener.ifPresent(listener ->
        policy
            .ambiguity(seen)
            .map(finding -> placed(finding.prefixed(opcode + ": "), operands))
            .ifPresent(listener));
  }

  /** Returns an exception with the operands and the line of the call. */
  abstract HloException placed(HloException refusal, List<XlaOp> operands);
}
