package org.hlo4j.tools.graph;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.Hashing;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HtmlGraphTest {
  private static final String CALL =
      """
      HloModule call
      twice { p = f32[] parameter(0) ROOT d = f32[] add(p, p) }
      ENTRY e {
        x = f32[] parameter(0)
        ROOT y = f32[] call(x), to_apply=twice,
          metadata={op_name="jit(f)/g" source_file="a \\"b\\".py" source_line=3}
      }
      """;

  @Test
  void pageEmbedsProgram() {
    String page = GraphPages.page(CALL);
    assertThat(page).contains("<title>call - hlo4j</title>");
    assertThat(page).doesNotContainMatch("@[\\w.-]+@|<link|@import|url\\((?!#)|fetch\\(");
    assertThat(GraphPages.program(page))
        .isEqualTo(
            JsonParser.parseString(
                """
                {"name":"call","computations":[
                  {"name":"twice","entry":false,"root":1,"nodes":[
                    ["p","parameter","f32[]",[],[],"%p = f32[] parameter(0)","","",0,""],
                    ["d","add","f32[]",[0,0],[],"ROOT %d = f32[] add(%p, %p)","","",0,""]],
                   "items":[0,1]},
                  {"name":"e","entry":true,"root":1,"nodes":[
                    ["x","parameter","f32[]",[],[],"%x = f32[] parameter(0)","","",0,""],
                    ["y","call","f32[]",[0],[0],
                      "ROOT %y = f32[] call(%x), to_apply=%twice, metadata={op_name=\\"jit(f)/g\\" \
                source_file=\\"a \\\\\\"b\\\\\\".py\\" source_line=3}",
                      "jit(f)/g","a \\"b\\".py",3,""]],
                   "items":[0,1]}]}
                """));
  }

  @Test
  void layoutLibraryIsUnchanged() {
    String library = GraphPages.part(GraphPages.page(CALL), "elk");
    assertThat(Hashing.sha256().hashString(library, UTF_8).toString())
        .isEqualTo("dca3a19d9ec37f5634bf5876b4ebd2455c3f43f0d32570136c13c13edaba9bfb");
  }

  /** Who looks for licences reads these. */
  @ParameterizedTest
  @CsvSource({
    "src/main/resources/org/hlo4j/tools/graph/graph.html, elkjs 0.12.1",
    "../NOTICE, elkjs 0.12.1",
    "../config/ElkInSbom.java, pkg:npm/elkjs@0.12.1",
    "../CONTRIBUTING.md, elkjs 0.12.1",
    "../README.md, elkjs (EPL-2.0)"
  })
  void layoutLibraryIsNamed(Path file, String name) throws IOException {
    assertThat(Files.readString(file)).contains(name);
  }

  @Test
  void programTextCannotBreakPage() {
    String evil = "</script><b>\u2028'@program@ é $1";
    String page = GraphPages.page(CALL.replace("jit(f)/g", evil));
    assertThat(page.split("<", -1)).hasLength(GraphPages.page(CALL).split("<", -1).length);
    assertThat(page).doesNotContain("\u2028");
    assertThat(GraphPages.part(page, "program")).contains("$1\"");
  }

  /** A chain of instructions, each of which uses the previous one. */
  private static String chain(int count, IntFunction<String> scope) {
    return IntStream.range(1, count)
        .mapToObj(i -> "n%d = f32[] negate(n%d)%s\n".formatted(i, i - 1, scope.apply(i)))
        .collect(Collectors.joining("", "HloModule m\nENTRY e {\nn0 = f32[] parameter(0)\n", "}\n"))
        .replace("\nn%d =".formatted(count - 1), "\nROOT n%d =".formatted(count - 1));
  }

  private static String in(String scope) {
    return ", metadata={op_name=\"jit(f)/" + scope + "/neg\"}";
  }

  @Test
  void scopesBecomeGroups() {
    assertThat(GraphPages.items(chain(7, i -> in("layer_" + (i - 1) / 3))))
        .isEqualTo("[['layer_0',[0,1,2,3]],['layer_1',[4,5,6]]]");
    // A group is a run of consecutive instructions of one scope.
    assertThat(GraphPages.items(chain(10, i -> in(i < 4 || i > 6 ? "a" : "b"))))
        .isEqualTo("[['a',[0,1,2,3]],['b',[4,5,6]],['a',[7,8,9]]]");
    // Two instructions form no group; a group that only contains one group is merged with it.
    assertThat(GraphPages.items(chain(9, i -> in(i < 2 ? "a" : i < 6 ? "b/c" : "d"))))
        .isEqualTo("[0,1,['b/c',[2,3,4,5]],['d',[6,7,8]]]");
  }

  @Test
  void interleavedScopesAreGrouped() {
    String mixed =
        """
        HloModule m
        ENTRY e {
          x = f32[] parameter(0)
          a1 = f32[] negate(x), metadata={op_name="f/a/n"}
          b1 = f32[] negate(x), metadata={op_name="f/b/n"}
          a2 = f32[] negate(a1), metadata={op_name="f/a/n"}
          b2 = f32[] negate(b1), metadata={op_name="f/b/n"}
          a3 = f32[] negate(a2), metadata={op_name="f/a/n"}
          b3 = f32[] negate(b2), metadata={op_name="f/b/n"}
          ROOT y = f32[] add(a3, b3), metadata={op_name="f/n"}
        }
        """;
    assertThat(GraphPages.items(mixed)).isEqualTo("[0,['a',[1,3,5]],['b',[2,4,6]],7]");
  }

  @Test
  void smallConstantsAreInlinedIntoUsers() {
    String page =
        GraphPages.page(
            """
            HloModule m
            ENTRY e {
              half = f32[] constant(0.5)
              all = f32[9] broadcast(half), dimensions={}
              x = f32[9] parameter(0)
              table = f32[9] constant({1, 2, 3, 4, 5, 6, 7, 8, 9})
              y = f32[9] multiply(x, all)
              ROOT z = f32[9] add(y, table)
            }
            """);
    JsonArray nodes =
        GraphPages.program(page)
            .getAsJsonObject()
            .getAsJsonArray("computations")
            .get(0)
            .getAsJsonObject()
            .getAsJsonArray("nodes");
    StringBuilder values = new StringBuilder();
    for (JsonElement node : nodes) {
      values.append(node.getAsJsonArray().get(0).getAsString()).append('=');
      values.append(node.getAsJsonArray().get(9).getAsString()).append(' ');
    }
    assertThat(values.toString()).isEqualTo("half=0.5 all=0.5 x= table= y= z= ");
  }

  @Test
  void groupSizeIsBounded() {
    String items = GraphPages.items(chain(30_000, _ -> ""));
    JsonArray all = JsonParser.parseString(items).getAsJsonArray();
    assertThat(longest(all)).isAtMost(GraphGroups.MAX_ITEMS);
    assertThat(all.get(0).getAsJsonArray().get(0).getAsString()).startsWith("n0 … n");
  }

  private static int longest(JsonArray items) {
    int longest = items.size();
    for (JsonElement item : items) {
      if (item.isJsonArray()) {
        longest = Math.max(longest, longest(item.getAsJsonArray().get(1).getAsJsonArray()));
      }
    }
    return longest;
  }
}
