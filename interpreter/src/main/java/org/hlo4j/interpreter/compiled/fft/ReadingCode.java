package org.hlo4j.interpreter.compiled.fft;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.lanes.Arrangement;
import org.hlo4j.interpreter.compiled.lanes.Lane;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/** Writes what takes complex numbers apart: {@code re[i] = from[2 i], im[i] = from[2 i + 1]}. */
final class ReadingCode extends FftStepCode {
  private static final int TO = 1;

  private final ElementType type;

  ReadingCode(Lanes lanes, ElementType type) {
    super(lanes, List.of(type, ElementType.F64));
    this.type = type;
  }

  @Override
  void columns() {
    Value first = half(0);
    Value second = half(lanes.width());
    Parts parts =
        new Parts(
            lanes.arranged(Arrangement.EVEN, first, second),
            lanes.arranged(Arrangement.ODD, first, second));
    store(
        TO,
        StepArguments.TO_SHIFT,
        () -> code.iload(place(StepArguments.TO)).iload(column).iadd(),
        parts);
  }

  private Value half(int behind) {
    Value value =
        load(
            type,
            0,
            () ->
                code.iload(place(StepArguments.FROM))
                    .iload(column)
                    .iconst_2()
                    .imul()
                    .iadd()
                    .loadConstant(behind)
                    .iadd());
    return lanes.convert(value, Lane.F64);
  }

  @Override
  void endRow() {
    advance(StepArguments.FROM, StepArguments.FROM_ROW);
    advance(StepArguments.TO, StepArguments.TO_ROW);
  }
}
