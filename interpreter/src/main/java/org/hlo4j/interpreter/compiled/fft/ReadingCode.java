package org.hlo4j.interpreter.compiled.fft;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.LaneShuffle;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The code writer of the step that splits complex numbers into their parts: {@code re[i] = from[2
 * i], im[i] = from[2 i + 1]}.
 */
final class ReadingCode extends FftStepCode {
  private static final int TO = 1;

  private final ElementType type;

  ReadingCode(CodeEmitter emitter, ElementType type) {
    super(emitter, List.of(type, ElementType.F64));
    this.type = type;
  }

  @Override
  void columns() {
    Value first = half(0);
    Value second = half(emitter.width());
    ComplexVector parts =
        new ComplexVector(
            emitter.shuffle(LaneShuffle.EVEN, first, second),
            emitter.shuffle(LaneShuffle.ODD, first, second));
    store(TO, StepArguments.TO_SHIFT, at(StepArguments.TO), parts);
  }

  private Value half(int offset) {
    return emitter.convert(load(type, 0, atPair(StepArguments.FROM, offset)), Lane.F64);
  }
}
