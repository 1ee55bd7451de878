package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.math.LongMath;
import java.util.IdentityHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.jspecify.annotations.Nullable;

/**
 * The resource counters of a run, which stop it at its limits on steps, bytes and time. All devices
 * of the run share them.
 */
final class ResourceLimits {
  private static final IdentityHashMap<Object, Integer> NOTHING = new IdentityHashMap<>();

  private final EvaluatorOptions options;
  private final boolean countsBytes;
  private final long maxSteps;
  private final AtomicLong steps = new AtomicLong();
  private final @Nullable LongAdder counter;
  private final Limits limits;
  private final IdentityHashMap<Object, Integer> holderCounts;
  private final WholeArrays wholeArrays = new WholeArrays();
  private long bytes;
  private long bytesReserved;

  /** Creates the counters. Bytes need not be counted if they cannot exceed the limit. */
  ResourceLimits(EvaluatorOptions options, boolean countsBytes) {
    this.options = options;
    this.countsBytes = countsBytes;
    this.maxSteps = options.maxSteps();
    this.counter = options.stepCounter().orElse(null);
    this.limits = new Limits(options.deadline(), options.maxBytes());
    this.holderCounts = countsBytes ? new IdentityHashMap<>() : NOTHING;
  }

  Limits limits() {
    return limits;
  }

  /** Returns the arrays that are kept beside those which hold their first parts. */
  WholeArrays wholeArrays() {
    return wholeArrays;
  }

  /** Counts a step, and checks the deadline and interruption. */
  void step() {
    if (maxSteps < Long.MAX_VALUE && steps.incrementAndGet() > maxSteps) {
      throw new HloException(Kind.LIMIT, "run: got beyond " + maxSteps + " steps");
    }
    count(1);
    limits.check();
  }

  /** Adds to the step counter that the user gave, if any. */
  void count(int moreSteps) {
    if (counter != null) {
      counter.add(moreSteps);
    }
  }

  /**
   * Reserves the bytes of a value that is about to be made, so that no other device takes them.
   *
   * @return what {@link #retain} is given once the value is there
   * @throws HloException if it would exceed the limit
   */
  long reserve(Shape shape) {
    if (!countsBytes) {
      return 0;
    }
    requireCountable(shape);
    long more = bytes(shape);
    reserve(more, shape::withoutLayout);
    return more;
  }

  /** Reserves bytes for some purpose. Throws if they would exceed the limit. */
  synchronized void reserve(long more, Supplier<?> purpose) {
    if (countsBytes && more > options.maxBytes() - bytes) {
      throw new HloException(
          Kind.LIMIT,
          "run: %s of %s bytes beside the %s alive, want at most %s together"
              .formatted(purpose.get(), more, bytes, options.maxBytes()));
    }
    bytes += more;
    bytesReserved += more;
  }

  /** Returns how many bytes were reserved in all, whether they are still or not. */
  synchronized long bytesReserved() {
    return bytesReserved;
  }

  /** Gives back what {@link #reserve} has reserved. */
  synchronized void unreserve(long reserved) {
    bytes -= reserved;
  }

  private static void requireCountable(Shape shape) {
    if (shape instanceof Shape.Tuple tuple) {
      tuple.elements().forEach(ResourceLimits::requireCountable);
    } else if (shape instanceof Shape.Array array) {
      require(
          array.elementCount() <= LiteralBuilder.MAX_COMPONENTS,
          Kind.LIMIT,
          "run: %s has %s elements, want at most %s",
          shape.withoutLayout(),
          array.elementCount(),
          LiteralBuilder.MAX_COMPONENTS);
    }
  }

  /**
   * Adds a holder of a value. An array with several holders, such as a tuple or devices, counts
   * once.
   *
   * @param reserved what was reserved for the value
   */
  void retain(Literal value, long reserved) {
    if (countsBytes) {
      synchronized (this) {
        count(value, 1);
        bytes -= reserved;
      }
    }
  }

  /** Removes a holder of a value. */
  void release(Literal value) {
    if (countsBytes) {
      synchronized (this) {
        count(value, -1);
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // a value that was not cut is its own whole
  private void count(Literal value, int change) {
    value.elements().forEach(element -> count(element, change));
    Literal whole = wholeArrays.of(value);
    if (whole != value) {
      count(whole, change);
    }
    if (value.shape() instanceof Shape.Array array) {
      int holders = holderCounts.merge(value.unsafeStorage(), change, Integer::sum);
      if (holders == 0) {
        holderCounts.remove(value.unsafeStorage());
        bytes -= bytes(array);
      } else if (holders == change) {
        bytes += bytes(array);
      }
    }
  }

  /** Returns the bytes of all arrays in a shape; the greatest long if they overflow. */
  private static long bytes(Shape shape) {
    if (shape instanceof Shape.Tuple tuple) {
      return tuple.elements().stream()
          .mapToLong(ResourceLimits::bytes)
          .reduce(0, LongMath::saturatedAdd);
    }
    if (!(shape instanceof Shape.Array array)) {
      return 0;
    }
    int each = Math.max(1, array.elementType().bits() / 8);
    long count = array.elementCount();
    return count > Long.MAX_VALUE / each ? Long.MAX_VALUE : count * each;
  }
}
