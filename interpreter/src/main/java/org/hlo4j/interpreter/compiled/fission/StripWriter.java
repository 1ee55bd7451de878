package org.hlo4j.interpreter.compiled.fission;

import static java.util.Objects.requireNonNull;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.StripArrays.StripArray;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.JavaArrays;
import org.hlo4j.interpreter.compiled.fission.GraphEmitter.ArrayStore;

/**
 * Writes a loop as a loop over strips:
 *
 * <pre>
 * while (i &lt; end)
 *   count = min(end - i, STRIP)
 *   loop-invariant values; copies of the elements that are read
 *   for each loop after fission: a call; copies of bits
 *   copies of the results to their arrays
 *   i += count
 * </pre>
 */
final class StripWriter {
  private static final ClassDesc FISSION = LoopFission.class.describeConstable().orElseThrow();
  private static final ClassDesc TYPE = ElementType.class.describeConstable().orElseThrow();
  private static final ClassDesc SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");
  private static final MethodTypeDesc COPY_BITS =
      MethodTypeDesc.of(ConstantDescs.CD_void, SEGMENT, SEGMENT, ConstantDescs.CD_int);

  /** A local variable. */
  record Local(ClassDesc type, int number) {
    TypeKind kind() {
      return TypeKind.from(type);
    }
  }

  private final CodeEmitter emitter;
  private final CodeBuilder code;
  private final ClassDesc self;
  private final String name;
  private final FissionSchedule schedule;
  private final List<FissionPartWriter> parts = new ArrayList<>();
  private final int counter;
  private final int end;
  private final Local count;

  /** The local variables of the loop-invariant values that are computed. */
  private final Map<FissionNode, Integer> invariants = new HashMap<>();

  private final Map<StripArray, Local> arrays = new LinkedHashMap<>();

  /** The local variables of memory segments. */
  private final Map<StripArray, Local> bits = new LinkedHashMap<>();

  /**
   * Creates a writer.
   *
   * @param self the generated class
   * @param name the prefix of the methods' names; their numbers are appended
   * @param counter the local variable of the loop counter
   * @param end the local variable of the end of the iterations
   */
  StripWriter(
      CodeEmitter emitter,
      ClassDesc self,
      String name,
      FissionSchedule schedule,
      int counter,
      int end) {
    this.emitter = emitter;
    this.code = emitter.code();
    this.self = self;
    this.name = name;
    this.schedule = schedule;
    this.counter = counter;
    this.end = end;
    this.count = new Local(ConstantDescs.CD_int, emitter.newLocal(TypeKind.INT));
  }

  /** Writes the loads of the strip arrays, which have to come before the loops of the method. */
  void writeArrays() {
    arrays.forEach((array, local) -> writeArray(array, "array", ConstantDescs.CD_Object, local));
    bits.forEach((array, local) -> writeArray(array, "bits", SEGMENT, local));
  }

  private void writeArray(StripArray array, String method, ClassDesc result, Local local) {
    code.getstatic(TYPE, array.type().name(), TYPE).loadConstant(array.number());
    code.invokestatic(FISSION, method, MethodTypeDesc.of(result, TYPE, ConstantDescs.CD_int));
    code.checkcast(local.type()).astore(local.number());
  }

  /** Writes the loop. */
  void write() {
    Label again = code.newBoundLabel();
    Label done = code.newLabel();
    code.iload(counter).iload(end).if_icmpge(done);
    code.iload(end).iload(counter).isub();
    CountedLoop.limit(code, LoopFission.STRIP).istore(count.number());
    schedule.invariants.forEach(this::writeInvariant);
    schedule.loads.forEach(this::writeLoad);
    writeCopies(-1);
    for (int part = 0; part < schedule.parts.size(); part++) {
      FissionPartWriter called = new FissionPartWriter(schedule, schedule.parts.get(part), this);
      parts.add(called);
      called.parameters().forEach(local -> code.loadLocal(local.kind(), local.number()));
      code.invokestatic(self, name + part, called.type());
      writeCopies(part);
    }
    schedule.stored().forEach(this::writeStored);
    code.iload(counter)
        .iload(count.number())
        .iadd()
        .istore(counter)
        .goto_(again)
        .labelBinding(done);
  }

  /** Writes the methods that the loop calls. */
  void writeParts(ClassBuilder builder) {
    for (int part = 0; part < parts.size(); part++) {
      FissionPartWriter called = parts.get(part);
      int flags = ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC;
      builder.withMethodBody(name + part, called.type(), flags, called::write);
    }
  }

  private void writeInvariant(FissionNode op) {
    push(op);
    int local = emitter.newLocal(op.type());
    code.storeLocal(op.type(), local);
    invariants.put(op, local);
  }

  /** Pushes a loop-invariant value, or the index of an array at the start of the strip. */
  private void push(FissionNode op) {
    if (op.kind != FissionNode.Kind.CONSTANT && (op.isPushable() || invariants.containsKey(op))) {
      code.loadLocal(op.type(), local(op).number());
    } else {
      op.inputs.forEach(this::push);
      op.code.accept(code);
    }
  }

  private void writeLoad(FissionNode load) {
    if (schedule.arrays.containsKey(load)) {
      code.aload(load.local);
      push(load.inputs.get(0));
      code.aload(array(load).number()).iconst_0().iload(count.number());
      JavaArrays.copy(code);
    }
  }

  private void writeStored(ArrayStore stored) {
    code.aload(array(stored.value()).number()).iconst_0().aload(stored.array());
    push(stored.index());
    code.iload(count.number());
    JavaArrays.copy(code);
  }

  private void writeCopies(int afterPart) {
    for (FissionNode copy : schedule.copies.getOrDefault(afterPart, List.of())) {
      if (schedule.arrays.containsKey(copy)) {
        int bytes = copy.type().slotSize() * Integer.BYTES;
        code.aload(bits(copy.inputs.get(0))).aload(bits(copy));
        code.iload(count.number()).loadConstant(bytes).imul();
        code.invokestatic(FISSION, "copy", COPY_BITS);
      }
    }
  }

  /** Returns the local variable of the number of iterations of a strip. */
  Local count() {
    return count;
  }

  /** Returns the local variable of a loop-invariant value, or of the counter. */
  Local local(FissionNode op) {
    return new Local(
        op.localType(), op.isPushable() ? op.local : requireNonNull(invariants.get(op)));
  }

  /** Returns the local variable of the array that holds a value. */
  Local array(FissionNode op) {
    return local(arrays, op, op.storage.upperBound().arrayType());
  }

  private int bits(FissionNode op) {
    return local(bits, op, SEGMENT).number();
  }

  private Local local(Map<StripArray, Local> locals, FissionNode op, ClassDesc type) {
    return locals.computeIfAbsent(
        requireNonNull(schedule.arrays.get(op)),
        _ -> new Local(type, emitter.newLocal(TypeKind.REFERENCE)));
  }
}
