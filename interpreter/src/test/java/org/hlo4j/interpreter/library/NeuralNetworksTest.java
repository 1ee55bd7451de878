package org.hlo4j.interpreter.library;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Splitter;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.nn.Activations;
import org.hlo4j.builder.lib.nn.Attention;
import org.hlo4j.builder.lib.nn.Layers;
import org.hlo4j.builder.lib.nn.Reductions;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

/** The functions of neural networks against the values of JAX. */
final class NeuralNetworksTest {
  private static XlaOp applied(String call, List<XlaOp> in) {
    String function = call.replaceAll("\\(.*", "");
    int[] dims =
        Splitter.on(',')
            .omitEmptyStrings()
            .splitToStream(call.replaceAll("^[^(]*\\(?|\\)", ""))
            .mapToInt(Integer::parseInt)
            .toArray();
    XlaOp x = in.get(0);
    return switch (function) {
      case "relu" -> Activations.relu(x);
      case "relu6" -> Activations.relu6(x);
      case "leakyRelu" -> Activations.leakyRelu(x, 0.01);
      case "elu" -> Activations.elu(x, 1);
      case "sigmoid" -> Activations.sigmoid(x);
      case "silu" -> Activations.silu(x);
      case "softplus" -> Activations.softplus(x);
      case "gelu" -> Activations.gelu(x);
      case "geluExact" -> Activations.geluExact(x);
      case "softmax" -> Activations.softmax(x, dims);
      case "logSoftmax" -> Activations.logSoftmax(x, dims);
      case "sum" -> Reductions.sum(x, dims);
      case "max" -> Reductions.max(x, dims);
      case "min" -> Reductions.min(x, dims);
      case "mean" -> Reductions.mean(x, dims);
      case "variance" -> Reductions.variance(x, dims);
      case "logSumExp" -> Reductions.logSumExp(x, dims);
      case "argMax" -> Reductions.argMax(x, dims[0]);
      case "argMin" -> Reductions.argMin(x, dims[0]);
      case "oneHot" -> Layers.oneHot(x, 3, F32, dims[0]);
      case "layerNorm" -> Layers.layerNorm(x, in.get(1), in.get(2), 1e-5, dims[0]);
      case "rmsNorm" -> Layers.rmsNorm(x, in.get(1), 1e-5, dims[0]);
      case "dense" -> Layers.dense(x, in.get(1), in.get(2));
      case "embedding" -> Layers.embedding(x, in.get(1));
      case "crossEntropy" -> Layers.crossEntropy(x, in.get(1), dims[0]);
      case "attention" ->
          in.size() == 3
              ? Attention.attention(x, in.get(1), in.get(2))
              : Attention.attention(x, in.get(1), in.get(2), in.get(3));
      default -> throw new AssertionError(function);
    };
  }

  @ParameterizedTest
  @CsvFileSource(resources = "nn-rows.txt", delimiter = '|', maxCharsPerColumn = 4000)
  void valuesOfJax(String call, String operands, String result) {
    Literal[] inputs =
        Splitter.on(';').splitToStream(operands).map(Parser::parseLiteral).toArray(Literal[]::new);
    Literal got = Accuracy.run(in -> applied(call, in), inputs);
    LiteralSubject.assertThat(got).isWithinUlps(8, Parser.parseLiteral(result));
  }

  @Test
  void causalMask() {
    XlaBuilder b = new XlaBuilder("mask");
    LiteralSubject.assertThat(Evaluators.both().run(b.build(Attention.causalMask(b, 2, 3))))
        .holds(new boolean[][] {{true, false, false}, {true, true, false}});
  }

  @Test
  void batchNormCountsTheFeaturesFromTheEnd() {
    Literal x = Literal.of(new float[][] {{1, 2}, {3, 4}});
    Literal got =
        Accuracy.run(
            in -> {
              XlaOp one = in.get(1).add(1);
              return Layers.batchNorm(in.get(0), one, in.get(1), in.get(1), one, 3, -1);
            },
            x,
            Literal.of(new float[] {0, 15}));
    LiteralSubject.assertThat(got)
        .isWithinUlps(1, Literal.of(new float[][] {{0.5f, -32.71847f}, {1.5f, -25.377169f}}));
  }

  private static void refused(String message, Function<XlaOp, XlaOp> program) {
    XlaBuilder b = new XlaBuilder("bad");
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    Supplier<XlaOp> call = () -> program.apply(x);
    HloException refusal = assertThrows(HloException.class, call::get);
    assertThat(refusal.summary()).isEqualTo(message);
    assertThat(refusal.getMessage()).contains("at NeuralNetworksTest.java:");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          softmax(2)   | softmax: dimension got 2, want one of f32[2,3]
          sum(-3)      | sum: dimension got -3, want one of f32[2,3]
          max(1,-1)    | max: dimensions got [1, -1] of f32[2,3], want none of them twice
          argMax(-3)   | argMax: dimension got -3, want one of f32[2,3]
          oneHot(0)    | oneHot: indices got f32[2,3], want integers
          """)
  void refusals(String call, String message) {
    refused(message, x -> applied(call, List.of(x)));
  }

  @Test
  void refusalsOfOperands() {
    refused(
        "mean: x got s32[2,3], want an array of floats, such as x.convertElementType(F32)",
        x -> Reductions.mean(x.convertElementType(S32), 0));
    refused("layerNorm: scale got f32[2,3], want f32[3]", x -> Layers.layerNorm(x, x, x, 1e-5, -1));
    refused(
        "crossEntropy: labels got s32[2,3], want s32[2]",
        x -> Layers.crossEntropy(x, x.convertElementType(S32), -1));
    refused(
        "attention: query got f32[2,3], want floats [batch, length, heads, features]",
        x -> Attention.attention(x, x, x));
  }

  @Test
  void refusalsOfKeys() {
    refused(
        "attention: key got f32[1,1,2,3], want batch and features of query f32[1,2,1,3], and heads"
            + " that divide its",
        x -> {
          XlaOp key = x.reshape(1, 1, 2, 3);
          return Attention.attention(x.reshape(1, 2, 1, 3), key, key);
        });
  }
}
