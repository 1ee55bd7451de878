package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.compiled.KernelTester;

/** Random fused computations, made from a seed, of ops whose results must be exact. */
final class RandomFusion {
  private static final ImmutableList<ElementType> TYPES =
      ImmutableList.of(
          ElementType.F32,
          ElementType.F32,
          ElementType.F64,
          ElementType.S32,
          ElementType.S64,
          ElementType.U8,
          ElementType.S8,
          ElementType.U32,
          ElementType.U64,
          ElementType.BF16,
          ElementType.F16,
          ElementType.PRED);
  private static final ImmutableList<Elementwise.Kind> KINDS =
      ImmutableList.of(
          Elementwise.Kind.ADD,
          Elementwise.Kind.SUBTRACT,
          Elementwise.Kind.MULTIPLY,
          Elementwise.Kind.DIVIDE,
          Elementwise.Kind.MAXIMUM,
          Elementwise.Kind.MINIMUM,
          Elementwise.Kind.AND,
          Elementwise.Kind.XOR,
          Elementwise.Kind.NEGATE,
          Elementwise.Kind.ABS,
          Elementwise.Kind.NOT,
          Elementwise.Kind.FLOOR,
          Elementwise.Kind.ROUND_NEAREST_EVEN,
          Elementwise.Kind.SQRT,
          Elementwise.Kind.SHIFT_LEFT,
          Elementwise.Kind.SIGN);

  private final Random random;
  private final List<HloInstruction> all = new ArrayList<>();

  private RandomFusion(long seed) {
    random = new Random(seed);
  }

  /** {@return a random computation of about {@code size} instructions} */
  static HloComputation of(long seed, int size) {
    return new RandomFusion(seed).generate(size);
  }

  private HloComputation generate(int size) {
    int parameters = 1 + random.nextInt(3);
    for (int number = 0; number < parameters; number++) {
      add(new Parameter(number, Shape.of(pick(TYPES), randomSizes())));
    }
    while (all.size() < size) {
      step();
    }
    HloInstruction last = all.get(all.size() - 1);
    List<HloInstruction> alike =
        all.stream()
            .filter(
                each -> each != last && shape(each).elementCount() == shape(last).elementCount())
            .toList();
    HloInstruction root =
        random.nextInt(4) == 0 && !alike.isEmpty() ? add(new Tuple(), pick(alike), last) : last;
    return HloComputation.create("fused", all, root);
  }

  private long[] randomSizes() {
    long[] sizes = new long[random.nextInt(4)];
    for (int d = 0; d < sizes.length; d++) {
      sizes[d] = random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(d == sizes.length - 1 ? 40 : 5);
    }
    return sizes;
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private HloInstruction add(Op op, HloInstruction... operands) {
    HloInstruction made = HloInstruction.of("i" + all.size(), op, operands);
    all.add(made);
    return made;
  }

  private static Shape.Array shape(HloInstruction instruction) {
    return (Shape.Array) instruction.shape();
  }

  private void step() {
    HloInstruction x = random.nextBoolean() ? all.get(all.size() - 1) : pick(all);
    if (shape(x).elementCount() > 3_000) {
      return;
    }
    switch (random.nextInt(16)) {
      case 0, 1, 2, 3 -> elementwise(x);
      case 4 -> add(new Convert(pick(TYPES)), x);
      case 5 -> compareAndSelect(x);
      case 6 -> broadcast(x);
      case 7 -> transpose(x);
      case 8 -> slice(x);
      case 9 -> add(new Reverse(Dims.copyOf(subset(shape(x).rank()))), x);
      case 10 -> reshape(x);
      case 11 -> pad(x);
      case 12 -> concatenate(x);
      case 13 -> dynamicSlice(x);
      case 14 -> iotaOrConstant(x);
      default -> clamp(x);
    }
  }

  private List<Integer> subset(int rank) {
    return IntStream.range(0, rank).filter(d -> random.nextBoolean()).boxed().toList();
  }

  /**
   * {@return a value of the shape and type of {@code x}: an existing one, maybe x, or a constant}
   */
  private HloInstruction like(HloInstruction x) {
    List<HloInstruction> alike =
        all.stream().filter(each -> each.shape().equals(x.shape())).toList();
    return random.nextInt(3) == 0 ? splat(x) : pick(alike);
  }

  private HloInstruction splat(HloInstruction x) {
    return add(new Broadcast(shape(x).withLayout(null), Dims.of()), scalar(shape(x).elementType()));
  }

  private HloInstruction scalar(ElementType type) {
    Object value =
        type == ElementType.PRED ? (Object) random.nextBoolean() : (Object) random.nextInt(5);
    return add(new Constant(Literal.of(type, value)));
  }

  private void elementwise(HloInstruction x) {
    Elementwise.Kind kind = pick(KINDS);
    if (kind.accepts(shape(x).elementType())) {
      HloInstruction y = like(x);
      HloInstruction[] operands =
          kind.arity() == 1 ? new HloInstruction[] {x} : new HloInstruction[] {x, y};
      add(new Elementwise(kind), operands);
    }
  }

  private void compareAndSelect(HloInstruction x) {
    HloInstruction y = like(x);
    Compare.Direction direction = pick(Arrays.asList(Compare.Direction.values()));
    HloInstruction holds = add(new Compare(direction, Optional.empty()), x, y);
    add(new Select(), holds, like(x), y);
  }

  private void clamp(HloInstruction x) {
    ElementType type = shape(x).elementType();
    if (type == ElementType.PRED) {
      return;
    }
    HloInstruction min = random.nextBoolean() ? scalar(type) : like(x);
    HloInstruction max = random.nextBoolean() ? scalar(type) : like(x);
    add(new Clamp(), min, x, max);
  }

  private void broadcast(HloInstruction x) {
    if (shape(x).rank() > 4) {
      return;
    }
    int at = random.nextInt(shape(x).rank() + 1);
    Dims sizes = shape(x).sizes().inserted(at, 1 + random.nextInt(6));
    Dims dimensions = Dims.range(0, sizes.count()).without(Dims.of(at));
    add(new Broadcast(Shape.of(shape(x).elementType(), sizes), dimensions), x);
  }

  private void transpose(HloInstruction x) {
    List<Integer> order = new ArrayList<>(IntStream.range(0, shape(x).rank()).boxed().toList());
    Collections.shuffle(order, random);
    add(new Transpose(Dims.copyOf(order)), x);
  }

  private void slice(HloInstruction x) {
    long[] starts = new long[shape(x).rank()];
    long[] limits = starts.clone();
    long[] strides = starts.clone();
    for (int d = 0; d < starts.length; d++) {
      long size = shape(x).size(d);
      starts[d] = random.nextInt(3) == 0 && size > 0 ? random.nextInt((int) size) : 0;
      limits[d] = random.nextBoolean() ? size : size - random.nextInt((int) (size - starts[d]) + 1);
      strides[d] = random.nextBoolean() ? 1 : 1 + random.nextInt(3);
    }
    add(Slice.of(Dims.of(starts), Dims.of(limits), Dims.of(strides)), x);
  }

  /** Merges two neighbouring dimensions, splits one in two, or inserts one of size 1. */
  private void reshape(HloInstruction x) {
    Dims sizes = shape(x).sizes();
    int rank = sizes.count();
    int at = rank < 2 ? 0 : random.nextInt(rank - 1);
    Dims next = sizes.inserted(at, 1);
    if (rank >= 2 && random.nextInt(3) > 0) {
      next = sizes.without(Dims.of(at)).with(at, sizes.get(at) * sizes.get(at + 1));
    } else if (rank >= 1 && sizes.get(at) > 0 && sizes.get(at) % 2 == 0) {
      next = sizes.with(at, sizes.get(at) / 2).inserted(at, 2);
    }
    add(new Reshape(shape(x).withSizes(next)), x);
  }

  private void pad(HloInstruction x) {
    PadConfig padding = PadConfig.none(shape(x).rank());
    for (int d = 0; d < shape(x).rank(); d++) {
      int least = shape(x).size(d) > 2 ? -1 : 0;
      padding =
          padding.withDimension(
              d,
              least + random.nextInt(3),
              least + random.nextInt(3),
              random.nextInt(4) == 0 ? random.nextInt(3) : 0);
    }
    add(new Pad(padding), x, scalar(shape(x).elementType()));
  }

  private void concatenate(HloInstruction x) {
    if (shape(x).rank() > 0) {
      add(Concatenate.along(random.nextInt(shape(x).rank())), x, like(x), x);
    }
  }

  private void dynamicSlice(HloInstruction x) {
    List<HloInstruction> operands = new ArrayList<>(List.of(x));
    long[] sizes = new long[shape(x).rank()];
    for (int d = 0; d < sizes.length; d++) {
      sizes[d] = shape(x).size(d) - Math.min(shape(x).size(d), random.nextInt(3));
      operands.add(add(new Constant(Literal.of(ElementType.S32, random.nextInt(5) - 1))));
    }
    add(new DynamicSlice(Dims.of(sizes)), operands.toArray(HloInstruction[]::new));
  }

  private void iotaOrConstant(HloInstruction x) {
    ElementType type = shape(x).elementType();
    if (shape(x).rank() > 0 && type != ElementType.PRED) {
      HloInstruction iota =
          add(new Iota(shape(x).withLayout(null), random.nextInt(shape(x).rank())));
      add(new Elementwise(Elementwise.Kind.ADD), x, iota);
    } else if (!shape(x).sizes().contains(0)) {
      Literal values = KernelTester.Values.ALL_MAGNITUDES.literal(shape(x), random);
      add(new Elementwise(Elementwise.Kind.ADD), x, add(new Constant(values)));
    }
  }
}
