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
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
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
final class Plain {
  private Plain() {}

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

  /** Returns the program with short names, which begin with opcodes. */
  static Program renamed(Program program) {
    HloModule module = program.module();
    Map<Object, String> names = new HashMap<>(); // of instructions and computations
    Multiset<String> counts = HashMultiset.create();
    BiConsumer<Object, String> name =
        (what, wanted) ->
            names.computeIfAbsent(
                what,
                any -> counts.add(wanted, 1) == 0 ? wanted : wanted + "." + counts.count(wanted));
    name.accept(module.entry(), "main");
    Stream.concat(Stream.of(module.entry()), module.computations().stream())
        .flatMap(each -> each.instructions().stream())
        .forEach(each -> {
          String opcode = each.op().opcode();
          name.accept(each, each.op() instanceof Parameter at ? "p" + at.number() : opcode);
          ImmutableList<String> roles = each.op().callees();
          for (int i = 0; i < each.called().size(); i++) {
            name.accept(each.called().get(i), i < roles.size() ? roles.get(i) : "branch");
          }
        });
    ModuleCopy copy =
        new ModuleCopy() {
          @Override
          protected void write(HloComputation in, HloInstruction at, List<HloInstruction> to) {
            replace(at, updated(at).renamed(names.getOrDefault(at, at.name())), to);
          }

          @Override
          protected String name(HloComputation computation) {
            return names.getOrDefault(computation, computation.name());
          }
        };
    return program.with(
        HloModule.create("shrunk", copy.copy(module).entry())
            .withText(module.attributes(), module.stackFrames()),
        program.arguments());
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
