package org.hlo4j.testing;

import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.rows.ValueRow;
import org.hlo4j.hlo.rows.ValueRowModule;
import org.hlo4j.hlo.text.Parser;

/**
 * The execution of a row of {@link ConformanceRows}.
 *
 * @param row the module of the row
 */
record RowCheck(ValueRowModule row) {
  static RowCheck of(ValueRow row) {
    return new RowCheck(ValueRowModule.of(row));
  }

  /** Runs the row; returns a description of the difference, if there is one. */
  Optional<String> check(ConformanceRows.Runner runner) {
    Literal got;
    try {
      Literal[] arguments = row.arguments().toArray(Literal[]::new);
      got = runner.run(Parser.parse(row.text()), arguments);
    } catch (HloException refusal) {
      String message = String.valueOf(refusal.getMessage());
      return row.isRefusedBy(message)
          ? Optional.empty()
          : Optional.of("got the refusal " + message);
    }
    return row.refused() ? Optional.of("got " + got + ", want a refusal") : difference(got);
  }

  private Optional<String> difference(Literal got) {
    Literal want = row.want();
    if (row.ulps().isEmpty()) {
      return got.equals(want) ? Optional.empty() : Optional.of("got " + got + ", want " + want);
    }
    try {
      LiteralSubject.assertThat(got).isWithinUlps(row.ulps().get(), want);
      return Optional.empty();
    } catch (AssertionError wrong) {
      return Optional.of(String.valueOf(wrong.getMessage()));
    }
  }
}
