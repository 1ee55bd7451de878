package org.hlo4j.interpreter;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import java.util.Optional;
import org.hlo4j.interpreter.engine.Limits;
import org.jspecify.annotations.Nullable;

/**
 * How much compiling and running may take, and what else a run is given. What would go beyond a
 * limit ends with one {@link org.hlo4j.hlo.HloException} that names the limit and, in a run, the
 * instruction; so does what is done by a thread that is interrupted.
 *
 * @param maxSteps how many instructions may be evaluated, those of loop bodies each time
 * @param maxBytes how many bytes the values alive at one time may have
 * @param deadline how long compiling, and then each run, may take; empty for as long as it needs
 * @param seed where random numbers begin; the same seed gives the same numbers
 * @param customCalls what custom calls do, by target, beside those that XLA or JAX give a meaning:
 *     annotations (Sharding, annotate_device_placement, MoveToHost, MoveToDevice), the borders of
 *     shard_map (xla.sdy.GlobalToLocalShape, xla.sdy.LocalToGlobalShape), TopK, and the
 *     factorizations Qr, ProductOfElementaryHouseholderReflectors, LuDecomposition and Eigh, and
 *     all of LAPACK that JAX calls (potrf, trsm, getrf, geqrf, geqp3, orgqr, ormqr, syevd, sytrd,
 *     gesdd, gesvd, geev, gees, gehrd, gtsv and tridiagonal_solve_perturbed_ffi) under JAX's names,
 *     each computed in double and rounded once, and products of sparse matrices
 *     (cpu_csr_sparse_dense_ffi); a module that calls another is refused
 * @param transfers the queues to the world outside; empty for fresh ones in each run
 * @param valueListener who is told every value; empty for nobody
 * @param threads how many threads the compiled evaluator may use for one run; no result depends on
 *     it
 * @param maxCodeBytes how many bytes of classes the compiled evaluator may generate for a module;
 *     what needs more is left to the reference, and {@link Executable#explain} says so
 */
public record EvaluatorOptions(
    long maxSteps,
    long maxBytes,
    Optional<Duration> deadline,
    long seed,
    ImmutableMap<String, CustomCallTarget> customCalls,
    Optional<Transfers> transfers,
    Optional<ValueListener> valueListener,
    int threads,
    long maxCodeBytes) {
  private static final int MAX_THREADS = 1024;
  private static final long DEFAULT_CODE_BYTES = 16 << 20;

  /**
   * Checks the limits.
   *
   * @throws org.hlo4j.hlo.HloException if one is negative, or threads are not 1 to 1024
   */
  public EvaluatorOptions {
    require(maxSteps >= 0, "", "options: maxSteps got %s, want at least 0", maxSteps);
    require(maxBytes >= 0, "", "options: maxBytes got %s, want at least 0", maxBytes);
    require(
        deadline.isEmpty() || !deadline.get().isNegative(),
        "",
        "options: deadline got %s, want at least 0",
        Limits.text(deadline.orElse(Duration.ZERO)));
    require(
        threads >= 1 && threads <= MAX_THREADS,
        "",
        "options: threads got %s, want 1 to %s",
        threads,
        MAX_THREADS);
    require(maxCodeBytes >= 0, "", "options: maxCodeBytes got %s, want at least 0", maxCodeBytes);
  }

  /**
   * Any number of steps, any time, three quarters of the heap, seed 0, a thread for each processor,
   * 16 MiB of code.
   *
   * @return the options
   */
  public static EvaluatorOptions defaults() {
    long heap = Runtime.getRuntime().maxMemory();
    return new EvaluatorOptions(
        Long.MAX_VALUE,
        heap / 4 * 3,
        Optional.empty(),
        0,
        ImmutableMap.of(),
        Optional.empty(),
        Optional.empty(),
        Math.min(Runtime.getRuntime().availableProcessors(), MAX_THREADS),
        DEFAULT_CODE_BYTES);
  }

  /**
   * The same options with another limit of steps.
   *
   * @param steps how many instructions may be evaluated
   * @return the options
   */
  public EvaluatorOptions withMaxSteps(long steps) {
    return new EvaluatorOptions(
        steps,
        maxBytes,
        deadline,
        seed,
        customCalls,
        transfers,
        valueListener,
        threads,
        maxCodeBytes);
  }

  /**
   * The same options with another limit of memory.
   *
   * @param bytes how many bytes the values alive at one time may have
   * @return the options
   */
  public EvaluatorOptions withMaxBytes(long bytes) {
    return new EvaluatorOptions(
        maxSteps,
        bytes,
        deadline,
        seed,
        customCalls,
        transfers,
        valueListener,
        threads,
        maxCodeBytes);
  }

  /**
   * The same options with another limit of time.
   *
   * @param time how long the run may take
   * @return the options
   */
  public EvaluatorOptions withDeadline(Duration time) {
    requireGiven(time, "deadline", "a duration");
    return new EvaluatorOptions(
        maxSteps,
        maxBytes,
        Optional.of(time),
        seed,
        customCalls,
        transfers,
        valueListener,
        threads,
        maxCodeBytes);
  }

  /**
   * The same options with another seed.
   *
   * @param newSeed where random numbers begin
   * @return the options
   */
  public EvaluatorOptions withSeed(long newSeed) {
    return new EvaluatorOptions(
        maxSteps,
        maxBytes,
        deadline,
        newSeed,
        customCalls,
        transfers,
        valueListener,
        threads,
        maxCodeBytes);
  }

  /**
   * The same options with one more target for custom calls, or another in place of one.
   *
   * @param target the name that custom calls have
   * @param function what they do
   * @return the options
   */
  public EvaluatorOptions withCustomCall(String target, CustomCallTarget function) {
    requireGiven(target, "target of a custom call", "its name");
    requireGiven(function, "function of the custom call " + target, "one");
    ImmutableMap<String, CustomCallTarget> more =
        ImmutableMap.<String, CustomCallTarget>builder()
            .putAll(customCalls)
            .put(target, function)
            .buildKeepingLast();
    return new EvaluatorOptions(
        maxSteps, maxBytes, deadline, seed, more, transfers, valueListener, threads, maxCodeBytes);
  }

  /**
   * The same options with queues to the world outside.
   *
   * @param queues the queues
   * @return the options
   */
  public EvaluatorOptions withTransfers(Transfers queues) {
    requireGiven(queues, "transfers", "queues");
    return new EvaluatorOptions(
        maxSteps,
        maxBytes,
        deadline,
        seed,
        customCalls,
        Optional.of(queues),
        valueListener,
        threads,
        maxCodeBytes);
  }

  /**
   * The same options with one who is told every value.
   *
   * @param listener who is told
   * @return the options
   */
  public EvaluatorOptions withValueListener(ValueListener listener) {
    requireGiven(listener, "valueListener", "one");
    return new EvaluatorOptions(
        maxSteps,
        maxBytes,
        deadline,
        seed,
        customCalls,
        transfers,
        Optional.of(listener),
        threads,
        maxCodeBytes);
  }

  /**
   * The same options with another number of threads.
   *
   * @param count how many threads the compiled evaluator may use for one run, 1 to 1024
   * @return the options
   */
  public EvaluatorOptions withThreads(int count) {
    return new EvaluatorOptions(
        maxSteps,
        maxBytes,
        deadline,
        seed,
        customCalls,
        transfers,
        valueListener,
        count,
        maxCodeBytes);
  }

  /**
   * The same options with another limit of code.
   *
   * @param bytes how many bytes of classes may be generated for a module
   * @return the options
   */
  public EvaluatorOptions withMaxCodeBytes(long bytes) {
    return new EvaluatorOptions(
        maxSteps, maxBytes, deadline, seed, customCalls, transfers, valueListener, threads, bytes);
  }

  private static void requireGiven(@Nullable Object value, String name, String wanted) {
    require(value != null, "", "options: %s got null, want %s", name, wanted);
  }
}
