package org.hlo4j.check;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
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
public final class Environment {
  /**
   * Targets of custom calls that only generated programs have. Each call gives an array of its
   * number among all calls of a run.
   */
  public static final ImmutableSet<String> TARGETS =
      ImmutableSet.of("observe.1", "observe.2", "observe.3");

  private final Program program;
  private final Transfers transfers = Transfers.create();
  private final List<Literal> calls = new ArrayList<>();

  /**
   * Creates what is around the runs of a program.
   *
   * @param program the program
   */
  public Environment(Program program) {
    this.program = program;
  }

  /**
   * Returns options with this around the runs.
   *
   * @param options the options of the runs
   * @return the same, with transfers and handlers of {@link #TARGETS}
   */
  public EvaluatorOptions options(EvaluatorOptions options) {
    EvaluatorOptions.Builder builder = options.toBuilder();
    if (program.hasFeeds() || sendsToHost()) {
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
  public Literal around(Supplier<Literal> run) {
    calls.clear();
    TransferQueues.of(transfers).clear();
    program.feed(transfers);
    Literal result = run.get();
    return program.isOfEachDevice()
        ? Literal.tuple(
            IntStream.range(0, program.deviceCount())
                .mapToObj(device -> with(result.element(device), ofDevice(device)))
                .toList())
        : with(result, ofAll());
  }

  /** What has been given: by outfeed, and on a channel. */
  private record Given(Supplier<List<Literal>> outfeed, LongFunction<List<Literal>> channel) {}

  private Given ofAll() {
    return new Given(transfers::takeFedOut, transfers::takeSent);
  }

  private Given ofDevice(int device) {
    return new Given(
        () -> transfers.takeFedOut(device), channel -> transfers.takeSent(device, channel));
  }

  private Literal with(Literal result, Given given) {
    ImmutableList.Builder<Literal> all = ImmutableList.<Literal>builder().add(result);
    if (program.hasFeeds()) {
      all.add(Literal.tuple(given.outfeed().get()));
    }
    if (sendsToHost()) {
      all.add(sent(given.channel()));
    }
    if (program.module().instructions().anyMatch(Environment::isObserved)) {
      all.add(Literal.tuple(calls));
    }
    ImmutableList<Literal> together = all.build();
    return together.size() == 1 ? result : Literal.tuple(together);
  }

  private boolean sendsToHost() {
    return program
        .module()
        .instructions()
        .anyMatch(each -> each.op() instanceof Send send && send.isHostTransfer());
  }

  private static boolean isObserved(HloInstruction instruction) {
    return instruction.op() instanceof CustomCall call && TARGETS.contains(call.customCallTarget());
  }

  private Literal sent(LongFunction<List<Literal>> channels) {
    return Literal.tuple(
        program
            .module()
            .instructions()
            .filter(each -> each.op() instanceof Send send && send.isHostTransfer())
            .flatMap(each -> ((Send) each.op()).channelId().stream())
            .distinct()
            .map(channel -> Literal.tuple(channels.apply(channel)))
            .toList());
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
