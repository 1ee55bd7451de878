package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;

/** Copies of a program without what does not change its values. */
final class Plain {
  private final UnaryOperator<HloInstruction> change;
  private final UnaryOperator<String> naming;
  private final IdentityHashMap<HloComputation, HloComputation> done = new IdentityHashMap<>();

  private Plain(UnaryOperator<HloInstruction> change, UnaryOperator<String> naming) {
    this.change = change;
    this.naming = naming;
  }

  /** Returns the program without metadata, layouts, sharding and attributes of no op. */
  static Program all(Program program) {
    return header(
        of(program, each -> bare(each, Metadata.NONE, each.shape().withoutLayout(), Map.of())));
  }

  /** Returns the program without metadata. */
  static Program metadata(Program program) {
    return of(
        program,
        each ->
            bare(each, Metadata.NONE, each.shape(), each.attributes())
                .withSharding(each.sharding()));
  }

  /** Returns the program without layouts. */
  static Program layouts(Program program) {
    return of(
        program,
        each ->
            bare(each, each.metadata(), each.shape().withoutLayout(), each.attributes())
                .withSharding(each.sharding()));
  }

  /** Returns the program without sharding and attributes of no op. */
  static Program attributes(Program program) {
    return of(program, each -> bare(each, each.metadata(), each.shape(), Map.of()));
  }

  /** Returns the program without the attributes of the module. */
  static Program header(Program program) {
    return program.with(program.module().withText(ImmutableMap.of(), ""), program.arguments());
  }

  /** Returns the program with short names, which begin with opcodes. */
  static Program renamed(Program program) {
    Map<String, Integer> counts = new HashMap<>();
    UnaryOperator<String> naming =
        name -> {
          int count = counts.merge(name, 1, Integer::sum);
          return count == 1 ? name : name + "." + count;
        };
    Program renamed =
        of(
            program,
            each ->
                each.renamed(
                    each.op() instanceof Parameter parameter
                        ? naming.apply("p" + parameter.number())
                        : naming.apply(each.op().opcode())),
            naming);
    HloModule module = renamed.module();
    return renamed.with(
        HloModule.create("shrunk", module.entry())
            .withText(module.attributes(), module.stackFrames()),
        renamed.arguments());
  }

  private static Program of(Program program, UnaryOperator<HloInstruction> change) {
    return of(program, change, UnaryOperator.identity());
  }

  private static Program of(
      Program program, UnaryOperator<HloInstruction> change, UnaryOperator<String> naming) {
    HloModule module = program.module();
    HloComputation entry = new Plain(change, naming).copy(module.entry(), "main");
    return program.with(
        HloModule.create(module.name(), entry).withText(module.attributes(), module.stackFrames()),
        program.arguments());
  }

  private HloComputation copy(HloComputation old, String role) {
    HloComputation known = done.get(old);
    if (known != null) {
      return known;
    }
    Map<HloInstruction, HloInstruction> copies = new HashMap<>();
    for (HloInstruction each : old.instructions()) {
      ImmutableList<HloInstruction> operands =
          each.operands().stream().map(o -> copies.getOrDefault(o, o)).collect(toImmutableList());
      copies.put(each, change.apply(each.withOperands(operands).withCalled(called(each))));
    }
    ImmutableList<HloInstruction> instructions =
        old.instructions().stream().map(o -> copies.getOrDefault(o, o)).collect(toImmutableList());
    boolean isRenamed = !naming.equals(UnaryOperator.<String>identity());
    HloComputation copy =
        HloComputation.create(
            role.isEmpty() || !isRenamed ? old.name() : naming.apply(role),
            instructions,
            copies.getOrDefault(old.root(), old.root()),
            old.executionThread());
    done.put(old, copy);
    return copy;
  }

  private ImmutableList<HloComputation> called(HloInstruction at) {
    ImmutableList<String> roles = at.op().callees();
    ImmutableList.Builder<HloComputation> called = ImmutableList.builder();
    for (int i = 0; i < at.called().size(); i++) {
      called.add(copy(at.called().get(i), i < roles.size() ? roles.get(i) : "branch"));
    }
    return called.build();
  }

  private static HloInstruction bare(
      HloInstruction at, Metadata metadata, Shape shape, Map<String, String> attributes) {
    return HloInstruction.create(
        at.name(), bare(at.op(), shape), at.operands(), at.called(), shape, metadata, attributes);
  }

  private static Op bare(Op op, Shape shape) {
    return switch (op) {
      case Parameter parameter -> new Parameter(parameter.number(), shape);
      case Constant constant when shape instanceof Shape.Array array -> constant(constant, array);
      default -> op;
    };
  }

  private static Constant constant(Constant constant, Shape.Array shape) {
    Literal literal = constant.literal();
    return literal.isElided() ? constant : new Constant(literal.withShape(shape));
  }
}
