package org.hlo4j.interpreter.compiled.moves;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/** Writes the classes of {@link Butterflies}. */
final class ButterflyCode {
  private static final int ARRAYS = 1;
  private static final int HALF = 2;
  private static final int COUNT = 3;

  /** A complex number in each lane. */
  private record Parts(Value re, Value im) {}

  private final Lanes lanes;
  private final CodeBuilder code;
  private final int[] arrays = new int[4];
  private final int index;
  private final int number;
  private final int within;
  private final int start;

  ButterflyCode(Lanes lanes) {
    this.lanes = lanes;
    this.code = lanes.code();
    this.index = lanes.newLocal(TypeKind.INT);
    this.number = lanes.newLocal(TypeKind.INT);
    this.within = lanes.newLocal(TypeKind.INT);
    this.start = lanes.newLocal(TypeKind.INT);
  }

  /** What is generated. */
  enum Form {
    /** Joins halves to pairs of them. */
    TWO,
    /** Joins halves to pairs of them, and these again: two steps in one. */
    FOUR,
    /** Multiplies each number by the factor of its place. */
    TURN
  }

  void write(Form form) {
    lanes.body(() -> {
      for (int i = 0; i < arrays.length; i++) {
        arrays[i] = lanes.array(ARRAYS, i, ElementType.F64);
      }
      switch (form) {
        case TWO -> groups(2, this::two);
        case FOUR -> groups(4, this::four);
        case TURN -> turns();
      }
      code.return_();
    });
  }

  /** For each group of so many halves, and each place within a half. */
  private void groups(int halves, Runnable body) {
    Label nextGroup = code.newLabel();
    Label next = code.newLabel();
    Label groupDone = code.newLabel();
    Label done = code.newLabel();
    code.iconst_0().istore(start).labelBinding(nextGroup);
    code.iload(start).iload(COUNT).if_icmpge(done);
    code.iconst_0().istore(within).labelBinding(next);
    code.iload(within).iload(HALF).if_icmpge(groupDone);
    code.iload(start).iload(within).iadd().istore(number);
    int mark = lanes.mark();
    body.run();
    lanes.release(mark);
    code.iinc(within, 1).goto_(next).labelBinding(groupDone);
    code.iload(start).iload(HALF).loadConstant(halves).imul().iadd().istore(start);
    code.goto_(nextGroup).labelBinding(done);
  }

  private void turns() {
    Label next = code.newLabel();
    Label done = code.newLabel();
    code.iconst_0().istore(number).labelBinding(next);
    code.iload(number).iload(COUNT).if_icmpge(done);
    int mark = lanes.mark();
    Parts factor = factor(() -> code.iload(number));
    for (int lane = 0; lane < Batch.WIDTH; lane += lanes.width()) {
      store(0, lane, times(load(0, lane), factor));
    }
    lanes.release(mark);
    code.iinc(number, 1).goto_(next).labelBinding(done);
  }

  private void two() {
    Parts root = factor(() -> code.iload(HALF).iload(within).iadd());
    for (int lane = 0; lane < Batch.WIDTH; lane += lanes.width()) {
      int mark = lanes.mark();
      Parts even = load(0, lane);
      Parts odd = times(load(1, lane), root);
      store(0, lane, plus(even, odd));
      store(1, lane, minus(even, odd));
      lanes.release(mark);
    }
  }

  private void four() {
    Parts root = factor(() -> code.iload(HALF).iload(within).iadd());
    Parts lower = factor(() -> code.iload(HALF).iconst_2().imul().iload(within).iadd());
    Parts upper = factor(() -> code.iload(HALF).iconst_3().imul().iload(within).iadd());
    for (int lane = 0; lane < Batch.WIDTH; lane += lanes.width()) {
      int mark = lanes.mark();
      Parts a = load(0, lane);
      Parts b = times(load(1, lane), root);
      Parts c = load(2, lane);
      Parts d = times(load(3, lane), root);
      Parts even = plus(a, b);
      Parts odd = minus(a, b);
      Parts secondEven = times(plus(c, d), lower);
      Parts secondOdd = times(minus(c, d), upper);
      store(0, lane, plus(even, secondEven));
      store(1, lane, plus(odd, secondOdd));
      store(2, lane, minus(even, secondEven));
      store(3, lane, minus(odd, secondOdd));
      lanes.release(mark);
    }
  }

  private Parts factor(Runnable place) {
    place.run();
    code.istore(index);
    return new Parts(
        lanes.loadSplat(ElementType.F64, arrays[2], index),
        lanes.loadSplat(ElementType.F64, arrays[3], index));
  }

  private Parts load(int halves, int lane) {
    position(halves, lane);
    return new Parts(
        lanes.load(ElementType.F64, arrays[0], index),
        lanes.load(ElementType.F64, arrays[1], index));
  }

  private void store(int halves, int lane, Parts value) {
    position(halves, lane);
    lanes.store(ElementType.F64, arrays[0], index, value.re());
    lanes.store(ElementType.F64, arrays[1], index, value.im());
  }

  /** {@code index = (number + halves * half) * width + lane} */
  private void position(int halves, int lane) {
    code.iload(number);
    if (halves > 0) {
      code.iload(HALF).loadConstant(halves).imul().iadd();
    }
    code.loadConstant(Batch.WIDTH).imul().loadConstant(lane).iadd().istore(index);
  }

  private Parts plus(Parts a, Parts b) {
    return new Parts(lanes.add(a.re(), b.re()), lanes.add(a.im(), b.im()));
  }

  private Parts minus(Parts a, Parts b) {
    return new Parts(lanes.subtract(a.re(), b.re()), lanes.subtract(a.im(), b.im()));
  }

  private Parts times(Parts a, Parts b) {
    Value re = lanes.subtract(lanes.multiply(a.re(), b.re()), lanes.multiply(a.im(), b.im()));
    Value im = lanes.add(lanes.multiply(a.re(), b.im()), lanes.multiply(a.im(), b.re()));
    return new Parts(re, im);
  }
}
