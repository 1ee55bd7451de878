package org.hlo4j.interpreter.compiled.folds;

import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.lanes.Lane;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/**
 * Reads of a loop that nobody needs yet: they have memory fetch what is needed soon. Java knows no
 * prefetch, so the bits are gathered and stored at the end.
 */
interface Touch {
  /** No reads. */
  Touch NONE =
      new Touch() {
        @Override
        public void turn() {}

        @Override
        public void end() {}
      };

  /** Writes what a turn reads. */
  void turn();

  /** Writes what follows the loop. */
  void end();

  /** Touches f32s of the array of a number, if there is one; the next array is the sink. */
  static Touch of(LoopWriter writer, Optional<Integer> number) {
    return number.map(array -> of(writer, array)).orElse(NONE);
  }

  private static Touch of(LoopWriter writer, int number) {
    Lanes lanes = writer.lanes();
    int array = writer.array(number, ElementType.F32);
    int position = writer.position(number);
    int sink = writer.array(number + 1, ElementType.S32);
    int first = writer.position(number + 1);
    Value gathered = lanes.variable(lanes.constant(Lane.I32, 0));
    return new Touch() {
      @Override
      public void turn() {
        lanes.carried(List.of(gathered));
        Value read = lanes.load(ElementType.F32, array, writer.index(position, 0));
        lanes.assign(gathered, lanes.or(lanes.reinterpret(read), gathered));
      }

      @Override
      public void end() {
        lanes.carried(List.of(gathered));
        lanes.store(ElementType.S32, sink, first, gathered);
      }
    };
  }
}
