package org.hlo4j.builder.openvino;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.xml.XMLConstants;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.hlo4j.hlo.HloException;

/**
 * A reader of untrusted XML: no document types, no entities except the five predefined ones, no
 * external resources, and limits on all sizes.
 */
final class SafeXml {
  private static final int MAX_CHARACTERS = 16 << 20;
  private static final int MAX_ELEMENTS = 500_000;
  private static final int MAX_DEPTH = 32;

  private final Deque<Element> open = new ArrayDeque<>();
  private Optional<Element> root = Optional.empty();
  private final StringBuilder text = new StringBuilder();
  private int elements;

  private SafeXml() {}

  static Element parse(String xml) {
    require(xml != null, "", "XML is null");
    require(
        xml.length() <= MAX_CHARACTERS,
        "",
        "XML got %s characters, want at most %s",
        xml.length(),
        MAX_CHARACTERS);
    try {
      return new SafeXml().read(factory().createXMLStreamReader(new StringReader(xml)));
    } catch (XMLStreamException malformed) {
      throw new HloException("", "XML got what is not well-formed: " + firstLine(malformed));
    }
  }

  private static String firstLine(XMLStreamException malformed) {
    int line = malformed.getLocation() == null ? 0 : malformed.getLocation().getLineNumber();
    String message = String.valueOf(malformed.getMessage());
    String reason = message.replaceAll("(?s).*Message: ", "").lines().findFirst().orElse("");
    return "line " + line + ": " + reason;
  }

  private static XMLInputFactory factory() {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, true);
    factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
    factory.setXMLResolver((publicId, systemId, base, namespace) -> {
      throw new XMLStreamException("external entity " + systemId);
    });
    return factory;
  }

  private Element read(XMLStreamReader reader) throws XMLStreamException {
    while (reader.hasNext()) {
      int event = reader.next();
      switch (event) {
        case XMLStreamConstants.START_ELEMENT -> start(reader);
        case XMLStreamConstants.END_ELEMENT -> end();
        case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> text(reader);
        case XMLStreamConstants.DTD, XMLStreamConstants.ENTITY_REFERENCE ->
            throw refused(reader, "a document type or entity, want none");
        case XMLStreamConstants.PROCESSING_INSTRUCTION ->
            throw refused(reader, "a processing instruction, want none");
        default -> {}
      }
    }
    return root.orElseThrow(() -> new HloException("", "XML got no element, want one"));
  }

  private static HloException refused(XMLStreamReader reader, String what) {
    return new HloException(
        "", "XML got, in line " + reader.getLocation().getLineNumber() + ", " + what);
  }

  private void start(XMLStreamReader reader) {
    int line = reader.getLocation().getLineNumber();
    require(++elements <= MAX_ELEMENTS, "", "XML got over %s elements, want fewer", MAX_ELEMENTS);
    require(
        open.size() < MAX_DEPTH,
        "",
        "XML got over %s elements in one another, in line %s, want fewer",
        MAX_DEPTH,
        line);
    ImmutableMap.Builder<String, String> attributes = ImmutableMap.builder();
    for (int i = 0; i < reader.getAttributeCount(); i++) {
      attributes.put(reader.getAttributeLocalName(i), reader.getAttributeValue(i));
    }
    Element element = new Element(reader.getLocalName(), unique(attributes, reader), line);
    if (open.isEmpty()) {
      root = Optional.of(element);
    } else {
      open.getLast().children().add(element);
    }
    open.addLast(element);
    text.setLength(0);
  }

  /**
   * Refuses attributes with the same local name in two namespaces, which are different in XML but
   * not here.
   */
  private static ImmutableMap<String, String> unique(
      ImmutableMap.Builder<String, String> attributes, XMLStreamReader reader) {
    try {
      return attributes.buildOrThrow();
    } catch (IllegalArgumentException twice) {
      throw refused(reader, "an attribute twice, want it once");
    }
  }

  private void text(XMLStreamReader reader) {
    if (reader.getText().isBlank()) {
      return;
    }
    boolean inDim = !open.isEmpty() && open.getLast().name().equals("dim");
    if (!inDim) {
      throw refused(reader, "text outside of <dim>, want none");
    }
    text.append(reader.getText());
  }

  /** Stores the text of a dim element as an attribute. */
  private void end() {
    Element element = open.removeLast();
    if (element.name().equals("dim") && !open.isEmpty()) {
      element.requireOnly(Set.of(), Set.of());
      List<Element> siblings = open.getLast().children();
      siblings.set(
          siblings.size() - 1,
          new Element("dim", ImmutableMap.of("size", text.toString()), element.line()));
    }
    text.setLength(0);
  }
}
