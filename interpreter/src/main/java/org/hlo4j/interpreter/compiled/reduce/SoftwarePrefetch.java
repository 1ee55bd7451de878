package org.hlo4j.interpreter.compiled.reduce;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * A prefetch of f32s by reads whose values are not used. Java has no prefetch instruction, so the
 * bits that are read are combined and stored after the loop.
 */
final class SoftwarePrefetch implements Prefetch {
  private final ReduceLoopWriter writer;
  private final CodeEmitter emitter;
  private final int array;
  private final int position;
  private final int sink;
  private final int first;
  private final Value gathered;

  /** Creates a prefetch of the array of an index; the next array is the sink. */
  SoftwarePrefetch(ReduceLoopWriter writer, int number) {
    this.writer = writer;
    this.emitter = writer.emitter();
    this.array = writer.array(number, ElementType.F32);
    this.position = writer.position(number);
    this.sink = writer.array(number + 1, ElementType.S32);
    this.first = writer.position(number + 1);
    this.gathered = emitter.variable(emitter.constant(Lane.I32, 0));
  }

  @Override
  public void iteration() {
    emitter.markLoopCarried(List.of(gathered));
    Value read = emitter.load(ElementType.F32, array, writer.index(position, 0));
    emitter.assign(gathered, emitter.or(emitter.reinterpret(read), gathered));
  }

  @Override
  public void end() {
    emitter.markLoopCarried(List.of(gathered));
    emitter.store(ElementType.S32, sink, first, gathered);
  }
}
