package org.hlo4j.interpreter.compiled.fission;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.JavaArrays;
import org.hlo4j.interpreter.compiled.fission.FissionPartWriter.Parameter;
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
  private static final ClassDesc ARRAYS = StripArrays.class.describeConstable().orElseThrow();
  private static final ClassDesc MATH = ClassDesc.of("java.lang.Math");
  private static final ClassDesc SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");
  private static final MethodTypeDesc MIN =
      MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int, ConstantDescs.CD_int);
  private static final MethodTypeDesc ARRAY =
      MethodTypeDesc.of(ConstantDescs.CD_Object, ConstantDescs.CD_int, ConstantDescs.CD_int);
  private static final MethodTypeDesc BITS =
      MethodTypeDesc.of(SEGMENT, ConstantDescs.CD_int, ConstantDescs.CD_int);
  private static final MethodTypeDesc COPY_BITS =
      MethodTypeDesc.of(ConstantDescs.CD_void, SEGMENT, SEGMENT, ConstantDescs.CD_int);

  private final CodeEmitter emitter;
  private final CodeBuilder code;
  private final ClassDesc self;
  private final String name;
  private final FissionSchedule schedule;
  private final ImmutableList<FissionPartWriter> parts;
  private final int counter;
  private final int end;
  private final int count;
  private final Map<FissionNode, Integer> invariants = new HashMap<>();
  private final Map<Parameter.OfArray, Integer> arrays = new LinkedHashMap<>();

  /** The local variables of memory segments. */
  private final Map<Parameter.OfArray, Integer> bits = new LinkedHashMap<>();

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
    this.parts =
        schedule.parts.stream()
            .map(part -> new FissionPartWriter(schedule, part))
            .collect(toImmutableList());
    this.count = emitter.newLocal(TypeKind.INT);
  }

  /** Writes the loads of the strip arrays, which have to come before the loops of the method. */
  void writeArrays() {
    arrays.forEach((array, local) -> {
      push(array);
      code.invokestatic(ARRAYS, "array", ARRAY);
      code.checkcast(array.storage().upperBound().arrayType()).astore(local);
    });
    bits.forEach((array, local) -> {
      push(array);
      code.invokestatic(ARRAYS, "bits", BITS).astore(local);
    });
  }

  private void push(Parameter.OfArray array) {
    code.loadConstant(StripArrays.number(array.storage())).loadConstant(array.number());
  }

  /** Writes the loop. */
  void write() {
    Label again = code.newBoundLabel();
    Label done = code.newLabel();
    code.iload(counter).iload(end).if_icmpge(done);
    code.iload(end).iload(counter).isub().loadConstant(StripArrays.STRIP);
    code.invokestatic(MATH, "min", MIN).istore(count);
    schedule.invariants.forEach(this::writeInvariant);
    schedule.loads.forEach(this::writeLoad);
    writeCopies(-1);
    for (int part = 0; part < parts.size(); part++) {
      FissionPartWriter called = parts.get(part);
      called.parameters().forEach(this::pushParameter);
      code.invokestatic(self, name + part, called.type());
      writeCopies(part);
    }
    schedule.stored().forEach(this::writeStored);
    code.iload(counter).iload(count).iadd().istore(counter).goto_(again).labelBinding(done);
  }

  /** Writes the methods that the loop calls. */
  void writeParts(ClassBuilder builder) {
    for (int part = 0; part < parts.size(); part++) {
      FissionPartWriter called = parts.get(part);
      int flags = ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC;
      builder.withMethodBody(name + part, called.type(), flags, called::write);
    }
  }

  private void pushParameter(Parameter parameter) {
    switch (parameter) {
      case Parameter.Count _ -> code.iload(count);
      case Parameter.StripStart _ -> code.iload(counter);
      case Parameter.OfArray array -> code.aload(local(array));
      case Parameter.Invariant same -> pushInvariant(same.op());
    }
  }

  private void writeInvariant(FissionNode op) {
    int local = emitter.newLocal(op.type());
    op.inputs.forEach(this::pushInvariant);
    op.code.accept(code);
    code.storeLocal(op.type(), local);
    invariants.put(op, local);
  }

  private void pushInvariant(FissionNode op) {
    switch (op.kind) {
      case CONSTANT -> op.code.accept(code);
      case INVARIANT, ARRAY -> code.loadLocal(op.type(), op.local);
      default -> code.loadLocal(op.type(), requireNonNull(invariants.get(op)));
    }
  }

  /** Pushes the index of an array at the start of the strip. */
  private void pushIndex(FissionNode index) {
    switch (index.kind) {
      case COUNT -> code.iload(counter);
      case CONSTANT, INVARIANT -> pushInvariant(index);
      default -> {
        index.inputs.forEach(this::pushIndex);
        index.code.accept(code);
      }
    }
  }

  private void writeLoad(FissionNode load) {
    if (schedule.arrays.containsKey(load)) {
      code.aload(load.local);
      pushIndex(load.inputs.get(0));
      code.aload(local(schedule.array(load))).iconst_0().iload(count);
      JavaArrays.copy(code);
    }
  }

  private void writeStored(ArrayStore stored) {
    code.aload(local(schedule.array(stored.value()))).iconst_0().aload(stored.array());
    pushIndex(stored.index());
    code.iload(count);
    JavaArrays.copy(code);
  }

  private void writeCopies(int afterPart) {
    for (FissionNode copy : schedule.copies.getOrDefault(afterPart, List.of())) {
      if (schedule.arrays.containsKey(copy)) {
        int bytes = copy.type().slotSize() * Integer.BYTES;
        code.aload(bits(copy.inputs.get(0))).aload(bits(copy));
        code.iload(count).loadConstant(bytes).imul();
        code.invokestatic(ARRAYS, "copy", COPY_BITS);
      }
    }
  }

  private int bits(FissionNode op) {
    return bits.computeIfAbsent(schedule.array(op), _ -> emitter.newLocal(TypeKind.REFERENCE));
  }

  private int local(Parameter.OfArray array) {
    return arrays.computeIfAbsent(array, _ -> emitter.newLocal(TypeKind.REFERENCE));
  }
}
