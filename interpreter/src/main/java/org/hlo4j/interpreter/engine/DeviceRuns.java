package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.DeviceGrid;

/**
 * One run of a module on several devices, each in a thread of its own. The first failure ends the
 * waiting of all devices and is rethrown.
 */
final class DeviceRuns {
  private final Program program;
  private final DeviceGrid grid;
  private final Rendezvous rendezvous;
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  DeviceRuns(Program program, DeviceGrid grid) {
    this.program = program;
    this.grid = grid;
    this.rendezvous = new Rendezvous(grid);
  }

  ImmutableList<Literal> run(List<List<Literal>> arguments) {
    Literal[] results = new Literal[grid.deviceCount()];
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      int number = i;
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .name("hlo4j device " + i)
              .start(() -> runDevice(number, arguments.get(number), results)));
    }
    join(threads);
    for (Throwable failure : failures) {
      throw failure instanceof HloException refusal ? refusal : new IllegalStateException(failure);
    }
    return ImmutableList.copyOf(Arrays.asList(results));
  }

  private void runDevice(int number, List<Literal> arguments, Literal[] results) {
    try {
      Device device = new Device(grid, number, rendezvous);
      results[number] = Run.onDevice(device, program, arguments.toArray(Literal[]::new));
    } catch (HloException refusal) {
      failures.add(refusal);
      rendezvous.fail(refusal);
    } catch (RuntimeException | Error broken) {
      failures.add(broken);
      rendezvous.fail(new HloException("", "run: device " + number + " failed: " + broken));
    } finally {
      rendezvous.deregister();
    }
  }

  private static void join(List<Thread> threads) {
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException stop) {
          interrupted = true;
          threads.forEach(Thread::interrupt);
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
