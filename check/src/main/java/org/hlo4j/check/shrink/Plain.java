package org.hlo4j.check.shrink;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.collect.Multiset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.hlo4j.check.Program;
import org.hlo4j.check.part.Rewrite;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.ModuleCopy;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;

/** Copies of modules without what does not change their values, or with short names. */
final class Plain extends ModuleCopy {
  /** Copies without metadata, layouts, sharding and attributes of no op, those of the module. */
  static final ImmutableList<UnaryOperator<Program>> PARTS =
      ImmutableList.of(
          map(at -> with(at, Metadata.NONE, at.attributes())),
          map(Plain::withoutLayout),
          map(at -> with(at.withSharding(Optional.empty()), at.metadata(), ImmutableMap.of())),
          program ->
              program.with(program.module().withText(header(program), ""), program.arguments()));

  private static UnaryOperator<Program> map(UnaryOperator<HloInstruction> change) {
    return program -> program.with(ModuleCopy.map(program.module(), change), program.arguments());
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

  private final Multiset<String> counts = HashMultiset.create();

  /** The new names of instructions and computations. */
  private final Map<Object, String> names = new HashMap<>();

  /** Returns the program with short names, which begin with opcodes. */
  static Program renamed(Program program) {
    HloModule module = program.module();
    Plain plain = new Plain();
    plain.name(module.entry(), "main");
    plain.names(module.entry());
    module.computations().forEach(plain::names);
    HloComputation entry = plain.copy(module).entry();
    return program.with(
        HloModule.create("shrunk", entry).withText(module.attributes(), module.stackFrames()),
        program.arguments());
  }

  private void names(HloComputation computation) {
    for (HloInstruction each : computation.instructions()) {
      name(
          each,
          each.op() instanceof Parameter parameter ? "p" + parameter.number() : each.op().opcode());
      ImmutableList<String> roles = each.op().callees();
      for (int i = 0; i < each.called().size(); i++) {
        name(each.called().get(i), i < roles.size() ? roles.get(i) : "branch");
      }
    }
  }

  private void name(Object what, String name) {
    if (!names.containsKey(what)) {
      int before = counts.add(name, 1);
      names.put(what, before == 0 ? name : name + "." + (before + 1));
    }
  }

  @Override
  protected void write(
      HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
    String name = names.getOrDefault(instruction, instruction.name());
    replace(instruction, updated(instruction).renamed(name), to);
  }

  @Override
  protected String name(HloComputation computation) {
    return names.getOrDefault(computation, computation.name());
  }

  private static HloInstruction with(
      HloInstruction at, Metadata metadata, Map<String, String> attributes) {
    return HloInstruction.create(
            at.name(), at.op(), at.operands(), at.called(), at.shape(), metadata, attributes)
        .withSharding(at.sharding());
  }

  private static HloInstruction withoutLayout(HloInstruction at) {
    Shape shape = at.shape().withoutLayout();
    return at.withOp(
        switch (at.op()) {
          case Parameter parameter -> new Parameter(parameter.number(), shape);
          case Constant constant
              when shape instanceof Shape.Array array && !constant.literal().isElided() ->
              new Constant(constant.literal().withShape(array));
          default -> at.op();
        },
        shape);
  }
}
