import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Adds elkjs to the SBOMs of hlo4j-tools: its jar contains it, but it is no Maven artifact that the
 * plugin would find.
 */
final class ElkInSbom {
  private static final String PURL = "pkg:npm/elkjs@0.12.1";
  private static final String TOOLS = "pkg:maven/org.hlo4j/hlo4j-tools@";
  private static final String TEXT = "lib/elk-worker.min.js, the Eclipse Layout Kernel, unchanged";
  private static final String SOURCE = "https://github.com/kieler/elkjs";

  private static final String JSON =
      """

      {
        "type" : "library",
        "bom-ref" : "%1$s",
        "name" : "elkjs",
        "version" : "%2$s",
        "description" : "%3$s",
        "scope" : "required",
        "licenses" : [
          {
            "license" : {
              "id" : "EPL-2.0"
            }
          }
        ],
        "purl" : "%1$s",
        "externalReferences" : [
          {
            "type" : "vcs",
            "url" : "%4$s"
          }
        ]
      },\
      """;

  private static final String XML =
      """

      <component type="library" bom-ref="%1$s">
        <name>elkjs</name>
        <version>%2$s</version>
        <description>%3$s</description>
        <scope>required</scope>
        <licenses>
          <license>
            <id>EPL-2.0</id>
          </license>
        </licenses>
        <purl>%1$s</purl>
        <externalReferences>
          <reference type="vcs">
            <url>%4$s</url>
          </reference>
        </externalReferences>
      </component>\
      """;

  private ElkInSbom() {}

  public static void main(String[] args) throws IOException {
    Path json = Path.of(args[0], "bom.json");
    insert(json, "\n  \"components\" : [", "", JSON);
    insert(json, "\n      \"ref\" : \"" + TOOLS, "\"dependsOn\" : [", "\n        \"%1$s\",");
    Path xml = Path.of(args[0], "bom.xml");
    insert(xml, "\n  <components>", "", XML);
    insert(xml, "\n    <dependency ref=\"" + TOOLS, ">", "\n      <dependency ref=\"%1$s\"/>");
  }

  /** Inserts lines after the first {@code end} that follows {@code start}. */
  private static void insert(Path file, String start, String end, String lines) throws IOException {
    String text = Files.readString(file);
    int from = text.indexOf(start);
    int at = from < 0 ? -1 : text.indexOf(end, from + start.length());
    if (at < 0) {
      throw new IOException(file + ": got no " + start.strip() + " … " + end);
    }
    int place = at + end.length();
    String version = PURL.substring(PURL.indexOf('@') + 1);
    String inserted = lines.formatted(PURL, version, TEXT, SOURCE);
    Files.writeString(file, text.substring(0, place) + inserted + text.substring(place));
  }
}
