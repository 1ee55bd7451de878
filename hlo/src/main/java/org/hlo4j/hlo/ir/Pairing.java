package org.hlo4j.hlo.ir;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.AllGatherDone;
import org.hlo4j.hlo.op.AllGatherStart;
import org.hlo4j.hlo.op.AllReduceDone;
import org.hlo4j.hlo.op.AllReduceStart;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.CollectivePermuteDone;
import org.hlo4j.hlo.op.CollectivePermuteStart;
import org.hlo4j.hlo.op.CopyDone;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.schema.AttributeText;

/**
 * The rules of paired instructions: each asynchronous start has exactly one matching done, and a
 * computation that is fused or run asynchronously has no other caller.
 */
final class Pairing {
  private static final String COLLECTIVES_GROUP = "_collectives_group";

  private final HloModule module;
  private final SetMultimap<HloInstruction, HloInstruction> users = LinkedHashMultimap.create();
  private final Map<HloComputation, HloInstruction> owners = new HashMap<>();
  private final Map<Optional<Long>, HloInstruction> hostSends = new HashMap<>();
  private final Map<Optional<Long>, HloInstruction> hostRecvs = new HashMap<>();

  Pairing(HloModule module) {
    this.module = module;
    for (HloComputation computation : module.computations()) {
      for (HloInstruction user : computation.instructions()) {
        user.operands().forEach(operand -> users.put(operand, user));
      }
    }
  }

  void check(HloComputation computation, HloInstruction instruction) {
    switch (instruction.op()) {
      case AllGatherStart op -> requireUser(instruction, ImmutableSet.of(AllGatherDone.class));
      case AllGatherDone op -> requireOperand(instruction, ImmutableSet.of(AllGatherStart.class));
      case AllReduceStart op -> requireUser(instruction, ImmutableSet.of(AllReduceDone.class));
      case AllReduceDone op -> requireOperand(instruction, ImmutableSet.of(AllReduceStart.class));
      case CollectivePermuteStart op ->
          requireUser(instruction, ImmutableSet.of(CollectivePermuteDone.class));
      case CollectivePermuteDone op ->
          requireOperand(instruction, ImmutableSet.of(CollectivePermuteStart.class));
      case CopyStart op -> requireUser(instruction, ImmutableSet.of(CopyDone.class));
      case CopyDone op -> requireOperand(instruction, ImmutableSet.of(CopyStart.class));
      case AsyncStart op -> {
        requireUser(instruction, ImmutableSet.of(AsyncUpdate.class, AsyncDone.class));
        checkAsync(instruction, op);
        requireOneCaller(instruction, "async-start");
      }
      case AsyncUpdate op -> {
        requireOperand(instruction, ImmutableSet.of(AsyncStart.class, AsyncUpdate.class));
        requireUser(instruction, ImmutableSet.of(AsyncUpdate.class, AsyncDone.class));
        checkBound(instruction, result(instruction));
      }
      case AsyncDone op -> {
        requireOperand(instruction, ImmutableSet.of(AsyncStart.class, AsyncUpdate.class));
        checkBound(instruction, instruction.shape());
      }
      case Send op -> {
        checkTransfer(computation, instruction, SendDone.class);
        checkHost(op.isHostTransfer(), hostSends, op.channelId(), instruction);
      }
      case Recv op -> {
        checkTransfer(computation, instruction, RecvDone.class);
        checkHost(op.isHostTransfer(), hostRecvs, op.channelId(), instruction);
      }
      case SendDone op -> checkDone(instruction, Send.class, op.channelId(), op.isHostTransfer());
      case RecvDone op -> checkDone(instruction, Recv.class, op.channelId(), op.isHostTransfer());
      case Fusion op -> checkFusion(instruction);
      case Call op -> checkComposite(op, instruction);
      default -> {}
    }
  }

  private void requireUser(HloInstruction start, ImmutableSet<Class<? extends Op>> wanted) {
    Set<HloInstruction> all = users.get(start);
    boolean right =
        all.size() == 1 && all.stream().allMatch(user -> wanted.contains(user.op().getClass()));
    require(
        right,
        "",
        "%s: users of %s got %s, want just its done or update",
        start.op().opcode(),
        start.name(),
        all.stream().map(HloInstruction::name).toList());
  }

  private void requireOperand(HloInstruction done, ImmutableSet<Class<? extends Op>> wanted) {
    HloInstruction operand = done.operands().get(0);
    require(
        wanted.contains(operand.op().getClass()),
        "",
        "%s: operand got %s, %s, want its start",
        done.op().opcode(),
        operand.name(),
        operand.op().opcode());
  }

  /**
   * Checks that what runs asynchronously is one op, apart from taking its operands from tuples, or
   * a group of collectives or transfers. On another thread it may be anything.
   */
  private static void checkAsync(HloInstruction start, AsyncStart op) {
    HloComputation computation = start.called().get(0);
    String frontend = start.attributes().getOrDefault("frontend_attributes", "{}");
    boolean mayBeAny =
        !op.asyncExecutionThread().isEmpty()
            || AttributeText.parseFrontendAttributes(frontend).containsKey(COLLECTIVES_GROUP)
            || computation.instructions().stream().allMatch(Pairing::isTransfer);
    for (HloInstruction instruction : computation.instructions()) {
      require(
          mayBeAny || instruction == computation.root() || isPart(instruction),
          "",
          "async-start: computation %s got %s beside its root, want parameters and their elements"
              + " only, or %s in frontend_attributes",
          computation.name(),
          instruction.name(),
          COLLECTIVES_GROUP);
    }
  }

  private static boolean isPart(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Parameter _, GetTupleElement _, Tuple _ -> true;
      default -> false;
    };
  }

  private static boolean isTransfer(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Send _, Recv _, SendDone _, RecvDone _ -> true;
      default -> isPart(instruction);
    };
  }

  /**
   * Checks that the operands that are bound here are the next that the computation takes, at a done
   * the last, and that a result that is bound here is the one that it gives.
   */
  private static void checkBound(HloInstruction instruction, Shape result) {
    Optional<HloInstruction> start = AsyncChain.start(instruction);
    start.ifPresent(found -> checkBound(instruction, found.called().get(0), result));
  }

  private static Shape result(HloInstruction producer) {
    return ((Shape.Tuple) producer.shape()).elements().get(1);
  }

  private static boolean isUnbound(Shape result) {
    return result.equals(new Shape.Tuple(ImmutableList.of()));
  }

  private static int added(HloInstruction instruction) {
    return instruction.operands().size() - 1;
  }

  private static void checkBound(HloInstruction instruction, HloComputation called, Shape result) {
    List<HloInstruction> parameters = called.parameters();
    List<HloInstruction> bound = AsyncChain.operands(instruction);
    boolean isDone = instruction.op() instanceof AsyncDone;
    String opcode = instruction.op().opcode();
    require(
        isDone ? bound.size() == parameters.size() : bound.size() <= parameters.size(),
        "",
        "%s: operands bound got %s, want %s%s as %s has parameters",
        opcode,
        bound.size(),
        isDone ? "" : "at most ",
        parameters.size(),
        called.name());
    for (int i = bound.size() - added(instruction); i < bound.size(); i++) {
      require(
          bound.get(i).shape().hasSameBounds(parameters.get(i).shape()),
          "",
          "%s: operand %s bound got %s, want %s as parameter %s of %s",
          opcode,
          i,
          bound.get(i).shape().withoutLayout(),
          parameters.get(i).shape().withoutLayout(),
          i,
          called.name());
    }
    boolean wasBound = !isUnbound(result(instruction.operands().get(0)));
    require(
        wasBound || (!isDone && isUnbound(result)) || result.hasSameBounds(called.root().shape()),
        "",
        "%s: result got %s, want %s as %s",
        opcode,
        result.withoutLayout(),
        called.root().shape().withoutLayout(),
        called.name());
  }

  /**
   * Checks that a send or recv is used by its done. It may also be forwarded in a tuple, or be the
   * root.
   */
  private void checkTransfer(
      HloComputation computation, HloInstruction start, Class<? extends Op> done) {
    if (start != computation.root()) {
      requireUser(start, ImmutableSet.of(done, Tuple.class));
    }
  }

  private static void checkHost(
      boolean isHostTransfer,
      Map<Optional<Long>, HloInstruction> seen,
      Optional<Long> channelId,
      HloInstruction instruction) {
    if (!isHostTransfer) {
      return;
    }
    HloInstruction first = seen.computeIfAbsent(channelId, id -> instruction);
    require(
        first.op().equals(instruction.op()) && first.shape().compatible(instruction.shape()),
        "",
        "%s: host transfer on channel %s got %s, want the same as %s, %s",
        instruction.op().opcode(),
        channel(channelId),
        instruction.shape(),
        first.name(),
        first.shape());
  }

  private static void checkDone(
      HloInstruction done,
      Class<? extends Op> start,
      Optional<Long> channelId,
      boolean isHostTransfer) {
    Op operand = done.operands().get(0).op();
    if (operand instanceof GetTupleElement || operand instanceof Parameter) {
      return; // begun before the loop, or in its last iteration
    }
    require(
        start.isInstance(operand),
        "",
        "%s: operand got %s, %s, want its start",
        done.op().opcode(),
        done.operands().get(0).name(),
        operand.opcode());
    boolean same =
        switch (operand) {
          case Send op -> op.channelId().equals(channelId) && op.isHostTransfer() == isHostTransfer;
          case Recv op -> op.channelId().equals(channelId) && op.isHostTransfer() == isHostTransfer;
          default -> true;
        };
    require(
        same,
        "",
        "%s: channel_id and is_host_transfer got %s and %s, want those of %s",
        done.op().opcode(),
        channel(channelId),
        isHostTransfer,
        done.operands().get(0).name());
  }

  private static String channel(Optional<Long> id) {
    return id.map(Object::toString).orElse("none");
  }

  private void checkFusion(HloInstruction fusion) {
    HloComputation fused = fusion.called().get(0);
    require(fused != module.entry(), "", "fusion: calls got the entry %s", fused.name());
    requireOneCaller(fusion, "fusion");
    for (HloInstruction instruction : fused.instructions()) {
      boolean isRoot = instruction == fused.root();
      require(
          users.get(instruction).isEmpty() == isRoot,
          "",
          "fusion: %s of %s got %s users, want %s",
          instruction.name(),
          fused.name(),
          users.get(instruction).size(),
          isRoot ? "none: it is the root" : "at least 1");
    }
  }

  /** Checks that a computation that is fused or run asynchronously has only one caller. */
  private void requireOneCaller(HloInstruction caller, String opcode) {
    HloComputation body = caller.called().get(0);
    HloInstruction other = owners.putIfAbsent(body, caller);
    require(
        other == null || other == caller,
        "",
        "%s: %s got called by %s and %s, want one %s",
        opcode,
        body.name(),
        other == null ? "" : other.name(),
        caller.name(),
        opcode);
  }

  private static void checkComposite(Call op, HloInstruction call) {
    if (!op.isComposite()) {
      return;
    }
    String text = call.attributes().getOrDefault("frontend_attributes", "{}");
    Map<String, String> attributes = AttributeText.parseFrontendAttributes(text);
    require(
        !attributes.getOrDefault("composite.name", "").isEmpty(),
        "composite C1",
        "call: composite.name got nothing, want the name of an op in frontend_attributes");
    require(
        !attributes.getOrDefault("composite.attributes", "{}").isEmpty(),
        "",
        "call: composite.attributes got \"\", want {} or attributes");
    String version = attributes.getOrDefault("composite.version", "0");
    require(
        version.matches("[0-9]{1,18}"),
        "",
        "call: composite.version got %s, want an integer of at least 0",
        version);
  }
}
