package org.hlo4j.interpreter;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.MoreObjects;
import com.google.common.collect.ImmutableMap;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.TransferQueues;
import org.jspecify.annotations.Nullable;

/**
 * The options of an evaluator: limits on compilation and on each run, and further inputs of a run,
 * such as a seed and custom call targets. Work that exceeds a limit ends with one {@link
 * org.hlo4j.hlo.HloException} that names the limit and, in a run, the instruction. The same holds
 * for work in a thread that is interrupted.
 *
 * <p>Serializable, in a form of a version that is checked, if the functions of custom calls are.
 * Queues, a listener and a counter are refused, for they stay in their process. Where the limit on
 * memory and the number of threads were not set, they are those of the machine that reads them.
 *
 * @serial exclude
 */
public final class EvaluatorOptions implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final int MAX_THREADS = 1024;
  private static final long DEFAULT_CODE_BYTES = 16 << 20;

  private final transient long maxSteps;
  private final transient OptionalLong givenMaxBytes;
  private final transient long maxBytes;
  private final transient Optional<Duration> deadline;
  private final transient long seed;
  private final transient ImmutableMap<String, CustomCallTarget> customCalls;
  private final transient Optional<Transfers> transfers;
  private final transient Optional<ValueListener> valueListener;
  private final transient Optional<LongAdder> stepCounter;
  private final transient OptionalInt givenThreads;
  private final transient int threads;
  private final transient long maxCodeBytes;
  private final transient boolean checksBounds;

  private EvaluatorOptions(Builder builder) {
    this.maxSteps = builder.maxSteps;
    this.givenMaxBytes = builder.maxBytes;
    this.maxBytes = givenMaxBytes.orElse(Runtime.getRuntime().maxMemory() / 4 * 3);
    this.deadline = builder.deadline;
    this.seed = builder.seed;
    this.customCalls = ImmutableMap.copyOf(builder.customCalls);
    this.transfers = builder.transfers;
    this.valueListener = builder.valueListener;
    this.stepCounter = builder.stepCounter;
    this.givenThreads = builder.threads;
    this.threads =
        givenThreads.orElse(Math.min(Runtime.getRuntime().availableProcessors(), MAX_THREADS));
    this.maxCodeBytes = builder.maxCodeBytes;
    this.checksBounds = builder.checksBounds;
  }

  /**
   * Returns the default options: no limit on steps and time, three quarters of the heap, seed 0, a
   * thread for each processor, 16 MiB of code.
   *
   * @return the options
   */
  public static EvaluatorOptions defaults() {
    return builder().build();
  }

  /**
   * Returns a builder that starts with the {@link #defaults}.
   *
   * @return the builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns a builder that starts with these options.
   *
   * @return the builder
   */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.maxSteps = maxSteps;
    builder.maxBytes = givenMaxBytes;
    builder.deadline = deadline;
    builder.seed = seed;
    builder.customCalls.putAll(customCalls);
    builder.transfers = transfers;
    builder.valueListener = valueListener;
    builder.stepCounter = stepCounter;
    builder.threads = givenThreads;
    builder.maxCodeBytes = maxCodeBytes;
    builder.checksBounds = checksBounds;
    return builder;
  }

  /**
   * See {@link Builder#maxSteps}.
   *
   * @return how many instructions may be evaluated
   */
  public long maxSteps() {
    return maxSteps;
  }

  /**
   * See {@link Builder#maxBytes}.
   *
   * @return how many bytes the live values of a run may have at one time
   */
  public long maxBytes() {
    return maxBytes;
  }

  /**
   * See {@link Builder#deadline}.
   *
   * @return how long compilation, and then each run, may take; empty for no limit
   */
  public Optional<Duration> deadline() {
    return deadline;
  }

  /**
   * See {@link Builder#seed}.
   *
   * @return the seed of random numbers
   */
  public long seed() {
    return seed;
  }

  /**
   * See {@link Builder#customCall}.
   *
   * @return the implementations of custom calls, by target
   */
  public ImmutableMap<String, CustomCallTarget> customCalls() {
    return customCalls;
  }

  /**
   * See {@link Builder#transfers}.
   *
   * @return the queues for infeed, outfeed, send and receive; empty for new queues in each run
   */
  public Optional<Transfers> transfers() {
    return transfers;
  }

  /**
   * See {@link Builder#valueListener}.
   *
   * @return the listener that receives every value; empty for none
   */
  public Optional<ValueListener> valueListener() {
    return valueListener;
  }

  /**
   * See {@link Builder#stepCounter}.
   *
   * @return the counter of steps; empty for none
   */
  public Optional<LongAdder> stepCounter() {
    return stepCounter;
  }

  /**
   * See {@link Builder#threads}.
   *
   * @return how many threads the compiled evaluator may use for one run
   */
  public int threads() {
    return threads;
  }

  /**
   * See {@link Builder#maxCodeBytes}.
   *
   * @return how many bytes of classes the compiled evaluator may generate for a module
   */
  public long maxCodeBytes() {
    return maxCodeBytes;
  }

  /**
   * See {@link Builder#checkBounds}.
   *
   * @return whether an index that is out of bounds ends the run
   */
  public boolean checksBounds() {
    return checksBounds;
  }

  /** Returns {@link #maxBytes} if it was set. */
  OptionalLong givenMaxBytes() {
    return givenMaxBytes;
  }

  /** Returns {@link #threads} if they were set. */
  OptionalInt givenThreads() {
    return givenThreads;
  }

  private Object writeReplace() {
    return new OptionsForm(this);
  }

  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException("options: got their fields, want their serial form");
  }

  @Override
  public String toString() {
    return MoreObjects.toStringHelper(this)
        .omitNullValues()
        .add("maxSteps", maxSteps)
        .add("maxBytes", maxBytes)
        .add("deadline", deadline.map(Limits::text).orElse(null))
        .add("seed", seed)
        .add("customCalls", customCalls.keySet())
        .add("transfers", transfers.orElse(null))
        .add("valueListener", valueListener.orElse(null))
        .add("threads", threads)
        .add("maxCodeBytes", maxCodeBytes)
        .add("checksBounds", checksBounds)
        .toString();
  }

  /** A builder of options. Options that are not set are as in {@link EvaluatorOptions#defaults}. */
  @SuppressWarnings("exports") // annotations for the compiler only
  public static final class Builder {
    private long maxSteps = Long.MAX_VALUE;
    private OptionalLong maxBytes = OptionalLong.empty();
    private Optional<Duration> deadline = Optional.empty();
    private long seed;
    private final Map<String, CustomCallTarget> customCalls = new LinkedHashMap<>();
    private Optional<Transfers> transfers = Optional.empty();
    private Optional<ValueListener> valueListener = Optional.empty();
    private Optional<LongAdder> stepCounter = Optional.empty();
    private OptionalInt threads = OptionalInt.empty();
    private long maxCodeBytes = DEFAULT_CODE_BYTES;
    private boolean checksBounds;

    private Builder() {}

    /**
     * Limits the number of steps.
     *
     * @param steps how many instructions may be evaluated; those of a loop body count in each
     *     iteration, those of several devices together
     * @return this builder
     * @throws org.hlo4j.hlo.HloException if it is negative
     */
    @CanIgnoreReturnValue
    public Builder maxSteps(long steps) {
      this.maxSteps = atLeastZero("maxSteps", steps);
      return this;
    }

    /**
     * Limits the memory.
     *
     * @param bytes how many bytes the live values of a run may have at one time, on all its devices
     *     together, with what kernels allocate beside them, except for blocks of a fixed size; and
     *     how many the tables of a kernel may have that is made when a program is compiled
     * @return this builder
     * @throws org.hlo4j.hlo.HloException if it is negative
     */
    @CanIgnoreReturnValue
    public Builder maxBytes(long bytes) {
      this.maxBytes = OptionalLong.of(atLeastZero("maxBytes", bytes));
      return this;
    }

    /**
     * Limits the time, also of the runs within a run, of programs that a custom call runs. Work is
     * refused within 0.3 s after that on an idle machine; to allocate and clear large arrays may
     * take longer.
     *
     * @param time how long compilation, and then each run, may take
     * @return this builder
     * @throws org.hlo4j.hlo.HloException if it is negative
     */
    @CanIgnoreReturnValue
    public Builder deadline(Duration time) {
      requireGiven(time, "deadline");
      require(
          !time.isNegative(), "", "options: deadline got %s, want at least 0", Limits.text(time));
      this.deadline = Optional.of(time);
      return this;
    }

    /**
     * Sets the seed of random numbers.
     *
     * @param start the seed; the same seed gives the same numbers
     * @return this builder
     */
    @CanIgnoreReturnValue
    public Builder seed(long start) {
      this.seed = start;
      return this;
    }

    /**
     * Adds a target for custom calls, or replaces one. Some targets are known without being added,
     * since XLA or JAX define them: annotations (Sharding, annotate_device_placement, MoveToHost,
     * MoveToDevice); the boundary of shard_map (xla.sdy.GlobalToLocalShape,
     * xla.sdy.LocalToGlobalShape, SPMDFullToShardShape, SPMDShardToFullShape); TopK; the
     * factorizations Qr, ProductOfElementaryHouseholderReflectors, LuDecomposition and Eigh; all
     * LAPACK routines that JAX calls (potrf, trsm, getrf, geqrf, geqp3, orgqr, ormqr, syevd, sytrd,
     * gesdd, gesvd, geev, gees, gehrd, gtsv and tridiagonal_solve_perturbed_ffi) under JAX's names,
     * each computed in double and rounded once; those of cuSOLVER, hipSOLVER, cuSPARSE and MAGMA
     * that have a counterpart in LAPACK or BLAS, and cu_threefry2x32_ffi and
     * cu_lu_pivots_to_permutation, under JAX's names; and products of sparse matrices
     * (cpu_csr_sparse_dense_ffi). A module that calls any other target is rejected.
     *
     * @param target the target name of the custom calls
     * @param function the implementation
     * @return this builder
     */
    @CanIgnoreReturnValue
    public Builder customCall(String target, CustomCallTarget function) {
      requireGiven(target, "target of a custom call");
      requireGiven(function, "function of the custom call " + target);
      customCalls.put(target, function);
      return this;
    }

    /**
     * Sets the queues for infeed, outfeed, send and receive.
     *
     * @param queues the queues
     * @return this builder
     */
    @CanIgnoreReturnValue
    public Builder transfers(Transfers queues) {
      requireGiven(queues, "transfers");
      this.transfers = Optional.of(TransferQueues.of(queues));
      return this;
    }

    /**
     * Sets a listener that receives every value.
     *
     * @param listener the listener
     * @return this builder
     */
    @CanIgnoreReturnValue
    public Builder valueListener(ValueListener listener) {
      requireGiven(listener, "valueListener");
      this.valueListener = Optional.of(listener);
      return this;
    }

    /**
     * Sets a counter of the steps of runs, so that other threads can observe their progress. A loop
     * that the compiled evaluator runs as a whole adds its iterations from time to time.
     *
     * @param counter the counter, which is increased while steps are done
     * @return this builder
     */
    @CanIgnoreReturnValue
    public Builder stepCounter(LongAdder counter) {
      requireGiven(counter, "stepCounter");
      this.stepCounter = Optional.of(counter);
      return this;
    }

    /**
     * Sets the number of threads; no result depends on it.
     *
     * @param count how many threads the compiled evaluator may use for one run, 1 to 1024
     * @return this builder
     * @throws org.hlo4j.hlo.HloException if it is another number
     */
    @CanIgnoreReturnValue
    public Builder threads(int count) {
      require(
          count >= 1 && count <= MAX_THREADS,
          "",
          "options: threads got %s, want 1 to %s",
          count,
          MAX_THREADS);
      this.threads = OptionalInt.of(count);
      return this;
    }

    /**
     * Limits the generated code.
     *
     * @param bytes how many bytes of classes the compiled evaluator may generate for a module; the
     *     reference evaluates what would need more, and {@link Executable#explain} says so. Code
     *     that all modules share, such as that of Fourier transforms, is not counted; vector forms
     *     of code that was made are counted, but made even if they exceed the limit
     * @return this builder
     * @throws org.hlo4j.hlo.HloException if it is negative
     */
    @CanIgnoreReturnValue
    public Builder maxCodeBytes(long bytes) {
      this.maxCodeBytes = atLeastZero("maxCodeBytes", bytes);
      return this;
    }

    /**
     * Refuses indices that are out of bounds. XLA moves a slice of {@code gather}, {@code
     * dynamic-slice} or {@code dynamic-update-slice} back into the array, and leaves out a window
     * of {@code scatter} that is not within it as a whole. With this option, the first such index
     * ends the run with an {@link org.hlo4j.hlo.HloException} that has the index, the instruction
     * and its source line. Both evaluators check the same; they evaluate each instruction as it is
     * written, so the compiled one makes no fusions and is slower. Slices and windows without
     * elements are not checked.
     *
     * @param isChecked whether to refuse them
     * @return this builder
     */
    @CanIgnoreReturnValue
    public Builder checkBounds(boolean isChecked) {
      this.checksBounds = isChecked;
      return this;
    }

    /**
     * Builds the options. The builder may be used further.
     *
     * @return the options
     */
    public EvaluatorOptions build() {
      return new EvaluatorOptions(this);
    }

    private static long atLeastZero(String name, long value) {
      require(value >= 0, "", "options: %s got %s, want at least 0", name, value);
      return value;
    }

    private static void requireGiven(@Nullable Object value, String name) {
      require(value != null, "", "options: %s is null", name);
    }
  }
}
