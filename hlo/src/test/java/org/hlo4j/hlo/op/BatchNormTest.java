package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

class BatchNormTest {
  private static final Shape.Array X = Shape.of(F32, 4, 3);
  private static final Shape.Array V = Shape.of(F32, 3);
  private static final Shape.Array SHORT = Shape.of(F32, 4);
  private static final Shape.Array HALF = Shape.of(F16, 3);
  private static final Op TRAINING = new BatchNormTraining(0.5f, 1);
  private static final Op INFERENCE = new BatchNormInference(0.5f, 1);
  private static final Op GRAD = new BatchNormGrad(0.5f, 1);

  private static void refused(String label, String message, Op op, Shape... operands) {
    HloException refusal = assertThrows(HloException.class, () -> op.infer(operands));
    assertThat(refusal.label()).isEqualTo(label);
    assertThat(refusal.summary()).isEqualTo(op.opcode() + ": " + message);
  }

  @Test
  void shapes() {
    assertThat(TRAINING.infer(X, V, V)).isEqualTo(Shape.tuple(X, V, V));
    assertThat(INFERENCE.infer(X, V, V, V, V)).isEqualTo(X);
    assertThat(GRAD.infer(X, V, V, V, X)).isEqualTo(Shape.tuple(X, V, V));
    Shape.Array dynamic = X.withDynamic(List.of(0, 1));
    Shape.Array vector = V.withDynamic(List.of(0));
    assertThat(TRAINING.infer(dynamic, vector, vector))
        .isEqualTo(Shape.tuple(dynamic, vector, vector));
  }

  @Test
  void operand() {
    refused(
        "batch_norm_training C1",
        "feature_index got 2, want a dimension of f32[4,3]",
        new BatchNormTraining(0, 2),
        X,
        V,
        V);
    refused(
        "batch_norm_inference C1",
        "feature_index got -1, want a dimension of f32[4,3]",
        new BatchNormInference(0, -1),
        X,
        V,
        V,
        V,
        V);
    refused(
        "batch_norm_grad C1",
        "feature_index got 0, want a dimension of f32[]",
        new BatchNormGrad(0, 0),
        Shape.of(F32),
        V,
        V,
        V,
        X);
    refused(
        "batch_norm_training C2",
        "element type of operand got s32, want float",
        TRAINING,
        X.withElementType(S32),
        V,
        V);
    refused("", "operand count got 4, want 5", INFERENCE, X, V, V, V);
  }

  private static String type(String role) {
    return "element type of " + role + " got f16[3], want that of operand, f32[4,3]";
  }

  private static String size(String role) {
    return role
        + " got f32[4], want f32[3]: a value for each index of dimension 1 of operand"
        + " f32[4,3]";
  }

  @Test
  void vectors() {
    refused("batch_norm_training C2", type("scale"), TRAINING, X, HALF, V);
    refused("batch_norm_training C2", type("offset"), TRAINING, X, V, HALF);
    refused("batch_norm_training C3", size("scale"), TRAINING, X, SHORT, V);
    refused("batch_norm_training C4", size("offset"), TRAINING, X, V, SHORT);
    refused("batch_norm_inference C2", type("mean"), INFERENCE, X, V, V, HALF, V);
    refused("batch_norm_inference C3", size("scale"), INFERENCE, X, SHORT, V, V, V);
    refused("batch_norm_inference C4", size("offset"), INFERENCE, X, V, SHORT, V, V);
    refused("batch_norm_inference C5", size("mean"), INFERENCE, X, V, V, SHORT, V);
    refused("batch_norm_inference C6", size("variance"), INFERENCE, X, V, V, V, SHORT);
    refused("batch_norm_grad C2", type("variance"), GRAD, X, V, V, HALF, X);
    refused("batch_norm_grad C5", size("scale"), GRAD, X, SHORT, V, V, X);
    refused("batch_norm_grad C4", size("mean"), GRAD, X, V, SHORT, V, X);
    refused("batch_norm_grad C4", size("variance"), GRAD, X, V, V, SHORT, X);
    refused(
        "batch_norm_grad C3",
        "grad_output got f32[3,4], want that of operand, f32[4,3]",
        GRAD,
        X,
        V,
        V,
        V,
        Shape.of(F32, 3, 4));
  }
}
