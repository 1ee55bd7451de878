package org.hlo4j.interpreter.compiled.fission;

import static java.util.Objects.requireNonNull;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.fission.StripWriter.Local;

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
  private final FissionSchedule schedule;
  private final FissionSchedule.Part part;
  private final StripWriter caller;

  /** The local variable of each parameter, by that of the caller, whose value it gets. */
  private final Map<Local, Integer> parameters = new LinkedHashMap<>();

  private final Map<FissionNode, Integer> values = new HashMap<>();
  private int nextLocal;
  private int iteration;

  FissionPartWriter(FissionSchedule schedule, FissionSchedule.Part part, StripWriter caller) {
    this.schedule = schedule;
    this.part = part;
    this.caller = caller;
    addParameter(caller.count());
    part.read.forEach(op -> addParameter(caller.array(op)));
    part.ops.stream()
        .filter(schedule.arrays::containsKey)
        .forEach(op -> addParameter(caller.array(op)));
    part.ops.stream()
        .flatMap(op -> op.inputs.stream())
        .filter(input -> !part.read.contains(input) && !part.ops.contains(input))
        .filter(input -> input.kind != FissionNode.Kind.CONSTANT)
        .forEach(input -> addParameter(caller.local(input)));
  }

  private void addParameter(Local parameter) {
    parameters.computeIfAbsent(parameter, _ -> newLocal(parameter.kind()));
  }

  /** Returns the caller's local variables that it passes. */
  Set<Local> parameters() {
    return parameters.keySet();
  }

  MethodTypeDesc type() {
    return MethodTypeDesc.of(
        ConstantDescs.CD_void, parameters.keySet().stream().map(Local::type).toList());
  }

  private int newLocal(TypeKind kind) {
    int local = nextLocal;
    nextLocal += kind.slotSize();
    return local;
  }

  private int local(Local parameter) {
    return requireNonNull(parameters.get(parameter));
  }

  void write(CodeBuilder code) {
    iteration = newLocal(TypeKind.INT);
    CountedLoop.fromZero(code, iteration, local(caller.count()), () -> writeIteration(code));
    code.return_();
  }

  private void writeIteration(CodeBuilder code) {
    for (FissionNode op : part.read) {
      code.aload(local(caller.array(op))).iload(iteration).arrayLoad(op.storage);
      pop(code, op, op.storage.asLoadable());
    }
    for (FissionNode op : part.ops) {
      apply(code, op);
      pop(code, op, op.type());
    }
    for (FissionNode op : part.ops) {
      if (schedule.arrays.containsKey(op)) {
        code.aload(local(caller.array(op))).iload(iteration);
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
    } else {
      code.loadLocal(op.type(), local(caller.local(op)));
      if (op.kind == FissionNode.Kind.COUNT) {
        code.iload(iteration).iadd();
      }
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
