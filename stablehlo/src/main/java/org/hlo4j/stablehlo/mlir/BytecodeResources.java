package org.hlo4j.stablehlo.mlir;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The resources of a bytecode file: blobs that attributes refer to by name. */
final class BytecodeResources {
  private final BytecodeSections sections;

  /** The names of the resources of dialects, in the order of the file. */
  private final List<String> names = new ArrayList<>();

  private final Map<String, ByteReader> blobs = new HashMap<>();

  BytecodeResources(
      BytecodeSections sections, Optional<ByteReader> sizes, Optional<ByteReader> data) {
    this.sections = sections;
    sizes.ifPresent(each -> data.ifPresent(blobs -> read(each, blobs)));
  }

  private void read(ByteReader sizes, ByteReader data) {
    int external = sizes.count("groups of resources");
    for (int i = 0; i < external; i++) {
      sections.string(sizes);
      readGroup(sizes, data, false);
    }
    while (!sizes.isAtEnd()) {
      sizes.index(sections.dialects.size(), "dialect");
      readGroup(sizes, data, true);
    }
  }

  private void readGroup(ByteReader sizes, ByteReader data, boolean ofDialect) {
    int count = sizes.count("resources");
    for (int i = 0; i < count; i++) {
      String name = sections.string(sizes);
      long size = sizes.varint();
      int kind = sizes.readByte();
      int length =
          sizes.fitting(size, data.remaining(), "got resource %s of %s bytes, %s follow", name);
      ByteReader body = data.slice(length);
      if (ofDialect) {
        names.add(name);
      }
      if (kind == 0 && size > 0) {
        blobs.put(name, blob(body));
      }
    }
  }

  private static ByteReader blob(ByteReader body) {
    long alignment = body.varint();
    long length = body.varint();
    body.align(alignment);
    return body.slice(
        body.fitting(length, body.remaining(), "got %s of %s bytes, %s follow", "a blob"));
  }

  /** Reads the number of a resource, and returns its name. */
  String name(ByteReader in) {
    return names.get(in.index(names.size(), "resource"));
  }

  /** Returns the bytes of a resource, if the file has them. */
  Optional<ByteReader> data(String name) {
    return Optional.ofNullable(blobs.get(name)).map(ByteReader::new);
  }
}
