package org.hlo4j.examples;

import static java.util.stream.Collectors.joining;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.byName;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.explicit;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.none;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.numpy;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.pdpd;
import static org.hlo4j.hlo.ElementType.F32;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.builder.BroadcastPolicy;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;

/**
 * The same x + v by every broadcasting policy: what each makes of it in HLO, and what it refuses. x
 * is f32[2,3], its dimensions named batch and features.
 */
public final class BroadcastPolicyTable {
  private BroadcastPolicyTable() {}

  static HloModule add(Smaller smaller, BroadcastPolicy policy) {
    XlaBuilder b = new XlaBuilder("add");
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x").named("batch", "features");
    XlaOp v = b.parameter(1, smaller.shape(), "v").named(smaller.names().toArray(new String[0]));
    return b.build(x.add(v, policy));
  }

  /** What v is: its shape and the names of its dimensions. */
  record Smaller(Shape shape, List<String> names) {
    static Smaller of(Shape.Array shape, String... names) {
      return new Smaller(shape, List.of(names));
    }
  }

  private static final List<BroadcastPolicy> POLICIES =
      List.of(none(), numpy(), pdpd(), pdpd(0), explicit(), explicit(0), explicit(1), byName());

  private static final List<Smaller> VS =
      List.of(
          Smaller.of(Shape.of(F32, 2, 3), "batch", "features"),
          Smaller.of(Shape.of(F32, 2, 1), "batch", "one"),
          Smaller.of(Shape.of(F32, 3, 2), "features", "batch"),
          Smaller.of(Shape.of(F32, 3), "features"),
          Smaller.of(Shape.of(F32, 2), "batch"),
          Smaller.of(Shape.of(F32, 1), "one"),
          Smaller.of(Shape.of(F32)),
          Smaller.of(Shape.of(F32, 4, 2, 3), "time", "batch", "features"));

  static void main() {
    List<List<String>> rows = new ArrayList<>();
    List<String> header = new ArrayList<>(List.of("v"));
    POLICIES.forEach(policy -> header.add(policy.toString()));
    rows.add(header);
    for (Smaller v : VS) {
      List<String> row = new ArrayList<>(List.of(v.shape().toString()));
      POLICIES.forEach(policy -> row.add(cell(v, policy)));
      rows.add(row);
    }
    rows.forEach(row -> IO.println(line(row, rows)));
    IO.println(
        """

        as is   nothing but the add          r   reshape: drops dimensions of size 1
        {1}     broadcast, dimensions={1}    t   transpose
        x       before it: x, not v          -   refused
        """);
    IO.println("v f32[2,1] by numpy():\n");
    IO.println(Printer.print(add(VS.get(1), numpy()), PrintOptions.SHORT));
    IO.println("v f32[2] by numpy() and by pdpd():\n");
    refuse(VS.get(4), numpy());
    refuse(VS.get(4), pdpd());
    IO.println("v f32[3] with the name of a dimension of size 2:\n");
    refuse(Smaller.of(Shape.of(F32, 3), "batch"), byName());
  }

  private static String line(List<String> row, List<List<String>> rows) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < row.size(); i++) {
      int column = i;
      int width = rows.stream().mapToInt(r -> r.get(column).length()).max().orElse(0);
      line.append(row.get(i)).append(" ".repeat(width + 2 - row.get(i).length()));
    }
    return line.toString().stripTrailing();
  }

  private static String cell(Smaller v, BroadcastPolicy policy) {
    try {
      HloModule module = add(v, policy);
      Verifier.strict().verify(module);
      String moved =
          module.entry().instructions().stream()
              .map(BroadcastPolicyTable::moved)
              .filter(text -> !text.isEmpty())
              .collect(joining(" "));
      return moved.isEmpty() ? "as is" : moved;
    } catch (HloException refusal) {
      return "-";
    }
  }

  private static String moved(HloInstruction instruction) {
    String whose =
        !instruction.operands().isEmpty() && instruction.operands().get(0).name().equals("x")
            ? "x"
            : "";
    if (instruction.op() instanceof Broadcast broadcast) {
      String dimensions = broadcast.dimensions().toString();
      return whose + "{" + dimensions.substring(1, dimensions.length() - 1).replace(" ", "") + "}";
    } else if (instruction.op() instanceof Reshape) {
      return whose + "r";
    }
    return instruction.op() instanceof Transpose ? whose + "t" : "";
  }

  private static void refuse(Smaller v, BroadcastPolicy policy) {
    try {
      add(v, policy);
      throw new AssertionError("not refused");
    } catch (HloException refusal) {
      IO.println(refusal.getMessage() + "\n");
    }
  }
}
