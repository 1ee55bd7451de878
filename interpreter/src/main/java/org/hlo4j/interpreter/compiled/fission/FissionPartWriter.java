package org.hlo4j.interpreter.compiled.fission;

import static java.util.Objects.requireNonNull;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;

/**
 * Writes one of the loops after fission as a method of its own, because C2 takes long to compile a
 * method with many loops:
 *
 * <pre>
 * for (j = 0; j &lt; count; j++) loads from arrays; operations; stores to arrays
 * </pre>
 *
 * <p>All arrays are accessed at the same index, so that C2 sees that no iteration reads what
 * another one stores.
 */
final class FissionPartWriter {
  /** A parameter of the method. */
  sealed interface Parameter {
    /** The number of iterations. */
    record Count() implements Parameter {}

    /** The value of the original loop counter at the start of the strip. */
    record StripStart() implements Parameter {}

    /** The array that holds a value. */
    record OfArray(TypeKind storage, int number) implements Parameter {}

    /** A loop-invariant value. */
    record Invariant(FissionNode op) implements Parameter {}
  }

  private final FissionSchedule schedule;
  private final FissionSchedule.Part part;
  private final Map<Parameter, Integer> locals = new HashMap<>();
  private final List<Parameter> parameters = new ArrayList<>();
  private final Map<FissionNode, Integer> values = new HashMap<>();
  private int nextLocal;
  private int iteration;

  FissionPartWriter(FissionSchedule schedule, FissionSchedule.Part part) {
    this.schedule = schedule;
    this.part = part;
    Set<Parameter> all = new LinkedHashSet<>(List.of(new Parameter.Count()));
    part.read.forEach(op -> all.add(schedule.array(op)));
    part.ops.stream()
        .filter(schedule.arrays::containsKey)
        .forEach(op -> all.add(schedule.array(op)));
    part.ops.forEach(op ->
        op.inputs.stream()
            .filter(input -> !part.read.contains(input) && !part.ops.contains(input))
            .filter(input -> input.kind != FissionNode.Kind.CONSTANT)
            .map(input ->
                input.kind == FissionNode.Kind.COUNT
                    ? new Parameter.StripStart()
                    : new Parameter.Invariant(input))
            .forEach(all::add));
    for (Parameter parameter : all) {
      parameters.add(parameter);
      locals.put(parameter, newLocal(kind(parameter)));
    }
  }

  List<Parameter> parameters() {
    return parameters;
  }

  MethodTypeDesc type() {
    return MethodTypeDesc.of(
        ConstantDescs.CD_void, parameters.stream().map(FissionPartWriter::type).toList());
  }

  private static ClassDesc type(Parameter parameter) {
    return switch (parameter) {
      case Parameter.Count _, Parameter.StripStart _ -> ConstantDescs.CD_int;
      case Parameter.OfArray array -> array.storage().upperBound().arrayType();
      case Parameter.Invariant same ->
          same.op().kind == FissionNode.Kind.ARRAY
              ? same.op().storage.upperBound().arrayType()
              : same.op().type().upperBound();
    };
  }

  private static TypeKind kind(Parameter parameter) {
    return TypeKind.from(type(parameter));
  }

  private int newLocal(TypeKind kind) {
    int local = nextLocal;
    nextLocal += kind.slotSize();
    return local;
  }

  private int local(Parameter parameter) {
    return requireNonNull(locals.get(parameter));
  }

  void write(CodeBuilder code) {
    iteration = newLocal(TypeKind.INT);
    CountedLoop.fromZero(code, iteration, local(new Parameter.Count()), () -> writeIteration(code));
    code.return_();
  }

  private void writeIteration(CodeBuilder code) {
    for (FissionNode op : part.read) {
      code.aload(local(schedule.array(op))).iload(iteration).arrayLoad(op.storage);
      pop(code, op, op.storage.asLoadable());
    }
    for (FissionNode op : part.ops) {
      apply(code, op);
      pop(code, op, op.type());
    }
    for (FissionNode op : part.ops) {
      if (schedule.arrays.containsKey(op)) {
        code.aload(local(schedule.array(op))).iload(iteration);
        push(code, op);
        code.arrayStore(op.storage);
      }
    }
  }

  private void pop(CodeBuilder code, FissionNode op, TypeKind type) {
    int local = newLocal(type);
    code.storeLocal(type, local);
    values.put(op, local);
  }

  private void push(CodeBuilder code, FissionNode op) {
    Integer local = values.get(op);
    if (local != null) {
      code.loadLocal(op.type(), local);
    } else if (op.kind == FissionNode.Kind.CONSTANT) {
      op.code.accept(code);
    } else if (op.kind == FissionNode.Kind.COUNT) {
      code.iload(local(new Parameter.StripStart())).iload(iteration).iadd();
    } else {
      code.loadLocal(op.type(), local(new Parameter.Invariant(op)));
    }
  }

  /** Pushes the result of an operation on the stack. */
  private void apply(CodeBuilder code, FissionNode op) {
    if (op.kind == FissionNode.Kind.REPLACED) {
      Label otherwise = code.newLabel();
      Label end = code.newLabel();
      push(code, op.inputs.get(0));
      code.ifeq(otherwise);
      op.inputs.subList(2, op.inputs.size()).forEach(input -> push(code, input));
      op.code.accept(code);
      code.goto_(end).labelBinding(otherwise);
      push(code, op.inputs.get(1));
      code.labelBinding(end);
      return;
    }
    op.inputs.forEach(input -> push(code, input));
    op.code.accept(code);
  }
}
