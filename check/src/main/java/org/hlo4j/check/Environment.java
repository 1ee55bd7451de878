package org.hlo4j.check;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Transfers;
import org.hlo4j.interpreter.engine.TransferQueues;

/**
 * What is around the runs of a program: it gives what infeed takes, and sees what outfeed, sends to
 * the host and calls of {@link #TARGETS} give, in their order.
 */
final class Environment {
  /**
   * Targets of custom calls that only generated programs have. Each call gives an array of its
   * number among all calls of a run.
   */
  static final ImmutableSet<String> TARGETS =
      ImmutableSet.of("observe.1", "observe.2", "observe.3");

  private final Program program;
  private final ImmutableList<Send> sends;
  private final Transfers transfers = Transfers.create();
  private final List<Literal> calls = new ArrayList<>();

  /**
   * Creates what is around the runs of a program.
   *
   * @param program the program
   */
  Environment(Program program) {
    this.program = program;
    this.sends =
        program
            .module()
            .instructions()
            .flatMap(each -> each.op() instanceof Send send ? Stream.of(send) : Stream.empty())
            .filter(Send::isHostTransfer)
            .collect(toImmutableList());
  }

  /**
   * Returns options with this around the runs.
   *
   * @param options the options of the runs
   * @return the same, with transfers and handlers of {@link #TARGETS}
   */
  EvaluatorOptions options(EvaluatorOptions options) {
    EvaluatorOptions.Builder builder = options.toBuilder();
    if (program.hasFeeds() || !sends.isEmpty()) {
      builder.transfers(transfers);
    }
    TARGETS.forEach(target -> builder.customCall(target, this::called));
    return builder.build();
  }

  /**
   * Runs the program in some way.
   *
   * @param run the run
   * @return its result; if the program gives anything to what is around it, a tuple of the result
   *     and of tuples of all that was given; if each device has a result of its own, a tuple of
   *     such a value for each
   */
  Literal around(Supplier<Literal> run) {
    calls.clear();
    TransferQueues.of(transfers).clear();
    program.feed(transfers);
    Literal result = run.get();
    List<Integer> devices = IntStream.range(0, program.deviceCount()).boxed().toList();
    return program.isOfEachDevice()
        ? Literal.tuple(
            devices.stream().map(each -> with(result.element(each), List.of(each))).toList())
        : with(result, devices);
  }

  /** Returns a result and what some devices have given: by outfeed, and on channels. */
  private Literal with(Literal result, List<Integer> devices) {
    ImmutableList.Builder<Literal> all = ImmutableList.<Literal>builder().add(result);
    if (program.hasFeeds()) {
      all.add(together(devices, transfers::takeFedOut));
    }
    if (!sends.isEmpty()) {
      all.add(
          Literal.tuple(
              sends.stream()
                  .flatMap(each -> each.channelId().stream())
                  .distinct()
                  .map(channel -> together(devices, device -> transfers.takeSent(device, channel)))
                  .toList()));
    }
    if (program.module().instructions().anyMatch(Environment::isObserved)) {
      all.add(Literal.tuple(calls));
    }
    ImmutableList<Literal> together = all.build();
    return together.size() == 1 ? result : Literal.tuple(together);
  }

  private static Literal together(
      List<Integer> devices, Function<Integer, ImmutableList<Literal>> given) {
    return Literal.tuple(devices.stream().flatMap(each -> given.apply(each).stream()).toList());
  }

  private static boolean isObserved(HloInstruction instruction) {
    return instruction.op() instanceof CustomCall call && TARGETS.contains(call.customCallTarget());
  }

  private synchronized Literal called(HloInstruction call, List<Literal> operands) {
    int target = TARGETS.asList().indexOf(((CustomCall) call.op()).customCallTarget());
    List<Literal> copies = operands.stream().map(Program::copy).toList();
    calls.add(Literal.tuple(Literal.of(target), Literal.tuple(copies)));
    return numbered(call.shape(), calls.size());
  }

  private static Literal numbered(Shape shape, int number) {
    if (!(shape instanceof Shape.Array array)) {
      return Literal.tuple();
    }
    ElementType part = array.elementType().componentType();
    return Literal.ofBits(array, i -> part.isFloating() ? part.encode(number) : number);
  }
}
