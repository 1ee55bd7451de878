package org.hlo4j.interpreter.conformance;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.DeviceGrid;

/** How to make a module that has an op in it, and what it gives on device 3 of {@link #GRID}. */
record Example(Supplier<HloModule> module, Literal value) {
  /** Device 3 is replica 1 and partition 1. */
  static final DeviceGrid GRID = new DeviceGrid(2, 2);

  /** A module built by the public builder; its value is a literal or what one is made of. */
  static Example of(Function<XlaBuilder, XlaOp> build, Object value) {
    return new Example(() -> built(build), literal(value));
  }

  /** A module of these instructions, each of which is an operand of the next ones. */
  static Example byHand(Object value, HloInstruction... instructions) {
    List<HloInstruction> list = Arrays.asList(instructions);
    HloComputation entry = HloComputation.create("entry", list, list.get(list.size() - 1));
    return new Example(() -> HloModule.create("example", entry), literal(value));
  }

  private static HloModule built(Function<XlaBuilder, XlaOp> build) {
    XlaBuilder b = new XlaBuilder("example");
    return b.build(build.apply(b));
  }

  private static Literal literal(Object value) {
    return value instanceof Literal literal ? literal : Literal.of(value);
  }

  /** A scalar of the type of ids. */
  static Literal u32(long value) {
    return Literal.of(ElementType.U32, value);
  }

  /** The op itself, with its attributes, as it stands in the entry computation. */
  Op op(Class<? extends Op> type) {
    return module.get().entry().instructions().stream()
        .map(HloInstruction::op)
        .filter(type::isInstance)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + type.getSimpleName() + " in its example"));
  }
}
