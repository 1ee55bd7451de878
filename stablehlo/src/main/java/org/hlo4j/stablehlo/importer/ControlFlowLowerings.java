package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.While;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The lowering of calls, loops, branches, tuples and tokens. Regions of loops and branches may
 * capture values, but HLO computations may not. So captured values are passed as elements of the
 * tuple that the computation takes.
 */
final class ControlFlowLowerings {
  private static final Pattern NAMESPACED =
      Pattern.compile("[a-zA-Z][a-zA-Z0-9_]*+(?:[.][a-zA-Z0-9_$]++)++");

  private ControlFlowLowerings() {}

  static void addTo(Lowerings table) {
    table
        .many("func.call", ControlFlowLowerings::call)
        .checkedBy(op -> requireSignature(op, "callee"))
        .onlyChecked();
    table
        .many("stablehlo.composite", ControlFlowLowerings::composite)
        .checkedBy(ControlFlowLowerings::checkComposite)
        .onlyChecked();
    table.many("stablehlo.while", ControlFlowLowerings::whileLoop);
    table.many("stablehlo.if", op -> conditional(op, ElementType.PRED));
    table.many("stablehlo.case", op -> conditional(op, ElementType.S32));
    table.many("stablehlo.optimization_barrier", ControlFlowLowerings::barrier);
    table.one("stablehlo.tuple", ControlFlowLowerings::tuple);
    table.one("stablehlo.create_token", op -> op.emit(new AfterAll(), List.of(), List.of()));
  }

  private static ImmutableList<HloInstruction> call(OpImport op) {
    HloComputation callee = callee(op, "callee");
    return callResults(op, callee, op.emit(new Call(), op.operands(), List.of(callee)));
  }

  /** Requires the types that the function declares, which is verified separately. */
  private static void requireSignature(OpImport op, String attribute) {
    Operation callee =
        op.target().module().callee(op.fields().symbol(attribute).name(), op.operation());
    Type.Function signature = FunctionImport.signature(callee);
    requireSame("operands", op.operation().operandTypes(), signature.inputs());
    requireSame("results", op.operation().resultTypes(), signature.results());
  }

  private static void requireSame(String what, List<Type> got, List<Type> want) {
    verify(got.equals(want), "%s got %s, want %s", what, got, want);
  }

  private static HloComputation callee(OpImport op, String attribute) {
    return op.target()
        .module()
        .function(op.fields().symbol(attribute).name(), op.operation(), op.operands());
  }

  /** Returns the results of a call; their known values are those of the callee's results. */
  private static ImmutableList<HloInstruction> callResults(
      OpImport op, HloComputation callee, HloInstruction call) {
    ImmutableList<HloInstruction> results = op.results(call);
    KnownValues known = op.target().module().known();
    HloInstruction root = callee.root();
    for (int i = 0; i < results.size(); i++) {
      known.put(results.get(i), known.of(op.resultCount() == 1 ? root : root.operands().get(i)));
    }
    return results;
  }

  private static void checkComposite(OpImport op) {
    String name = op.fields().string("name");
    require(
        NAMESPACED.matcher(name).matches(),
        "composite C1",
        "name got \"%s\", want words with dots between, such as my_namespace.my_op",
        name);
    requireSignature(op, "decomposition");
  }

  private static ImmutableList<HloInstruction> composite(OpImport op) {
    HloComputation callee = callee(op, "decomposition");
    Attribute attributes = op.fields().entries().get("composite_attributes");
    Map<String, String> text =
        ShardyLowerings.frontend(
            Map.of(
                "composite.name",
                op.fields().string("name"),
                "composite.attributes",
                attributes == null ? "{}" : attributes.toString(),
                "composite.version",
                Long.toString(op.fields().int64("version", 0))));
    HloInstruction call = op.emit(new Call(true), op.operands(), List.of(callee), text);
    return callResults(op, callee, call);
  }

  private static ImmutableList<HloInstruction> whileLoop(OpImport op) {
    verify(op.operation().regions().size() == 2, "regions got other than cond and body");
    Block condition = op.block(0);
    Block body = op.block(1);
    Set<Value> outer = new LinkedHashSet<>(op.target().module().captures(condition));
    outer.addAll(op.target().module().captures(body));
    ImmutableList<Value> captured = ImmutableList.copyOf(outer);
    requireArguments(op, condition, "cond");
    requireArguments(op, body, "body");
    List<HloInstruction> state = new ArrayList<>(op.operands());
    state.addAll(op.target().instructions(captured));
    Annotations annotations =
        op.annotations().ofState(new Shape.Tuple(op.operandShapes()), captured.size());
    HloInstruction loop =
        op.emit(
            new While(),
            List.of(op.annotate(op.tuple(state), annotations)),
            List.of(
                stateComputation(op, condition, captured, state, annotations, false),
                stateComputation(op, body, captured, state, annotations, true)));
    loop = op.annotate(loop, annotations);
    return op.elements(loop, op.operandCount());
  }

  private static void requireArguments(OpImport op, Block block, String region) {
    ImmutableList<Type> got = RegionRules.arguments(block);
    ImmutableList<Shape> want = op.operandShapes();
    require(
        Shapes.pairwise(want, got, Shapes::fits),
        region.equals("cond") ? "while C1" : "while C2",
        "arguments of %s got %s, want %s as the operands",
        region,
        got,
        want);
  }

  /**
   * Returns the computation of a region of a loop. The body also returns the captured values, as
   * the next iteration needs them.
   */
  private static HloComputation stateComputation(
      OpImport op,
      Block block,
      List<Value> captured,
      List<HloInstruction> state,
      Annotations annotations,
      boolean isBody) {
    ComputationImport inner = new ComputationImport(op.target().module());
    List<HloInstruction> unchanged =
        unpackState(op, inner, block, captured, state, annotations.sharding());
    List<HloInstruction> results = new ArrayList<>(inner.lower(block));
    if (!isBody) {
      return inner.finish("while_cond", results);
    }
    results.addAll(unchanged);
    return inner.finishTuple("while_body", results, annotations.sharding());
  }

  /**
   * Unpacks the tuple that a region takes: the arguments of its block, followed by its captured
   * values, which are returned.
   */
  private static ImmutableList<HloInstruction> unpackState(
      OpImport op,
      ComputationImport inner,
      Block block,
      List<Value> captured,
      List<HloInstruction> operands,
      Optional<Sharding> sharding) {
    List<Value> elements = new ArrayList<>(block.arguments());
    elements.addAll(captured);
    ModuleImport module = op.target().module();
    Shape shape =
        new Shape.Tuple(operands.stream().map(HloInstruction::shape).collect(toImmutableList()));
    HloInstruction parameter =
        inner.replaceLast(
            inner
                .parameter(0, shape, "state", module.metadata(op.operation()))
                .withSharding(sharding));
    ImmutableList.Builder<HloInstruction> unchanged = ImmutableList.builder();
    for (int i = 0; i < elements.size(); i++) {
      HloInstruction element =
          inner.emit(
              new GetTupleElement(i), List.of(parameter), List.of(), op.operation(), Map.of());
      if (i >= block.arguments().size()) {
        element = inner.replaceLast(element.withSharding(Optional.empty()));
        module.known().put(element, module.known().of(operands.get(i)));
        unchanged.add(element);
      }
      inner.define(elements.get(i), element);
    }
    return unchanged.build();
  }

  private static ImmutableList<HloInstruction> conditional(OpImport op, ElementType index) {
    long[] known = op.known(op.operand(0));
    if (known != null && op.target().module().isSpecializing()) {
      int branches = op.operation().regions().size();
      return op.target().lower(op.block(new Conditional(index).branch(known[0], branches)));
    }
    List<HloInstruction> operands = new ArrayList<>();
    operands.add(op.operand(0));
    List<HloComputation> branches = new ArrayList<>();
    int count = op.operation().regions().size();
    for (int i = 0; i < count; i++) {
      Block block = op.block(i);
      require(
          block.arguments().isEmpty(),
          index == ElementType.PRED ? "if C1" : "case C2",
          "branch %s takes %s arguments, want none",
          i,
          block.arguments().size());
      ImmutableList<Value> captured = op.target().module().captures(block);
      ImmutableList<HloInstruction> outside = op.target().instructions(captured);
      operands.add(captured.size() == 1 ? outside.get(0) : op.tuple(outside));
      ComputationImport inner = new ComputationImport(op.target().module());
      takeCaptured(op, inner, block, captured, outside);
      branches.add(inner.finish("branch_" + i, inner.lower(block), op.annotations().sharding()));
    }
    for (Type type : op.operation().resultTypes()) {
      verify(!(type instanceof Type.MemRef), "result got %s, want a tensor", type);
    }
    HloInstruction result = op.emit(new Conditional(index), operands, branches);
    return op.results(result);
  }

  /** Defines the values that a branch captures: its parameter, or the elements of that. */
  private static void takeCaptured(
      OpImport op,
      ComputationImport inner,
      Block block,
      List<Value> captured,
      List<HloInstruction> outside) {
    if (captured.size() != 1) {
      unpackState(op, inner, block, captured, outside, Optional.empty());
      return;
    }
    ModuleImport module = op.target().module();
    HloInstruction only =
        inner.parameter(0, outside.get(0).shape(), "captured", module.metadata(op.operation()));
    module.known().put(only, module.known().of(outside.get(0)));
    inner.define(captured.get(0), only);
  }

  private static HloInstruction tuple(OpImport op) {
    Type tuple = new Type.Tuple(op.operation().operandTypes());
    requireSame("results", op.operation().resultTypes(), List.of(tuple));
    return op.tuple(op.operands());
  }

  private static ImmutableList<HloInstruction> barrier(OpImport op) {
    requireSame("results", op.operation().resultTypes(), op.operation().operandTypes());
    if (op.operandCount() == 1) {
      return ImmutableList.of(op.emit(new OptBarrier(), op.operand(0)));
    }
    return op.elements(op.emit(new OptBarrier(), op.tuple(op.operands())));
  }
}
