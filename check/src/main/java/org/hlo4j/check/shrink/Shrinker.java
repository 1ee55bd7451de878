package org.hlo4j.check.shrink;

import static org.hlo4j.hlo.HloException.require;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;

/**
 * Makes a program as small as it can while a check holds, such as "the evaluators disagree on it".
 *
 * <p>Each candidate is a valid program with its arguments. The shrinker first finds, by bisection,
 * the shortest prefix of the instructions for which the check holds. Then it removes smaller and
 * smaller groups of instructions, down to single ones; a removed value that others use becomes a
 * parameter, with the value that the reference computes. It simplifies what is left: called
 * computations are inlined or shrunk themselves, loops are shortened, dimensions get smaller,
 * attributes get their defaults, and arguments and constants become zeros, ones or small numbers.
 * If the reference cannot evaluate the program, the arguments of new parameters are random numbers.
 *
 * <pre>{@code
 * Program small = Shrinker.of(p -> differs(p)).within(Duration.ofMinutes(1)).shrink(program);
 * }</pre>
 */
public final class Shrinker {
  private static final Duration DEFAULT_TIME = Duration.ofMinutes(1);

  private final Task task;

  /** What must hold, how much may be done, and how often it must hold for a smaller program. */
  record Task(Predicate<Program> check, Duration time, int times, Consumer<Progress> listener) {}

  private Shrinker(Task task) {
    this.task = task;
  }

  /**
   * What a shrinker has reached.
   *
   * @param reduction what it did last
   * @param smallest the smallest program so far for which the check holds
   * @param checks how many checks it has made
   */
  public record Progress(String reduction, Program smallest, int checks) {}

  /**
   * Returns a shrinker with a minute of time.
   *
   * @param check what must hold; it may be called with any valid program
   * @return the shrinker
   */
  public static Shrinker of(Predicate<Program> check) {
    return new Shrinker(new Task(check, DEFAULT_TIME, 1, progress -> {}));
  }

  /**
   * Returns a shrinker with another limit of time.
   *
   * @param time the limit; a check that is running then is interrupted, and no other begins
   * @return the shrinker
   */
  public Shrinker within(Duration time) {
    return new Shrinker(new Task(task.check(), time, task.times(), task.listener()));
  }

  /**
   * Returns a shrinker that asks several times, for checks that do not always give the same answer.
   *
   * @param times how often the check must hold for a smaller program, and for the program itself
   * @return the shrinker
   * @throws HloException if it is less than 1
   */
  public Shrinker confirming(int times) {
    require(times > 0, "", "shrink: confirm got %s, want at least 1", times);
    return new Shrinker(new Task(task.check(), task.time(), times, task.listener()));
  }

  /**
   * Returns a shrinker that reports each smaller program.
   *
   * @param newListener receives it, in the thread of {@link #shrink}
   * @return the shrinker
   */
  public Shrinker withListener(Consumer<Progress> newListener) {
    return new Shrinker(new Task(task.check(), task.time(), task.times(), newListener));
  }

  /**
   * Shrinks a program.
   *
   * @param program the program
   * @return the smallest program found for which the check holds
   * @throws HloException if the check does not hold for the program itself, or its time is over
   *     before it is known whether it does; what the check throws
   */
  public Program shrink(Program program) {
    Search search = new Search(program, task);
    boolean holds = search.holds(program);
    require(
        !search.isLate(),
        "",
        "shrink: the check of the program itself has not ended after %s ms",
        task.time().toMillis());
    require(holds, "", "shrink: the check does not hold for the program itself");
    return search.shrunk();
  }

  /**
   * Returns the form of a small program that shows a fault: its ops, element types, flags and uses,
   * but not names, sizes, other numbers, and whether a value is a constant or a parameter.
   *
   * @param module the program
   * @return a text that is the same for programs of the same form
   */
  public static String form(HloModule module) {
    return FaultForm.of(module);
  }

  /**
   * Returns the number of instructions of a program.
   *
   * @param program the program
   * @return the number, in all computations
   */
  public static int size(Program program) {
    return (int) program.module().instructions().count();
  }
}
