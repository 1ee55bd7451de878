package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.hlo.ElementType.F32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.openvino.OpenVinoIr;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

/** Import of layers and networks of OpenVINO's IR, and its errors. */
final class OpenVinoIrTest {
  private static final String SNIPPET =
      """
      <layer ... type="Broadcast" ...>
          <data mode="explicit"/>
          <input>
              <port id="0">
                  <dim>16</dim>
             </port>
              <port id="1">
                  <dim>4</dim>   <!--The tensor contains 4 elements: [1, 16, 50, 50] -->
              </port>
              <port id="1">
                  <dim>1</dim>   <!--The tensor contains 1 elements: [1] -->
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

  private static final String NET =
      """
      <?xml version="1.0"?>
      <net name="bias" version="11">
        <layers>
          <layer id="0" name="x" type="Parameter" version="opset1">
            <data element_type="f32" shape="2, 3"/>
            <output><port id="0" precision="FP32" names="x"><dim>2</dim><dim>3</dim></port></output>
          </layer>
          <layer id="1" name="bias" type="Const" version="opset1">
            <data element_type="f32" shape="3" offset="0" size="12"/>
            <output><port id="0" precision="FP32"><dim>3</dim></port></output>
          </layer>
          <layer id="2" name="add" type="Add" version="opset1">
            <data auto_broadcast="numpy"/>
            <input>
              <port id="0"><dim>2</dim><dim>3</dim></port>
              <port id="1"><dim>3</dim></port>
            </input>
            <output><port id="2" precision="FP32"><dim>2</dim><dim>3</dim></port></output>
          </layer>
          <layer id="3" name="target" type="Const" version="opset1">
            <data element_type="i64" shape="3" offset="12" size="24"/>
            <output><port id="0" precision="I64"><dim>3</dim></port></output>
          </layer>
          <layer id="4" name="repeat" type="Broadcast" version="opset3">
            <data mode="bidirectional"/>
            <input>
              <port id="0"><dim>2</dim><dim>3</dim></port>
              <port id="1"><dim>3</dim></port>
            </input>
            <output><port id="2" precision="FP32"><dim>4</dim><dim>2</dim><dim>3</dim></port></output>
          </layer>
          <layer id="5" name="result" type="Result" version="opset1">
            <input><port id="0"><dim>4</dim><dim>2</dim><dim>3</dim></port></input>
          </layer>
        </layers>
        <edges>
          <edge from-layer="4" from-port="2" to-layer="5" to-port="0"/>
          <edge from-layer="3" from-port="0" to-layer="4" to-port="1"/>
          <edge from-layer="2" from-port="2" to-layer="4" to-port="0"/>
          <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
          <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
        </edges>
        <rt_info/>
      </net>
      """;

  private static byte[] weights() {
    ByteBuffer bytes = ByteBuffer.allocate(36).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putFloat(1).putFloat(2).putFloat(3).putLong(4).putLong(1).putLong(1);
    return bytes.array();
  }

  private static void netRefused(String from, String to, String message) {
    assertThat(NET).contains(from);
    HloException refusal =
        assertThrows(
            HloException.class, () -> OpenVinoIr.readNet(NET.replace(from, to), weights()));
    assertThat(refusal.getMessage().lines().findFirst().orElse("")).isEqualTo(message);
  }

  private static XlaOp data(long... sizes) {
    return new XlaBuilder("snippet").parameter(0, Shape.of(F32, sizes), "data");
  }

  @Test
  void readsSnippetOfDocumentation() {
    OpenVinoIr.Snippet read =
        OpenVinoIr.readLayer(SNIPPET, List.of(data(16)), Dims.of(1, 16, 50, 50), Dims.of(1));
    assertThat(read.notes()).containsExactly("port 2 has id 1, as one before: taken by place");
    assertThat(Texts.built(read.result().builder()))
        .isEqualTo(
            """
            ENTRY snippet {
              data = f32[16] parameter(0)
              ROOT broadcast = f32[1,16,50,50] broadcast(data), dimensions={1}
            }
            """);
  }

  @Test
  void readsNetwork() {
    assertThat(Texts.printed(OpenVinoIr.readNet(NET, weights())))
        .isEqualTo(
            """
            ENTRY bias {
              x = f32[2,3] parameter(0)
              constant = f32[3] constant({1, 2, 3})
              broadcast = f32[2,3] broadcast(constant), dimensions={1}
              add = f32[2,3] add(x, broadcast)
              ROOT broadcast.1 = f32[4,2,3] broadcast(add), dimensions={1,2}
            }
            """);
  }

  @Test
  void everyElementwiseLayer() {
    for (String type :
        List.of(
            "Add",
            "Subtract",
            "Multiply",
            "Divide",
            "Maximum",
            "Minimum",
            "Mod",
            "FloorMod",
            "SquaredDifference",
            "Power",
            "PReLU")) {
      assertThat(read(type, "opset1", Shape.of(F32, 2, 3), Shape.of(F32, 3)))
          .isEqualTo(Shape.of(F32, 2, 3));
    }
    for (String type :
        List.of("Equal", "NotEqual", "Greater", "GreaterEqual", "Less", "LessEqual")) {
      assertThat(read(type, "opset1", Shape.of(F32, 2, 3), Shape.of(F32, 3)))
          .isEqualTo(Shape.of(org.hlo4j.hlo.ElementType.PRED, 2, 3));
    }
    Shape.Array preds = Shape.of(org.hlo4j.hlo.ElementType.PRED, 2, 3);
    for (String type : List.of("LogicalAnd", "LogicalOr", "LogicalXor")) {
      assertThat(read(type, "opset1", preds, preds)).isEqualTo(preds);
    }
    Shape.Array integers = Shape.of(org.hlo4j.hlo.ElementType.S32, 2, 3);
    for (String type :
        List.of(
            "BitwiseAnd",
            "BitwiseOr",
            "BitwiseXor",
            "BitwiseLeftShift",
            "BitwiseRightShift",
            "FloorMod",
            "divide")) {
      assertThat(read(type, "opset15", integers, integers)).isEqualTo(integers);
    }
    assertThat(read("Atan2", "opset17", Shape.of(F32, 2, 3), Shape.of(F32)))
        .isEqualTo(Shape.of(F32, 2, 3));
  }

  private static Shape read(String type, String version, Shape.Array first, Shape.Array second) {
    XlaBuilder b = new XlaBuilder("layer");
    List<XlaOp> inputs = List.of(b.parameter(0, first, "a"), b.parameter(1, second, "b"));
    String layer =
        "<layer type='%s' version='%s'><input>%s%s</input><output>%s</output></layer>"
            .formatted(type, version, port(0, first), port(1, second), port(2, first));
    return OpenVinoIr.readLayer(layer, inputs).result().shape();
  }

  private static String port(int id, Shape.Array shape) {
    StringBuilder dims = new StringBuilder();
    shape.sizes().stream().forEach(size -> dims.append("<dim>").append(size).append("</dim>"));
    return "<port id='" + id + "'>" + dims + "</port>";
  }

  private static String layer(String type, String attributes, String extra) {
    return ("<layer type='%s' %s>%s<input><port id='0'><dim>2</dim><dim>3</dim></port>"
            + "<port id='1'><dim>2</dim></port></input>"
            + "<output><port id='2'><dim>2</dim><dim>3</dim></port></output></layer>")
        .formatted(type, attributes, extra);
  }

  private static String refusal(String layer) {
    XlaBuilder b = new XlaBuilder("layer");
    List<XlaOp> inputs =
        List.of(b.parameter(0, Shape.of(F32, 2, 3), "a"), b.parameter(1, Shape.of(F32, 2), "b"));
    HloException refusal =
        assertThrows(HloException.class, () -> OpenVinoIr.readLayer(layer, inputs));
    return refusal.getMessage().lines().findFirst().orElse("");
  }

  @Test
  void pdpdBroadcastReadsAxis() {
    XlaOp a = data(2, 3);
    XlaOp b = a.builder().parameter(1, Shape.of(F32, 2), "b");
    String data = "<data auto_broadcast='pdpd' auto_broadcast_axis='0'/>";
    OpenVinoIr.Snippet read = OpenVinoIr.readLayer(layer("Add", "", data), List.of(a, b));
    assertThat(read.result().shape()).isEqualTo(Shape.of(F32, 2, 3));
    assertThat(read.notes()).isEmpty();
  }

  @Test
  void invalidLayersAreRejected() {
    assertThat(refusal(layer("Add", "", "")))
        .isEqualTo(
            "layer Add (line 1): add: cannot broadcast a with b by numpy(): dimension 0 of b has"
                + " size 2, dimension 1 of a has size 3, want equal sizes or 1 [numpy N1]");
    assertThat(refusal(layer("Softmax", "", "")))
        .isEqualTo(
            "layer Softmax (line 1): type got Softmax of opset3, want one that this reader knows:"
                + " see OpenVinoIr");
    assertThat(refusal(layer("Add", "version='opset99'", "")))
        .isEqualTo("layer Add (line 1): version got opset99, want opset1 to opset17");
    assertThat(refusal(layer("BitwiseAnd", "version='opset1'", "")))
        .isEqualTo("layer BitwiseAnd (line 1): version got opset1, want at least opset13");
    assertThat(refusal(layer("Add", "", "<data auto_broadcast='numpy' speed='1'/>")))
        .isEqualTo(
            "layer Add (line 1): attribute got speed, want one of [auto_broadcast,"
                + " auto_broadcast_axis]");
    assertThat(refusal(layer("Add", "", "<data auto_broadcast='magic'/>")))
        .isEqualTo("layer Add (line 1): auto_broadcast got magic, want none, numpy or pdpd");
    assertThat(refusal(layer("Add", "", "<data auto_broadcast_axis='1'/>")))
        .isEqualTo(
            "layer Add (line 1): auto_broadcast_axis got 1 with auto_broadcast numpy, want it with"
                + " pdpd only");
    assertThat(
            refusal(
                layer("Add", "", "<data/>")
                    .replace("<dim>2</dim></port></input>", "<dim>5</dim></port></input>")))
        .isEqualTo(
            "layer Add (line 1): sizes of input 1 got (5) as written, want (2) as of f32[2]");
    assertThat(refusal(layer("LogicalAnd", "", "")))
        .isEqualTo("layer LogicalAnd (line 1): element type of an input got f32, want booleans");
    assertThat(refusal(layer("Broadcast", "", "")))
        .isEqualTo(
            "layer Broadcast (line 1): target_shape got a value of run time, want a constant");
    assertThat(refusal(layer("Add", "", "<port/>")))
        .isEqualTo(
            "layer Add (line 1): line 1: <layer> got <port>, want one of [data, input, output,"
                + " rt_info]");
    assertThat(refusal("<net/>")).isEqualTo("readLayer: got <net>, want <layer>");
    assertThat(refusal("<layer/>"))
        .isEqualTo("layer of no type (line 1): line 1: <layer> got no attribute type, want one");
  }

  @Test
  void declaredOutputIsChecked() {
    String layer =
        layer("Add", "", "<data auto_broadcast='pdpd' auto_broadcast_axis='0'/>")
            .replace("<port id='2'><dim>2</dim>", "<port id='2'><dim>7</dim>");
    assertThat(refusal(layer))
        .isEqualTo(
            "layer Add (line 1): sizes of output got (7, 3) as written, want (2, 3) as of"
                + " f32[2,3]");
    assertThat(
            refusal(
                layer("Add", "", "<data auto_broadcast='pdpd' auto_broadcast_axis='0'/>")
                    .replace("<port id='2'>", "<port id='2' precision='I32'>")))
        .isEqualTo("layer Add (line 1): precision of output got s32 as written, want f32");
  }

  @Test
  void axesMappingNeedsExplicitMode() {
    HloException refusal =
        assertThrows(
            HloException.class,
            () ->
                OpenVinoIr.readLayer(
                    SNIPPET.replace(" mode=\"explicit\"", ""),
                    List.of(data(16)),
                    Dims.of(1, 16, 50, 50),
                    Dims.of(1)));
    assertThat(refusal.summary())
        .isEqualTo(
            "layer Broadcast (line 1): broadcast: axes_mapping got (1) in mode numpy, want none, or"
                + " mode explicit");
  }

  @Test
  void invalidNetworksAreRejected() {
    netRefused("version=\"11\"", "version=\"7\"", "readNet: version got 7, want 10 or 11");
    netRefused(
        "id=\"3\" name=\"target\"",
        "id=\"1\" name=\"target\"",
        "line 20: id of a layer got 1, which another has, want another");
    netRefused(
        "size=\"12\"",
        "size=\"16\"",
        "layer Const bias (line 8): size got 16, want 4 bytes for each element of f32[3]");
    netRefused(
        "offset=\"12\"",
        "offset=\"13\"",
        "layer Const target (line 20): offset and size got 13 and 24, want them within the 36 bytes"
            + " of the weights");
    netRefused(
        "element_type=\"i64\"",
        "element_type=\"f32\"",
        "layer Const target (line 20): precision of output got s64 as written, want f32");
    netRefused(
        "from-layer=\"0\" from-port=\"0\"",
        "from-layer=\"9\" from-port=\"0\"",
        "line 41: edge got layer 9, want one there is");
    netRefused(
        "to-layer=\"2\" to-port=\"0\"",
        "to-layer=\"2\" to-port=\"1\"",
        "line 41: edge to port 1 of layer 2 got a second one, want one");
    netRefused(
        "to-layer=\"2\" to-port=\"0\"",
        "to-layer=\"2\" to-port=\"7\"",
        "line 41: edge got port 7 of layer 2, want one of [0, 1]");
    netRefused(
        "from-layer=\"0\" from-port=\"0\"",
        "from-layer=\"4\" from-port=\"2\"",
        "readNet: edges got a cycle, want none");
    netRefused(
        "shape=\"2, 3\"",
        "shape=\"-1, 3\"",
        "layer Parameter x (line 4): line 4: size got -1, want at least 0: sizes of run time are"
            + " not known here");
    netRefused(
        "<rt_info/>",
        "<hack/>",
        "line 43: <net> got <hack>, want one of [edges, layers, meta_data, rt_info]");
    netRefused(
        "version=\"11\"",
        "version=\"x\"",
        "line 2: version of <net> got \"x\", want a whole number");
  }

  @Test
  void hostileXmlIsRejected() {
    for (String xml :
        List.of(
            "<!DOCTYPE net [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><net>&x;</net>",
            "<!DOCTYPE net SYSTEM \"http://localhost:1/evil.dtd\"><net/>",
            "<!DOCTYPE l [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><net name=\"&b;\"/>",
            "<net>&x;</net>",
            "<?xml-stylesheet href=\"a\"?><net/>",
            "<net>text</net>",
            "<net",
            "",
            "\u0000",
            "<a>".repeat(100_000),
            "<net>" + "<a/>".repeat(600_000) + "</net>",
            " ".repeat(17 << 20),
            "<dim>3</dim>",
            "<net><dim><dim>1</dim></dim></net>",
            "<net xmlns:a='u' xmlns:b='v' a:x='1' b:x='2'/>")) {
      HloException refusal =
          assertThrows(HloException.class, () -> OpenVinoIr.readNet(xml, new byte[0]));
      assertThat(refusal.getMessage()).doesNotContain("root:");
      assertThat(refusal.getMessage()).isNotEmpty();
    }
    assertThrows(
        HloException.class, () -> OpenVinoIr.readNet(Refusals.nullOf(String.class), new byte[0]));
  }

  @Test
  void mutatedNetworksParseOrFailCleanly() {
    Random random = new Random(1);
    int refused = 0;
    for (int i = 0; i < 2000; i++) {
      StringBuilder xml = new StringBuilder(NET);
      for (int j = 0; j <= i % 3; j++) {
        int at = random.nextInt(xml.length());
        switch (random.nextInt(3)) {
          case 0 -> xml.deleteCharAt(at);
          case 1 -> xml.setCharAt(at, "0123456789<>/\"&-a ".charAt(random.nextInt(18)));
          default -> xml.insert(at, "9<>\"/".charAt(random.nextInt(5)));
        }
      }
      try {
        OpenVinoIr.readNet(xml.toString(), weights());
      } catch (HloException expected) {
        refused++;
      } catch (RuntimeException other) {
        assertWithMessage("%s\n%s", other, xml).fail();
      }
    }
    assertThat(refused).isGreaterThan(1000);
  }
}
