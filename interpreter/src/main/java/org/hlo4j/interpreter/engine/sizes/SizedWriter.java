package org.hlo4j.interpreter.engine.sizes;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.SetDimensionSize;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.engine.DynamicShapes;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.SizedInstruction;

/** The writing of a computation at the sizes of its arguments. */
final class SizedWriter {
  private final Computations computations;
  private final HloComputation given;
  private final ImmutableList<Shape> arguments;
  private final Set<String> kept;
  private final ComputationBuilder body;
  private final Map<HloInstruction, HloInstruction> sized = new HashMap<>();
  private final StartChecks checks;

  /**
   * Creates a writer.
   *
   * @param computations the other computations
   * @param given the computation
   * @param arguments the shapes of its arguments
   * @param kept names of instructions that stay as they are
   */
  SizedWriter(
      Computations computations,
      HloComputation given,
      ImmutableList<Shape> arguments,
      Set<String> kept) {
    this.computations = computations;
    this.given = given;
    this.arguments = arguments;
    this.kept = kept;
    this.body = new ComputationBuilder(computations);
    this.checks = new StartChecks(computations, body);
  }

  SizedComputation written() {
    String name = computations.unique(given.name());
    for (HloInstruction each : given.instructions()) {
      try {
        HloInstruction last = write(each);
        require(
            DynamicShapes.within(each.shape(), last.shape().withoutLayout()),
            "",
            "got %s at run time, want it within %s",
            last.shape(),
            each.shape());
        sized.put(each, last);
      } catch (HloException refusal) {
        throw each.located(refusal);
      }
    }
    HloInstruction root = of(given.root());
    HloInstruction result =
        checks.isEmpty() ? root : body.add("checked", new Tuple(), root, checks.all());
    return new SizedComputation(
        HloComputation.create(name, body.written(), result, given.executionThread()),
        root.shape().withoutLayout(),
        !checks.isEmpty());
  }

  private HloInstruction of(HloInstruction each) {
    return Objects.requireNonNull(sized.get(each));
  }

  /** Writes what an instruction is at the sizes, and returns the last instruction of it. */
  private HloInstruction write(HloInstruction each) {
    List<HloInstruction> in = each.operands().stream().map(this::of).toList();
    boolean isBounded = DynamicShapes.hasDynamicShape(each);
    return switch (each.op()) {
      case Parameter op ->
          as(each, new Parameter(op.number(), arguments.get(op.number())), in, List.of());
      case GetDimensionSize op -> as(each, size(op, in.get(0)), List.of(), List.of());
      case SetDimensionSize op when isBounded -> resized(each, op, in);
      case DynamicReshape op -> as(each, reshape(op, in), in.subList(0, 1), List.of());
      case Call _, Fusion _ -> call(each, in);
      case Conditional _ -> conditional(each, in);
      case While _ -> loop(each, in);
      case Scan op when isBounded ->
          as(each, op, in, List.of(unchecked(callable(body(each, op, in)))));
      default -> isBounded ? fitted(each, in) : as(each, each.op(), in, regions(each));
    };
  }

  /** Writes an instruction with the name of another and all that is said about it. */
  private HloInstruction as(
      HloInstruction each, Op op, List<HloInstruction> operands, List<HloComputation> called) {
    Shape inferred =
        DynamicShapes.hasDynamicShape(each)
            ? op.infer(HloInstruction.inputs(operands, called))
            : each.shape();
    HloInstruction written =
        HloInstruction.create(
                kept.contains(each.name()) ? each.name() : computations.unique(each.name()),
                op,
                operands,
                called,
                withLayout(inferred, each.shape()),
                each.metadata(),
                each.attributes())
            .withSharding(each.sharding());
    return body.add(each.position().map(written::withPosition).orElse(written));
  }

  private static Shape withLayout(Shape shape, Shape like) {
    if (shape instanceof Shape.Array array && like instanceof Shape.Array other) {
      return array.withLayout(other.layout().orElse(null));
    }
    return shape instanceof Shape.Tuple tuple && like instanceof Shape.Tuple other
        ? new Shape.Tuple(
            IntStream.range(0, tuple.elements().size())
                .mapToObj(i -> withLayout(tuple.elements().get(i), other.elements().get(i)))
                .collect(toImmutableList()))
        : shape;
  }

  private static List<Shape> shapes(List<HloInstruction> instructions) {
    return instructions.stream().map(each -> each.shape().withoutLayout()).toList();
  }

  private static Constant size(GetDimensionSize op, HloInstruction operand) {
    return new Constant(
        Literal.of(Math.toIntExact(((Shape.Array) operand.shape()).size(op.dimension()))));
  }

  private long known(HloInstruction size) {
    return computations.known().of(size, body.written()).longAt(0);
  }

  /** Writes the first elements, or a copy if that is all of them. */
  private HloInstruction resized(
      HloInstruction each, SetDimensionSize op, List<HloInstruction> in) {
    Dims sizes = ((Shape.Array) in.get(0).shape()).sizes();
    long size = known(in.get(1));
    int dimension = op.dimension();
    require(
        size >= 0 && size <= sizes.get(dimension),
        "",
        "size got %s, want at most %s",
        size,
        sizes.get(dimension));
    Op first =
        size == sizes.get(dimension) ? new Copy() : Movement.first(sizes.with(dimension, size));
    return as(each, first, in.subList(0, 1), List.of());
  }

  private Reshape reshape(DynamicReshape op, List<HloInstruction> in) {
    Dims sizes = Dims.of(in.subList(1, in.size()).stream().mapToLong(this::known).toArray());
    return new Reshape(op.shape().withSizes(sizes));
  }

  /** Returns the computations that an instruction applies to scalars or static values. */
  private List<HloComputation> regions(HloInstruction each) {
    return each.called().stream()
        .map(called -> computations.of(called, called.programShape().parameters()))
        .map(called -> unchecked(callable(called)))
        .toList();
  }

  /**
   * Requires that a computation, and what it calls, has no loop. One that follows a check is run on
   * whatever a refused start gave, and might not end.
   */
  private static void requireNoLoop(HloComputation computation) {
    for (HloComputation each : HloModule.create("called", computation).computations()) {
      for (HloInstruction instruction : each.instructions()) {
        require(
            !(instruction.op() instanceof While),
            "",
            "loop %s might not end if a start that is data is refused before it",
            instruction.name());
      }
    }
  }

  /** Returns a computation, which is to have no loop if starts are checked before it is called. */
  private SizedComputation callable(SizedComputation called) {
    if (!checks.isEmpty()) {
      requireNoLoop(called.computation());
    }
    return called;
  }

  private static HloComputation unchecked(SizedComputation called) {
    require(!called.isChecked(), "", "starts in %s are data", called.computation().name());
    return called.computation();
  }

  private HloInstruction call(HloInstruction each, List<HloInstruction> in) {
    SizedComputation called = callable(computations.of(each.called().get(0), shapes(in)));
    if (!called.isChecked()) {
      return as(each, each.op(), in, List.of(called.computation()));
    }
    HloInstruction checked =
        body.add(each.name() + ".checked", new Call(), in, List.of(called.computation()));
    return value(each, checked);
  }

  /** Writes the value of an instruction that gives a tuple of it and of a check. */
  private HloInstruction value(HloInstruction each, HloInstruction checked) {
    HloInstruction value = body.element(checked, 0);
    checks.add(body.element(checked, 1));
    return as(each, new Copy(), List.of(value), List.of());
  }

  private HloInstruction conditional(HloInstruction each, List<HloInstruction> in) {
    List<SizedComputation> branches = new ArrayList<>();
    for (HloComputation branch : each.called()) {
      Shape argument = in.get(branches.size() + 1).shape();
      branches.add(callable(computations.of(branch, List.of(argument))));
      require(
          branches.getLast().result().equals(branches.get(0).result()),
          "",
          "branches give %s and %s",
          branches.get(0).result(),
          branches.getLast().result());
    }
    if (branches.stream().noneMatch(SizedComputation::isChecked)) {
      return as(each, each.op(), in, branches.stream().map(SizedComputation::computation).toList());
    }
    CheckedForms forms = new CheckedForms(computations);
    List<HloComputation> checked = branches.stream().map(forms::of).toList();
    return value(each, body.add(each.name() + ".checked", each.op(), in, checked));
  }

  private HloInstruction loop(HloInstruction each, List<HloInstruction> in) {
    Shape state = in.get(0).shape().withoutLayout();
    SizedComputation condition = computations.of(each.called().get(0), List.of(state));
    SizedComputation step = computations.of(each.called().get(1), List.of(state));
    require(step.result().equals(state), "", "the state %s becomes %s", state, step.result());
    HloComputation whether = unchecked(condition);
    if (!step.isChecked() && checks.isEmpty()) {
      return as(each, each.op(), in, List.of(whether, step.computation()));
    }
    requireNoLoop(whether);
    CheckedForms forms = new CheckedForms(computations);
    return value(each, forms.loop(each.name(), in.get(0), checks.all(), whether, step, body));
  }

  /** Returns the body of a scan at the sizes of its slices and of what it carries. */
  private SizedComputation body(HloInstruction each, Scan op, List<HloInstruction> in) {
    return computations.of(each.called().get(0), op.bodyArguments(shapes(in)));
  }

  /** Writes an instruction whose operands and results are cut or filled. */
  private HloInstruction fitted(HloInstruction each, List<HloInstruction> in) {
    boolean isKnown =
        OpTraits.of(each.op()).family() != OpTraits.Family.EFFECT
            || each.op() instanceof Collective;
    require(isKnown, "", "what %s gives has sizes of its own", each.op().opcode());
    SizedInstruction at = SizedInstruction.of(each, shapes(in));
    Fitting fitting = new Fitting(body, each.name(), in);
    List<HloInstruction> operands = fitting.operands(at);
    checks.addStarts(each, at.op(), operands);
    return at.results().isEmpty()
        ? as(each, at.op(), operands, regions(each))
        : as(
            each,
            new Copy(),
            List.of(
                fitting.result(
                    at, body.add(each.name() + ".fitted", at.op(), operands, regions(each)))),
            List.of());
  }
}
