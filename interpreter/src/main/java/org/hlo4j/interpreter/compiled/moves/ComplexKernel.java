package org.hlo4j.interpreter.compiled.moves;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/** {@code result[i] = f(lhs[i], rhs[i])} of complex numbers: in double, rounded once. */
final class ComplexKernel implements Kernel {
  private static final int CHUNK = 1 << 13;
  private static final int BLOCK = 1 << 9;

  private final String opcode;
  private final List<Shape.Array> operands;
  private final Shape.Array shape;
  private final ComplexLoops.Loop loop;
  private final Optional<SingleComplexLoops.Loop> single;

  private ComplexKernel(
      String opcode,
      List<Shape.Array> operands,
      Shape.Array shape,
      ComplexLoops.Loop loop,
      Optional<SingleComplexLoops.Loop> single) {
    this.opcode = opcode;
    this.operands = operands;
    this.shape = shape;
    this.loop = loop;
    this.single = single;
  }

  /** The kernel of an element-wise op or conversion; none if no number in it is complex. */
  static Optional<Kernel> of(
      HloInstruction instruction, List<Shape.Array> operands, Shape.Array shape) {
    Optional<SingleComplexLoops.Loop> single =
        instruction.op() instanceof Elementwise op
                && shape.elementType().componentType() == ElementType.F32
            ? SingleComplexLoops.of(op.kind())
            : Optional.empty();
    boolean isComplex =
        shape.elementType().isComplex() || operands.get(0).elementType().isComplex();
    Optional<ComplexLoops.Loop> loop =
        switch (instruction.op()) {
          case Elementwise op -> Optional.of(ComplexLoops.of(op.kind()));
          case Convert _
              when operands.get(0).elementType().componentType().isFloating()
                  && shape.elementType().componentType().isFloating() ->
              Optional.of(ComplexKernel::copy);
          case Op _ -> Optional.empty();
        };
    return loop.filter(known -> isComplex)
        .map(known -> new ComplexKernel(instruction.op().opcode(), operands, shape, known, single));
  }

  private static void copy(
      ComplexLoops.Parts a, ComplexLoops.Parts unused, ComplexLoops.Parts to, int count) {
    System.arraycopy(a.re(), 0, to.re(), 0, count);
    System.arraycopy(a.im(), 0, to.im(), 0, count);
  }

  @Override
  public Literal run(Literal[] literals, KernelContext context) {
    Object[] from = Arrays.stream(literals).map(Literal::unsafeStorage).toArray();
    Object to = context.allocate(shape);
    int count = (int) shape.elementCount();
    context
        .workers()
        .run(
            Math.ceilDiv(count, CHUNK),
            chunk -> chunk(from, to, chunk * CHUNK, Math.min(count, (chunk + 1) * CHUNK)));
    return Literal.unsafeOf(shape, to);
  }

  private void chunk(Object[] from, Object to, int first, int end) {
    if (single.isPresent()) {
      float[] lhs = (float[]) from[0];
      float[] rhs = (float[]) from[from.length - 1];
      single.get().run(lhs, rhs, (float[]) to, first, end);
    } else {
      blocks(from, to, first, end);
    }
  }

  private void blocks(Object[] from, Object to, int first, int end) {
    int room = Math.min(BLOCK, end - first);
    ComplexLoops.Parts a = new ComplexLoops.Parts(room);
    ComplexLoops.Parts b = operands.size() > 1 ? new ComplexLoops.Parts(room) : a;
    ComplexLoops.Parts result = new ComplexLoops.Parts(room);
    for (int at = first; at < end; at += BLOCK) {
      int many = Math.min(BLOCK, end - at);
      load(operands.get(0).elementType(), from[0], at, a, many);
      if (operands.size() > 1) {
        load(operands.get(1).elementType(), from[1], at, b, many);
      }
      loop.run(a, b, result, many);
      store(result, to, at, many);
    }
  }

  private static void load(
      ElementType type, Object from, int at, ComplexLoops.Parts parts, int many) {
    ElementType part = type.componentType();
    if (type.isComplex()) {
      Doubles.read(part, from, 2 * at, 2, parts.re(), 0, many);
      Doubles.read(part, from, 2 * at + 1, 2, parts.im(), 0, many);
    } else {
      Doubles.read(part, from, at, 1, parts.re(), 0, many);
    }
  }

  private void store(ComplexLoops.Parts parts, Object to, int at, int many) {
    ElementType part = shape.elementType().componentType();
    if (shape.elementType().isComplex()) {
      Doubles.write(part, parts.re(), 0, to, 2 * at, 2, many);
      Doubles.write(part, parts.im(), 0, to, 2 * at + 1, 2, many);
    } else {
      Doubles.write(part, parts.re(), 0, to, at, many);
    }
  }

  @Override
  public boolean mayOverwrite(int operand) {
    return operands.get(operand).equals(shape);
  }

  @Override
  public String describe() {
    return opcode + " of " + shape + " in double";
  }
}
