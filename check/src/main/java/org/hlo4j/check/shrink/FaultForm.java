package org.hlo4j.check.shrink;

import com.google.common.collect.ImmutableList;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * What a small program that shows a fault has in common with others that show the same fault: ops,
 * element types, flags and who uses whom, but not names, sizes, other numbers, and whether a value
 * is a constant or a parameter.
 */
final class FaultForm {
  private final IdentityHashMap<HloInstruction, Integer> numbers = new IdentityHashMap<>();
  private final StringBuilder text = new StringBuilder();

  private FaultForm() {}

  /** Returns a text that is the same for programs of the same form. */
  static String of(HloModule module) {
    FaultForm form = new FaultForm();
    form.add(module.entry());
    return form.text.toString();
  }

  private void add(HloComputation computation) {
    text.append('{');
    add(computation.root());
    text.append('}');
  }

  private int add(HloInstruction at) {
    Integer known = numbers.get(at);
    if (known != null) {
      return known;
    }
    ImmutableList<String> operands =
        at.operands().stream().map(each -> "" + add(each)).collect(ImmutableList.toImmutableList());
    int number = numbers.size();
    numbers.put(at, number);
    boolean isGiven = at.op() instanceof Constant || at.op() instanceof Parameter;
    text.append(isGiven ? "given" : at.op().opcode())
        .append(types(at.shape()))
        .append(operands)
        .append(isGiven ? "" : flags(at))
        .append('\n');
    at.called().forEach(this::add);
    return number;
  }

  private static String types(Shape shape) {
    return shape instanceof Shape.Tuple tuple
        ? tuple.elements().stream().map(FaultForm::types).collect(Collectors.joining(",", "(", ")"))
        : shape instanceof Shape.Array array ? " " + array.elementType() : "" + shape;
  }

  /** Returns the attributes of few values, such as the direction of a comparison. */
  private static String flags(HloInstruction at) {
    return OpSchema.attributes(at.op()).stream()
        .map(attribute -> attribute.value(at.op()))
        .filter(FaultForm::isFlag)
        .map(String::valueOf)
        .collect(Collectors.joining(","));
  }

  private static boolean isFlag(Object value) {
    return value instanceof Enum<?>
        || value instanceof Boolean
        || (value instanceof Optional<?> optional
            && optional.filter(FaultForm::isFlag).isPresent());
  }
}
