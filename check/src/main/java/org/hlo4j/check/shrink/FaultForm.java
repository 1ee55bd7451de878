package org.hlo4j.check.shrink;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * What a small program that shows a fault has in common with others that show the same fault: ops,
 * element types, flags and who uses whom, but not names, sizes, other numbers, and whether a value
 * is a constant or a parameter.
 */
final class FaultForm {
  private final Map<HloInstruction, Integer> numbers = new HashMap<>();
  private final List<String> lines = new ArrayList<>();

  private FaultForm() {}

  /** Returns a text that is the same for programs of the same form. */
  static String of(HloModule module) {
    FaultForm form = new FaultForm();
    form.number(module.entry().root());
    return String.join("\n", form.lines);
  }

  /** Returns the number of an instruction, whose line follows those of what it needs. */
  private int number(HloInstruction at) {
    if (!numbers.containsKey(at)) {
      String line =
          Known.isGiven(at)
              ? "given"
              : at.op().opcode()
                  + at.operands().stream().map(this::number).toList()
                  + at.called().stream().map(each -> number(each.root())).toList()
                  + flags(at);
      numbers.put(at, lines.size());
      lines.add(line + " " + at.shape().mapArrays(array -> Shape.of(array.elementType())));
    }
    return numbers.getOrDefault(at, 0);
  }

  /** Returns the attributes of few values, such as the direction of a comparison. */
  private static List<Object> flags(HloInstruction at) {
    return OpSchema.attributes(at.op()).stream()
        .map(attribute -> attribute.value(at.op()))
        .filter(FaultForm::isFlag)
        .toList();
  }

  private static boolean isFlag(Object value) {
    return value instanceof Enum<?>
        || value instanceof Boolean
        || (value instanceof Optional<?> optional
            && optional.filter(FaultForm::isFlag).isPresent());
  }
}
