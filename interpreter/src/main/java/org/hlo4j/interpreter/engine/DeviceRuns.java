package org.hlo4j.interpreter.engine;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.DeviceGrid;
import org.jspecify.annotations.Nullable;

/**
 * One run of a module on several devices, each in a thread of its own. The first failure ends the
 * waiting of all devices and is rethrown.
 */
final class DeviceRuns {
  private final Program program;
  private final DeviceGrid grid;
  private final ThreadFactory factory;
  private final Rendezvous rendezvous;
  private final ResourceLimits limits;
  private Supplier<Set<Object>> arrays = Set::of;
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private @Nullable Profiler profiler;

  DeviceRuns(Program program, DeviceGrid grid) {
    this(program, grid, Thread.ofPlatform().daemon().name("hlo4j device ", 0).factory());
  }

  /** Creates a run whose threads, one for each device in order, come from a factory. */
  DeviceRuns(Program program, DeviceGrid grid, ThreadFactory factory) {
    this.program = program;
    this.grid = grid;
    this.factory = factory;
    this.rendezvous = new Rendezvous(grid);
    this.limits = program.limits(grid.deviceCount());
  }

  /** Runs the program, and adds the times of the steps of device 0 to a profile. */
  void profiled(Profiler steps, List<Literal[]> arguments) {
    profiler = steps;
    var _ = run(arguments);
  }

  ImmutableList<Literal> run(List<Literal[]> arguments) {
    arrays = Suppliers.memoize(() -> OwnArrays.arrays(arguments));
    Literal[] results = new Literal[grid.deviceCount()];
    join(start(arguments, results));
    for (Throwable failure : failures) {
      throw DeviceRuns.<RuntimeException>unchecked(failure);
    }
    return ImmutableList.copyOf(results);
  }

  /** Starts the threads. If the machine has none left, those that wait for it are told. */
  private List<Thread> start(List<Literal[]> arguments, Literal[] results) {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      int number = i;
      Thread thread = factory.newThread(() -> runDevice(number, arguments, results));
      try {
        thread.start();
      } catch (OutOfMemoryError full) {
        HloException refusal =
            new HloException(
                Kind.LIMIT,
                "run: got threads for " + i + " of " + grid.deviceCount() + " devices, want all");
        failures.add(refusal);
        rendezvous.fail(refusal);
        return threads;
      }
      threads.add(thread);
    }
    return threads;
  }

  private void runDevice(int number, List<Literal[]> arguments, Literal[] results) {
    try {
      Device device = new Device(grid, number, rendezvous);
      results[number] =
          Run.onDevice(
              device,
              program,
              limits,
              arguments.get(number),
              arrays,
              number == 0 ? profiler : null);
    } catch (HloException refusal) {
      failures.add(refusal);
      rendezvous.fail(refusal);
    } catch (Throwable broken) { // of any kind: users' functions may throw what they like
      failures.add(broken);
      rendezvous.fail(new HloException("", "run: device " + number + " failed: " + broken));
    } finally {
      rendezvous.deregister();
    }
  }

  /** Throws what a user's function has thrown as it is, as a run on one device does. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> E unchecked(Throwable failure) throws E {
    throw (E) failure;
  }

  private void join(List<Thread> threads) {
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException stop) {
          interrupted = true;
          limits.limits().interrupt();
          threads.forEach(Thread::interrupt);
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
