package org.hlo4j.interpreter.compiled.lanes;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/**
 * Instructions on scalars as one generated method: element-wise ops, tuples, and {@code call},
 * {@code fusion}, {@code conditional} and {@code while} with all they call. Nothing is boxed or
 * allocated between operands and result. Results are those of {@link ElementFunctions}.
 */
public final class ScalarPrograms {
  private static final int TURNS_BETWEEN_CHECKS = 1 << 20;
  private static final ClassDesc CONTEXT = KernelContext.class.describeConstable().orElseThrow();

  // Slots of the parameters of ScalarProgram.run.
  private static final int OPERANDS = 1;
  private static final int RESULTS = 2;
  private static final int CONTEXT_SLOT = 3;

  private final HloInstruction instruction;
  private final Lanes lanes;
  private final CodeBuilder code;
  private final int index;
  private final int turns;

  private ScalarPrograms(HloInstruction instruction, CodeBuilder code) {
    this.instruction = instruction;
    this.lanes = Lanes.scalar(code);
    this.code = code;
    this.index = lanes.newLocal(TypeKind.INT);
    this.turns = lanes.newLocal(TypeKind.INT);
  }

  /** The kernel of an instruction on scalars; empty if anything else takes part. */
  public static Optional<Kernel> kernel(HloInstruction instruction) {
    try {
      instruction.operands().forEach(operand -> Item.requireScalars(operand.shape()));
      Item.requireScalars(instruction.shape());
      ScalarProgram program =
          HiddenClasses.instance(
              ScalarProgram.class,
              "Scalars_" + instruction.name(),
              code -> new ScalarPrograms(instruction, code).write());
      return Optional.of(new ScalarKernel(instruction.shape(), program));
    } catch (UnsupportedOperationException | TooLargeException none) {
      return Optional.empty();
    }
  }

  private void write() {
    lanes.body(() -> {
      code.iconst_0().istore(index);
      code.loadConstant(TURNS_BETWEEN_CHECKS).istore(turns);
      List<Item> operands = operands();
      Item result = new ScalarCode(lanes, this::writeCheck).write(instruction, operands);
      int[] number = {0};
      result
          .scalars()
          .forEach(scalar -> {
            int array = lanes.array(RESULTS, number[0]++, scalar.type());
            lanes.store(scalar.type(), array, index, scalar.value());
          });
      code.return_();
    });
  }

  private List<Item> operands() {
    Iterator<Integer> numbers = IntStream.iterate(0, i -> i + 1).iterator();
    return instruction.operands().stream()
        .map(operand -> operand(operand.shape(), numbers))
        .toList();
  }

  private Item operand(Shape shape, Iterator<Integer> numbers) {
    if (shape instanceof Shape.Tuple tuple) {
      Stream<Item> items = tuple.elements().stream().map(part -> operand(part, numbers));
      return new Item.Group(items.collect(ImmutableList.toImmutableList()));
    }
    ElementType type = Item.scalars(shape).findFirst().orElseThrow().elementType();
    return new Item.Scalar(
        type, lanes.load(type, lanes.array(OPERANDS, numbers.next(), type), index));
  }

  private void writeCheck() {
    Label enough = code.newLabel();
    code.iinc(turns, -1).iload(turns).ifne(enough);
    code.aload(CONTEXT_SLOT);
    code.invokeinterface(CONTEXT, "checkLimits", MethodTypeDesc.of(ConstantDescs.CD_void));
    code.loadConstant(TURNS_BETWEEN_CHECKS).istore(turns);
    code.labelBinding(enough);
  }
}
