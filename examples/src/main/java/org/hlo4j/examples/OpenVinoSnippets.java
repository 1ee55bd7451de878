package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.F32;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.openvino.OpenVinoIr;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;

/**
 * The seven layers that OpenVINO's documents of Broadcast-1 and Broadcast-3 show, read as they
 * stand there, dots and port numbers and all. What the documents give in comments, the values of
 * target_shape and axes_mapping, is handed in. The written shape of the output is compared with the
 * one inferred.
 */
public final class OpenVinoSnippets {
  private OpenVinoSnippets() {}

  static HloModule read(String layer, Shape data, Dims... constants) {
    XlaBuilder b = new XlaBuilder("layer");
    XlaOp operand = b.parameter(0, data, "data");
    OpenVinoIr.Snippet read = OpenVinoIr.readLayer(layer, List.of(operand), constants);
    read.notes().forEach(note -> IO.println("note: " + note));
    return b.build(read.result());
  }

  static void main() {
    String first = " version=\"opset1\" type=";
    for (String version : List.of("Broadcast-1", "Broadcast-3")) {
      boolean one = version.equals("Broadcast-1");
      IO.println("# " + version + "\n");
      show(one ? NUMPY.replace(" type=", first) : NUMPY, f32(16, 1, 1), Dims.of(1, 16, 50, 50));
      show(
          one ? EXPLICIT.replace(" type=", first) : EXPLICIT,
          f32(16),
          Dims.of(1, 16, 50, 50),
          Dims.of(1));
      show(
          one ? EXPLICIT_MATRIX.replace(" type=", first) : EXPLICIT_MATRIX,
          f32(50, 50),
          Dims.of(1, 50, 50, 16),
          Dims.of(1, 2));
    }
    show(BIDIRECTIONAL, f32(16, 1, 1), Dims.of(1, 1, 50, 50));
  }

  private static Shape f32(long... sizes) {
    return Shape.of(F32, sizes);
  }

  private static void show(String layer, Shape data, Dims... constants) {
    IO.println(layer);
    HloModule module = read(layer, data, constants);
    Verifier.strict().verify(module);
    IO.println(Printer.print(module, PrintOptions.SHORT));
  }

  private static final String NUMPY =
      """
      <layer ... type="Broadcast" ...>
        <data mode="numpy"/>
        <input>
          <port id="0">
            <dim>16</dim>
            <dim>1</dim>
            <dim>1</dim>
          </port>
          <port id="1">
            <dim>4</dim> <!--The tensor contains 4 elements: [1, 16, 50, 50] -->
          </port>
        </input>
        <output>
          <port id="2">
            <dim>1</dim>
            <dim>16</dim>
            <dim>50</dim>
            <dim>50</dim>
          </port>
        </output>
      </layer>
      """;

  private static final String EXPLICIT =
      """
      <layer ... type="Broadcast" ...>
        <data mode="explicit"/>
        <input>
          <port id="0">
            <dim>16</dim>
          </port>
          <port id="1">
            <dim>4</dim> <!--The tensor contains 4 elements: [1, 16, 50, 50] -->
          </port>
          <port id="1">
            <dim>1</dim> <!--The tensor contains 1 elements: [1] -->
          </port>
        </input>
        <output>
          <port id="2">
            <dim>1</dim>
            <dim>16</dim>
            <dim>50</dim>
            <dim>50</dim>
          </port>
        </output>
      </layer>
      """;

  private static final String EXPLICIT_MATRIX =
      """
      <layer ... type="Broadcast" ...>
        <data mode="explicit"/>
        <input>
          <port id="0">
            <dim>50</dim>
            <dim>50</dim>
          </port>
          <port id="1">
            <dim>4</dim> <!--The tensor contains 4 elements: [1, 50, 50, 16] -->
          </port>
          <port id="1">
            <dim>2</dim> <!--The tensor contains 2 elements: [1, 2] -->
          </port>
        </input>
        <output>
          <port id="2">
            <dim>1</dim>
            <dim>50</dim>
            <dim>50</dim>
            <dim>16</dim>
          </port>
        </output>
      </layer>
      """;

  private static final String BIDIRECTIONAL =
      """
      <layer ... type="Broadcast" ...>
        <data mode="bidirectional"/>
        <input>
          <port id="0">
            <dim>16</dim>
            <dim>1</dim>
            <dim>1</dim>
          </port>
          <port id="1">
            <dim>4</dim> <!--The tensor contains 4 elements: [1, 1, 50, 50] -->
          </port>
        </input>
        <output>
          <port id="2">
            <dim>1</dim>
            <dim>16</dim>
            <dim>50</dim>
            <dim>50</dim>
          </port>
        </output>
      </layer>
      """;
}
