package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.Refusals.assertRefused;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.hlo4j.hlo.HloException.Fact;
import org.hlo4j.hlo.HloException.Kind;
import org.junit.jupiter.api.Test;

final class HloExceptionTest {
  private final HloException refusal =
      new HloException("dot C7", "size got 2, want 3")
          .with("alignment", "  dim 0\n  2")
          .with("at", "at Model.java:27")
          .withFirst("operands", "x   f32[2]")
          .prefixed("dot: ");

  @Test
  void messageIsSummaryLabelAndFacts() {
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo(
            """
            dot: size got 2, want 3 [dot C7]
              x   f32[2]
                dim 0
                2
              at Model.java:27\
            """);
  }

  @Test
  void factsAreAccessible() {
    assertThat(refusal.label()).isEqualTo("dot C7");
    assertThat(refusal.summary()).isEqualTo("dot: size got 2, want 3");
    assertThat(refusal.facts())
        .containsExactly(
            new Fact("operands", "x   f32[2]"),
            new Fact("alignment", "  dim 0\n  2"),
            new Fact("at", "at Model.java:27"))
        .inOrder();
  }

  @Test
  void messageWithoutLabelIsTheSummary() {
    assertThat(new HloException("", "got 1, want 2")).hasMessageThat().isEqualTo("got 1, want 2");
  }

  @Test
  void addingFactsKeepsStackTraceAndOriginal() {
    HloException original = new HloException("", "got 1, want 2");
    HloException placed = original.with("at", "at Model.java:1");

    assertThat(original.facts()).isEmpty();
    assertThat(placed.getStackTrace()).isEqualTo(original.getStackTrace());
    assertThat(original.withFirst("a", "b").getStackTrace()).isEqualTo(original.getStackTrace());
    assertThat(original.prefixed("add: ").getStackTrace()).isEqualTo(original.getStackTrace());
  }

  @Test
  void requireThrowsUnlessTheRuleHolds() {
    require(true, "dot C1", "got %s, want %s", 1, 2);
    assertRefused(
        "got 1, want null [dot C1]", () -> require(false, "dot C1", "got %s, want %s", 1, null));
  }

  @Test
  void innermostKindPositionAndInstructionAreKept() {
    HloException located =
        new HloException(Kind.LIMIT, "got beyond 3 steps")
            .withKind(Kind.VERIFY)
            .withPosition(new SourcePosition(3, 15))
            .withPosition(new SourcePosition(1, 1))
            .withInstruction("add.1")
            .prefixed("run: ")
            .withInstruction("while.2");

    assertThat(located.kind()).isEqualTo(Kind.LIMIT);
    assertThat(located.position()).hasValue(new SourcePosition(3, 15));
    assertThat(located.instruction()).hasValue("add.1");
    assertThat(located).hasMessageThat().isEqualTo("run: got beyond 3 steps");
    assertThat(refusal.kind()).isEqualTo(Kind.ARGUMENT);
    assertThat(refusal.position()).isEmpty();
    assertThat(refusal.instruction()).isEmpty();
  }

  @Test
  void longTextsAreTruncated() {
    String longText = "x".repeat(200_000);
    assertRefused(
        "got " + "x".repeat(299) + "…, want less",
        () -> require(false, "", "got %s, want less", longText));
    assertThat(new HloException("", "got " + longText + ", want less").summary())
        .matches("got x{996}…x{989}, want less");
    assertThat(refusal.with("line", longText).facts().get(3).text()).hasLength(10_000);
  }

  @Test
  void factsSurviveSerialization() throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(refusal.withPosition(new SourcePosition(3, 15)));
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      HloException copy = (HloException) in.readObject();
      assertThat(copy).hasMessageThat().isEqualTo(refusal.getMessage());
      assertThat(copy.facts()).isEqualTo(refusal.facts());
      assertThat(copy.position()).hasValue(new SourcePosition(3, 15));
    }
  }
}
