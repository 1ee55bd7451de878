package org.hlo4j.benchmarks.peers;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.hlo4j.benchmarks.Server;

/**
 * A server of the workloads that uses ONNX Runtime. It builds the models itself, and selects them
 * by name.
 */
public final class OnnxServer {
  private static final OrtEnvironment ENVIRONMENT = OrtEnvironment.getEnvironment();

  private OnnxServer() {}

  /**
   * Runs the server.
   *
   * @param args none
   * @throws Exception if a program fails
   */
  public static void main(String[] args) throws Exception {
    Server.serve(OnnxServer::program);
  }

  private static Server.Program program(Path folder) throws OrtException {
    OnnxModel model = new OnnxModel();
    byte[] bytes = built(folder.getFileName().toString(), model);
    OrtSession session = session(bytes);
    Map<String, OnnxTensor> inputs = new HashMap<>();
    Random random = new Random(1);
    for (Map.Entry<String, long[]> input : model.inputs().entrySet()) {
      inputs.put(input.getKey(), tensor(input.getValue(), random));
    }
    return new Server.Program() {
      @Override
      public void run() throws OrtException {
        session.run(inputs).close();
      }

      @Override
      public void compile() throws OrtException {
        session(bytes).close();
      }
    };
  }

  private static OrtSession session(byte[] model) throws OrtException {
    OrtSession.SessionOptions options = new OrtSession.SessionOptions();
    options.setIntraOpNumThreads(Runtime.getRuntime().availableProcessors());
    return ENVIRONMENT.createSession(model, options);
  }

  private static OnnxTensor tensor(long[] sizes, Random random) throws OrtException {
    int count = 1;
    for (long size : sizes) {
      count *= (int) size;
    }
    FloatBuffer values =
        ByteBuffer.allocateDirect(4 * count).order(ByteOrder.nativeOrder()).asFloatBuffer();
    for (int i = 0; i < count; i++) {
      values.put(i, (float) random.nextGaussian());
    }
    return OnnxTensor.createTensor(ENVIRONMENT, values, sizes);
  }

  private static byte[] built(String name, OnnxModel m) {
    return switch (name) {
      case "matmul512", "matmul1024", "matmul2048" ->
          matmul(m, Integer.parseInt(name.substring("matmul".length())));
      case "fma" -> {
        long n = 1 << 24;
        yield m.bytes(m.node("Add", m.node("Mul", m.input(n), m.input(n)), m.input(n)), n);
      }
      case "chain" -> {
        long n = 1 << 22;
        String scaled = m.node("Mul", m.node("Exp", m.input(n)), m.scalar(0.5f));
        yield m.bytes(m.node("Tanh", m.node("Add", scaled, m.input(n))), n);
      }
      case "gelu" -> {
        long n = 1 << 22;
        List<Proto> form = List.of(OnnxModel.word("approximate", "tanh"));
        yield m.bytes(m.node("Gelu", form, m.input(n)), n);
      }
      case "softmax" -> {
        List<Proto> last = List.of(OnnxModel.integer("axis", -1));
        yield m.bytes(m.node("Softmax", last, m.input(1024, 4096)), 1024, 4096);
      }
      case "layernorm" -> {
        List<Proto> how = List.of(OnnxModel.integer("axis", -1), OnnxModel.real("epsilon", 1e-5f));
        String x = m.input(1024, 4096);
        String result = m.node("LayerNormalization", how, x, m.input(4096), m.input(4096));
        yield m.bytes(result, 1024, 4096);
      }
      case "sum0", "sum1" -> {
        List<Proto> drop = List.of(OnnxModel.integer("keepdims", 0));
        String x = m.input(4096, 4096);
        yield m.bytes(m.node("ReduceSum", drop, x, m.index(name.equals("sum0") ? 0 : 1)), 4096);
      }
      case "transpose" -> {
        List<Proto> order = List.of(OnnxModel.integers("perm", 1, 0));
        yield m.bytes(m.node("Transpose", order, m.input(4096, 4096)), 4096, 4096);
      }
      case "conv" -> {
        List<Proto> same = List.of(OnnxModel.integers("pads", 1, 1, 1, 1));
        String x = m.input(1, 64, 56, 56);
        yield m.bytes(m.node("Conv", same, x, m.input(64, 64, 3, 3)), 1, 64, 56, 56);
      }
      case "mlp" -> {
        String x = m.input(128, 784);
        String h1 = m.node("Relu", layer(m, x, 784, 512));
        String h2 = m.node("Relu", layer(m, h1, 512, 512));
        yield m.bytes(layer(m, h2, 512, 10), 128, 10);
      }
      case "scalar" -> m.bytes(m.node("Add", m.input(), m.input()));
      case "twenty" -> {
        String x = m.input(8);
        String y = m.input(8);
        for (int i = 1; i <= 20; i++) {
          x = m.node(List.of("Add", "Mul", "Sub", "Max").get(i % 4), x, y);
        }
        yield m.bytes(x, 8);
      }
      default -> throw new IllegalArgumentException("no model of it");
    };
  }

  private static byte[] matmul(OnnxModel m, long n) {
    return m.bytes(m.node("MatMul", m.input(n, n), m.input(n, n)), n, n);
  }

  private static String layer(OnnxModel m, String x, long inputs, long outputs) {
    return m.node("Add", m.node("MatMul", x, m.input(inputs, outputs)), m.input(outputs));
  }
}
