package org.hlo4j.hlo.file;

import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.proto.ProtoForm;

/** The format of a file, recognised by its content. */
public enum FileForm {
  /** HLO text: a module, computations, or a single instruction. */
  HLO_TEXT("HLO text"),
  /** An HloModuleProto. */
  HLO_MODULE_PROTO("an HloModuleProto"),
  /** An HloProto, as XLA dumps it. */
  HLO_PROTO("an HloProto"),
  /** An HloSnapshot: a module with arguments and result. */
  HLO_SNAPSHOT("an HloSnapshot"),
  /** MLIR bytecode, such as StableHLO's portable artifacts. */
  MLIR_BYTECODE("MLIR bytecode"),
  /** A function that jax.export saved: a flatbuffer around MLIR bytecode. */
  JAX_EXPORT("a jax.export file"),
  /** MLIR text, such as StableHLO, or nothing but comments, which is a module of no functions. */
  MLIR_TEXT("MLIR text"),
  /** An HloModuleProto, an HloProto or an HloSnapshot in the text form of protocol buffers. */
  PROTO_TEXT("a protocol buffer in text form"),
  /** An array as NumPy stores it. */
  NPY("a .npy array"),
  /** Arrays in a zip file, as NumPy stores them. */
  NPZ("a .npz archive"),
  /** Weights in the format of the safetensors library. */
  SAFETENSORS("a .safetensors file"),
  /** Nothing at all, or nothing but blanks. */
  EMPTY("an empty file"),
  /** Text of another kind, or bytes of none of these. */
  UNKNOWN("bytes of no known form");

  private static final byte[] NPY_MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final byte[] ZIP_MAGIC = {'P', 'K', 3, 4};
  private static final byte[] EMPTY_ZIP_MAGIC = {'P', 'K', 5, 6};
  private static final byte[] BYTECODE_MAGIC = {'M', 'L', (byte) 0xef, 'R'};
  private static final int BYTECODE_MAGIC_NUMBER = 0x52ef4c4d;

  /** The slot of the module in the root table of a jax.export file. */
  private static final int MODULE_SLOT = 13;

  /** Blanks and comments, which both texts may begin with. */
  private static final Pattern BLANKS =
      Pattern.compile("\uFEFF?(?:\\s++|//[^\\n]*+|/\\*(?:[^*]|\\*(?!/))*+\\*/)*+");

  /**
   * The beginnings of MLIR text: an alias, resources, a quoted op, or an op in a form of its own,
   * perhaps after the names of its results. HLO text also has names with dots, before an equals
   * sign, parameters or a body; but after an equals sign it has a shape. Nothing in it is matched
   * in two ways, so a long text takes no longer than to read it.
   */
  private static final Pattern MLIR =
      Pattern.compile(
          "[#!]\\w|\\{-#|\"[a-zA-Z_]\\w*\\.[\\w.$]+\"|(?:module|func)\\b(?!\\s*[.=(])"
              + "|[a-zA-Z_]\\w*\\.[\\w.$]+\\s+(?![=({])\\S"
              + "|%[^=,\\s]++(?:\\s*+,\\s*+%[^=,\\s]++)*+\\s*+=\\s*+(?:\"|[a-zA-Z_]\\w*\\.\\w)");

  /** A message or a field, which no HLO text begins with. */
  private static final Pattern PROTO =
      Pattern.compile(
          "(?:hlo|hlo_module|computations)\\s*:?\\s*\\{\\s*\\w+\\s*[:{]|\\w+\\s*:\\s*[\"\\d]");

  private final String description;

  FileForm(String description) {
    this.description = description;
  }

  /**
   * Returns the form of a file.
   *
   * @param bytes the whole file
   * @return the form, never one whose first bytes do not fit
   */
  public static FileForm of(byte[] bytes) {
    requireNonNull(bytes, "bytes");
    if (bytes.length == 0) {
      return EMPTY;
    }
    if (startsWith(bytes, NPY_MAGIC)) {
      return NPY;
    }
    if (startsWith(bytes, ZIP_MAGIC) || startsWith(bytes, EMPTY_ZIP_MAGIC)) {
      return NPZ;
    }
    if (startsWith(bytes, BYTECODE_MAGIC)) {
      return MLIR_BYTECODE;
    }
    if (isJaxExport(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN))) {
      return JAX_EXPORT;
    }
    if (isSafetensors(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN))) {
      return SAFETENSORS;
    }
    return isText(bytes) ? ofText(bytes) : ofProto(bytes);
  }

  /**
   * Returns whether a file is one of jax.export, of which only a small part is read.
   *
   * @param file the file, of any size
   * @return whether {@link #of} returns {@link #JAX_EXPORT} for its bytes
   * @throws IOException if it cannot be read
   */
  public static boolean isJaxExport(Path file) throws IOException {
    requireNonNull(file, "file");
    try (FileChannel channel = FileChannel.open(file)) {
      long size = Math.min(channel.size(), Integer.MAX_VALUE);
      return isJaxExport(
          channel.map(FileChannel.MapMode.READ_ONLY, 0, size).order(ByteOrder.LITTLE_ENDIAN));
    }
  }

  /**
   * Returns whether bytes are a flatbuffer whose root table has MLIR bytecode where jax.export
   * writes it; such files have no magic of their own.
   */
  private static boolean isJaxExport(ByteBuffer bytes) {
    int field = Short.BYTES * (2 + MODULE_SLOT);
    try {
      int table = bytes.getInt(0);
      int vtable = table - bytes.getInt(table);
      int offset =
          bytes.getShort(vtable) >= field + Short.BYTES ? bytes.getShort(vtable + field) : 0;
      int vector = table + offset + bytes.getInt(table + offset);
      return offset > 0 && bytes.getInt(vector + Integer.BYTES) == BYTECODE_MAGIC_NUMBER;
    } catch (IndexOutOfBoundsException noFlatbuffer) {
      return false;
    }
  }

  /**
   * Returns whether bytes begin with the length of a JSON object that follows; there is no magic.
   */
  private static boolean isSafetensors(ByteBuffer bytes) {
    int start = Long.BYTES;
    return bytes.limit() > start
        && bytes.get(start) == '{'
        && bytes.getLong(0) > 0
        && bytes.getLong(0) <= bytes.limit() - start;
  }

  private static FileForm ofProto(byte[] bytes) {
    return switch (ProtoForm.of(bytes)) {
      case MODULE -> HLO_MODULE_PROTO;
      case HLO -> HLO_PROTO;
      case SNAPSHOT -> HLO_SNAPSHOT;
      case OTHER -> UNKNOWN;
    };
  }

  private static boolean startsWith(byte[] bytes, byte[] magic) {
    return bytes.length >= magic.length
        && ByteBuffer.wrap(bytes, 0, magic.length).equals(ByteBuffer.wrap(magic));
  }

  /**
   * Returns whether the bytes are text: a protocol buffer has control characters among its first
   * bytes, and text has none.
   */
  private static boolean isText(byte[] bytes) {
    int most = Math.min(bytes.length, 4096);
    for (int i = 0; i < most; i++) {
      boolean control = bytes[i] >= 0 && bytes[i] < ' ';
      if (control && "\n\r\t\f\u000b".indexOf(bytes[i]) < 0) {
        return false;
      }
    }
    return true;
  }

  private static FileForm ofText(byte[] bytes) {
    try {
      return ofText(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException noText) {
      return UNKNOWN;
    }
  }

  private static FileForm ofText(String text) {
    int start = start(text);
    if (start == text.length()) {
      return text.contains("//") ? MLIR_TEXT : EMPTY;
    }
    if (MLIR.matcher(text).region(start, text.length()).lookingAt()) {
      return MLIR_TEXT;
    }
    if (PROTO.matcher(text).region(start, text.length()).lookingAt()) {
      return PROTO_TEXT;
    }
    return isFirstOfHlo(text.charAt(start)) ? HLO_TEXT : UNKNOWN;
  }

  /** Of a word, a name, or the shape of an instruction; not of JSON, XML or Markdown. */
  private static boolean isFirstOfHlo(char c) {
    return Character.isLetterOrDigit(c) || "%_(".indexOf(c) >= 0;
  }

  private static int start(String text) {
    Matcher blanks = BLANKS.matcher(text);
    return blanks.lookingAt() ? blanks.end() : 0;
  }

  /**
   * Returns whether {@link HloFiles#readModule(byte[])} gives the module of such a file, with
   * {@code hlo4j-stablehlo} for those that are not HLO.
   *
   * @return whether it does
   */
  public boolean isModule() {
    return switch (this) {
      case HLO_TEXT, HLO_MODULE_PROTO, HLO_PROTO, HLO_SNAPSHOT -> true;
      case MLIR_BYTECODE, MLIR_TEXT, JAX_EXPORT -> true;
      case PROTO_TEXT, NPY, NPZ, SAFETENSORS, EMPTY, UNKNOWN -> false;
    };
  }

  /** Returns the format in words: {@code an HloProto}. */
  @Override
  public String toString() {
    return description;
  }
}
