package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.hlo4j.hlo.Dims;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Value;

/** The writer of loop nests over the elements of arrays, in row-major order. */
final class ArrayLoops {
  /**
   * The maximum number of loops of a method. C2 takes a tenth of a second or more for each loop of
   * a method that has many.
   */
  private static final int MAX_LOOPS = 24;

  private final CodeEmitter emitter;
  private final Indices indices;
  private final CodegenStrategy strategy;
  private final List<Integer> counters = new ArrayList<>();
  private int depth;
  private int loops;

  ArrayLoops(CodeEmitter emitter, Indices indices, CodegenStrategy strategy) {
    this.emitter = emitter;
    this.indices = indices;
    this.strategy = strategy;
  }

  /**
   * Writes loops over all indices of an array of these sizes, around a body that receives the
   * index.
   */
  void write(Dims sizes, Consumer<ImmutableList<Value>> body) {
    write(sizes, ImmutableList.of(), body);
  }

  private void write(Dims sizes, ImmutableList<Value> outer, Consumer<ImmutableList<Value>> body) {
    if (outer.size() == sizes.count()) {
      body.accept(outer);
    } else if (sizes.get(outer.size()) == 1) {
      write(sizes, with(outer, indices.constant(0)), body);
    } else {
      loop(sizes.get(outer.size()), counter -> write(sizes, with(outer, counter), body));
    }
  }

  private static ImmutableList<Value> with(ImmutableList<Value> outer, Value next) {
    return ImmutableList.<Value>builder().addAll(outer).add(next).build();
  }

  private void loop(long count, Consumer<Value> body) {
    if (!strategy.hasLoops() || ++loops > MAX_LOOPS) {
      throw new NoCodeException("too many loops over elements for this style");
    }
    CodeBuilder code = emitter.code();
    int counter = counter();
    Label end = code.newLabel();
    code.iconst_0().istore(counter);
    Label next = code.newBoundLabel();
    code.iload(counter).loadConstant(Math.toIntExact(count)).if_icmpge(end);
    int mark = emitter.mark();
    depth++;
    body.accept(new Value(Lane.I32, counter));
    depth--;
    emitter.release(mark);
    code.iinc(counter, 1).goto_(next).labelBinding(end);
  }

  /** Returns the counter of a loop. Loops that are not nested share a counter. */
  private int counter() {
    if (depth == counters.size()) {
      counters.add(emitter.newLocal(TypeKind.INT));
    }
    return counters.get(depth);
  }
}
