package org.hlo4j.interpreter.compiled.fft;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.LaneShuffle;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The code writer of the step that interleaves real and imaginary parts: {@code to[2 i] = re[i] *
 * scale, to[2 i + 1] = im[i] * scale}.
 */
final class WritingCode extends FftStepCode {
  private static final int TO = 1;
  private static final int SCALE = 2;

  private final ElementType type;
  private Value scale;

  WritingCode(CodeEmitter emitter, ElementType type) {
    super(emitter, List.of(ElementType.F64, type, ElementType.F64));
    this.type = type;
    this.scale = emitter.constant(Lane.F64, 1);
  }

  @Override
  void beginRow() {
    scale = loadSplat(SCALE, code::iconst_0);
  }

  @Override
  void columns() {
    ComplexVector parts = load(0, StepArguments.FROM_SHIFT, at(StepArguments.FROM));
    Value re = emitter.multiply(parts.re(), scale);
    Value im = emitter.multiply(parts.im(), scale);
    half(emitter.shuffle(LaneShuffle.LOWER, re, im), 0);
    half(emitter.shuffle(LaneShuffle.UPPER, re, im), emitter.width());
  }

  private void half(Value value, int offset) {
    Value converted = emitter.convert(value, Lane.of(type));
    store(type, TO, atPair(StepArguments.TO, offset), converted);
  }
}
