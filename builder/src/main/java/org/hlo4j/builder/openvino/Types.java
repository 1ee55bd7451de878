package org.hlo4j.builder.openvino;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Ascii;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Objects;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;

/** The text of element types in IR, which has two notations, and of shapes. */
final class Types {
  /** Parses attributes {@code element_type}. */
  private static final ImmutableMap<String, ElementType> NAMES =
      ImmutableMap.<String, ElementType>builder()
          .put("boolean", ElementType.PRED)
          .put("i8", ElementType.S8)
          .put("i16", ElementType.S16)
          .put("i32", ElementType.S32)
          .put("i64", ElementType.S64)
          .put("u8", ElementType.U8)
          .put("u16", ElementType.U16)
          .put("u32", ElementType.U32)
          .put("u64", ElementType.U64)
          .put("f16", ElementType.F16)
          .put("bf16", ElementType.BF16)
          .put("f32", ElementType.F32)
          .put("f64", ElementType.F64)
          .buildOrThrow();

  private Types() {}

  static ElementType named(String name) {
    require(
        NAMES.containsKey(name), "", "element type got %s, want one of %s", name, NAMES.keySet());
    return Objects.requireNonNull(NAMES.get(name));
  }

  /** Parses attributes {@code precision}: FP32 is f32, BOOL is boolean. */
  static ElementType precision(String name) {
    String lower = Ascii.toLowerCase(name);
    return named(lower.equals("bool") ? "boolean" : lower.replaceFirst("^fp", "f"));
  }

  /** Parses sizes separated by commas; the text is empty for a scalar. */
  static Dims sizes(Element element, String text) {
    List<Long> sizes =
        Splitter.on(',')
            .trimResults()
            .omitEmptyStrings()
            .splitToStream(text)
            .map(size -> size(element, size))
            .toList();
    return Dims.copyOf(sizes);
  }

  static long size(Element element, String text) {
    long size = element.number(text, "size");
    require(
        size >= 0,
        "",
        "line %s: size got %s, want at least 0: sizes of run time are not known here",
        element.line(),
        size);
    return size;
  }
}
