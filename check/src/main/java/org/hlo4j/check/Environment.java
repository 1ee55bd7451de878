package org.hlo4j.check;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
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
   *     and of tuples of all that was given
   */
  public Literal around(Supplier<Literal> run) {
    calls.clear();
    TransferQueues.of(transfers).clear();
    transfers.feedIn(program.infeed().toArray(Literal[]::new));
    ImmutableList.Builder<Literal> all = ImmutableList.<Literal>builder().add(run.get());
    if (program.hasFeeds()) {
      all.add(Literal.tuple(transfers.takeFedOut()));
    }
    if (sendsToHost()) {
      all.add(sent());
    }
    if (program.module().instructions().anyMatch(Environment::isObserved)) {
      all.add(Literal.tuple(calls));
    }
    ImmutableList<Literal> given = all.build();
    return given.size() == 1 ? given.get(0) : Literal.tuple(given);
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

  private Literal sent() {
    return Literal.tuple(
        program
            .module()
            .instructions()
            .filter(each -> each.op() instanceof Send send && send.isHostTransfer())
            .flatMap(each -> ((Send) each.op()).channelId().stream())
            .distinct()
            .map(channel -> Literal.tuple(transfers.takeSent(channel)))
            .toList());
  }

  private Literal called(HloInstruction call, List<Literal> operands) {
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
