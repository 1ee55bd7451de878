package org.hlo4j.check.shrink;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Iterables;
import com.google.common.collect.Maps;
import com.google.common.collect.Multiset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.ModuleCopy;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;

/** Copies of a program without what does not change its values. */
final class Plain extends ModuleCopy {
  /** What does not change values. */
  enum Part {
    METADATA,
    LAYOUTS,
    /** Sharding and attributes of no op. */
    ATTRIBUTES,
    /** The attributes of the module. */
    HEADER
  }

  private final Set<Part> without;

  /** The new names of instructions and computations. */
  private final Map<Object, String> names = new HashMap<>();

  private Plain(Set<Part> without) {
    this.without = without;
  }

  /** Returns the program without some parts. */
  static Program of(Program program, Set<Part> without) {
    HloModule module = new Plain(without).copy(program.module());
    return program.with(
        without.contains(Part.HEADER) ? module.withText(header(program), "") : module,
        program.arguments());
  }

  /** Returns what the header has to say: for how many devices arguments and infeed are. */
  private static Map<String, String> header(Program program) {
    return program.isOfEachDevice() || !program.infeed().isEmpty()
        ? Maps.filterKeys(program.module().attributes(), Rewrite.LASTING::contains)
        : ImmutableMap.of();
  }

  /** Returns what one of several devices runs, as a program for one. */
  static Program onDevice(Program program, int device) {
    HloModule module = program.module();
    return new Program(
        module.withText(
            Maps.filterKeys(module.attributes(), key -> !Rewrite.LASTING.contains(key)),
            module.stackFrames()),
        ImmutableList.copyOf(program.argumentsOfDevices().get(device)),
        program.infeed().isEmpty()
            ? ImmutableList.of()
            : ImmutableList.copyOf(program.infeedOfDevices().get(device)));
  }

  /** Returns the program with short names, which begin with opcodes. */
  static Program renamed(Program program) {
    HloModule module = program.module();
    Plain plain = new Plain(Set.of());
    Multiset<String> counts = HashMultiset.create();
    plain.name(module.entry(), "main", counts);
    for (HloComputation computation :
        Iterables.concat(List.of(module.entry()), module.computations())) {
      for (HloInstruction each : computation.instructions()) {
        boolean isParameter = each.op() instanceof Parameter;
        plain.name(each, isParameter ? "p" + number(each) : each.op().opcode(), counts);
        for (int i = 0; i < each.called().size(); i++) {
          ImmutableList<String> roles = each.op().callees();
          plain.name(each.called().get(i), i < roles.size() ? roles.get(i) : "branch", counts);
        }
      }
    }
    HloComputation entry = plain.copy(module).entry();
    return program.with(
        HloModule.create("shrunk", entry).withText(module.attributes(), module.stackFrames()),
        program.arguments());
  }

  private static int number(HloInstruction parameter) {
    return ((Parameter) parameter.op()).number();
  }

  private void name(Object what, String name, Multiset<String> counts) {
    if (!names.containsKey(what)) {
      int before = counts.add(name, 1);
      names.put(what, before == 0 ? name : name + "." + (before + 1));
    }
  }

  @Override
  protected void write(
      HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
    String name = names.getOrDefault(instruction, instruction.name());
    replace(instruction, plain(updated(instruction)).renamed(name), to);
  }

  @Override
  protected String name(HloComputation computation) {
    return names.getOrDefault(computation, computation.name());
  }

  private HloInstruction plain(HloInstruction at) {
    HloInstruction laidOut = without.contains(Part.LAYOUTS) ? withoutLayout(at) : at;
    Metadata metadata = without.contains(Part.METADATA) ? Metadata.NONE : at.metadata();
    boolean isBare = without.contains(Part.ATTRIBUTES);
    HloInstruction plain =
        HloInstruction.create(
            at.name(),
            laidOut.op(),
            at.operands(),
            at.called(),
            laidOut.shape(),
            metadata,
            isBare ? Map.of() : at.attributes());
    return isBare ? plain : plain.withSharding(at.sharding());
  }

  private static HloInstruction withoutLayout(HloInstruction at) {
    Shape shape = at.shape().withoutLayout();
    return at.withOp(
        switch (at.op()) {
          case Parameter parameter -> new Parameter(parameter.number(), shape);
          case Constant constant when shape instanceof Shape.Array array -> of(constant, array);
          default -> at.op();
        },
        shape);
  }

  private static Constant of(Constant constant, Shape.Array shape) {
    Literal literal = constant.literal();
    return literal.isElided() ? constant : new Constant(literal.withShape(shape));
  }
}
