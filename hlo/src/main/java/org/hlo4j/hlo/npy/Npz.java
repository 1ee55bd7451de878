package org.hlo4j.hlo.npy;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNoNulls;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.ByteStreams;
import com.google.common.io.CountingOutputStream;
import com.google.common.math.LongMath;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.source.WholeFile;

/**
 * Reads and writes {@code .npz} files: named arrays, each a {@code .npy} file in a zip file. Other
 * files in it are left out.
 */
public final class Npz {
  /** The number of names that a message lists. */
  private static final int MAX_TOLD = 10;

  /** What a stream may have beside its arrays: names, the directory, and other files. */
  private static final long MAX_STREAM_BYTES_BESIDE = 16 << 20;

  private static final String SUFFIX = ".npy";
  private static final int MAX_ENTRIES = 100_000;

  /** A record of the zip's directory has 65,535 bytes at most, and 46 of its own. */
  private static final int MAX_NAME_BYTES = 0xffff - 46;

  /** The local header of a zip entry: its length, its signature, a flag and a date. */
  private static final int LOCAL_HEADER_BYTES = 30;

  private static final int LOCAL_HEADER = 0x04034b50;
  private static final short UTF_8_NAMES = 1 << 11;
  private static final int FIRST_DAY = 0x00210000;

  private Npz() {}

  /**
   * Reads all arrays of a file, of a quarter of the heap at most.
   *
   * @param file the file
   * @return the arrays by name, in the order of the file
   * @throws IOException if it cannot be read
   * @throws HloException if it is no .npz file, or an array in it is not read; it names the file
   */
  public static ImmutableMap<String, Literal> read(Path file) throws IOException {
    return read(file, ImmutableMap.of(), Runtime.getRuntime().maxMemory() / 4);
  }

  /**
   * Reads all arrays of a file.
   *
   * @param file the file
   * @param voidTypes the types, by name, of arrays whose elements only ml_dtypes knows
   * @param mostBytes how many bytes all arrays may have together, for a small file may hold large
   *     ones
   * @return the arrays by name, in the order of the file
   * @throws IOException if it cannot be read
   * @throws HloException if it is no .npz file, or an array in it is not read; it names the file
   */
  public static ImmutableMap<String, Literal> read(
      Path file, Map<String, ElementType> voidTypes, long mostBytes) throws IOException {
    return within(prefix(file), file, zip -> arrays(zip, voidTypes, mostBytes));
  }

  /**
   * Reads all arrays of a file in memory, of a quarter of the heap at most.
   *
   * @param bytes the whole file
   * @return the arrays by name, in the order of the file
   * @throws IOException as {@link #read(InputStream)}
   * @throws HloException if it is no .npz file, or an array in it is not read
   */
  public static ImmutableMap<String, Literal> read(byte[] bytes) throws IOException {
    return read(new ByteArrayInputStream(requireNonNull(bytes, "bytes")));
  }

  /**
   * Reads all arrays of a file in memory, from the position of a buffer to its limit, of a quarter
   * of the heap at most.
   *
   * @param bytes the whole file; the position of the buffer stays
   * @return the arrays by name, in the order of the file
   * @throws IOException as {@link #read(InputStream)}
   * @throws HloException if it is no .npz file, or an array in it is not read
   */
  public static ImmutableMap<String, Literal> read(ByteBuffer bytes) throws IOException {
    byte[] all = new byte[requireNonNull(bytes, "bytes").remaining()];
    bytes.get(bytes.position(), all);
    return read(all);
  }

  /**
   * Reads all arrays of a file from a stream, up to its end, of a quarter of the heap at most. The
   * stream is kept in a temporary file meanwhile, for the directory of a zip file is at its end.
   *
   * @param stream the stream, which stays open
   * @return the arrays by name, in the order of the file
   * @throws IOException if it cannot be read, or there is no room for temporary files
   * @throws HloException if it is no .npz file, or an array in it is not read
   */
  public static ImmutableMap<String, Literal> read(InputStream stream) throws IOException {
    return read(stream, ImmutableMap.of(), Runtime.getRuntime().maxMemory() / 4);
  }

  /**
   * Reads all arrays of a file from a stream, up to its end. The stream is kept in a temporary file
   * meanwhile, for the directory of a zip file is at its end.
   *
   * @param stream the stream, which stays open
   * @param voidTypes the types, by name, of arrays whose elements only ml_dtypes knows
   * @param mostBytes how many bytes all arrays may have together; the stream may have 16 MB more
   * @return the arrays by name, in the order of the file
   * @throws IOException if it cannot be read, or there is no room for temporary files
   * @throws HloException if it is no .npz file, an array in it is not read, or {@code mostBytes} is
   *     negative
   */
  public static ImmutableMap<String, Literal> read(
      InputStream stream, Map<String, ElementType> voidTypes, long mostBytes) throws IOException {
    requireNonNull(stream, "stream");
    requireNoNulls(voidTypes, "voidTypes");
    require(mostBytes >= 0, "", "npz: mostBytes got %s, want at least 0", mostBytes);
    Path kept = Files.createTempFile("hlo4j", ".npz");
    try {
      long most = LongMath.saturatedAdd(mostBytes, MAX_STREAM_BYTES_BESIDE);
      try (OutputStream out = Files.newOutputStream(kept)) {
        long bytes = ByteStreams.limit(stream, LongMath.saturatedAdd(most, 1)).transferTo(out);
        require(bytes <= most, Kind.LIMIT, "npz: got more than %s bytes, want at most these", most);
      }
      return within("", kept, zip -> arrays(zip, voidTypes, mostBytes));
    } finally {
      Files.deleteIfExists(kept);
    }
  }

  /**
   * Returns the names of the arrays of a file, without reading them.
   *
   * @param file the file
   * @return the names, in the order of the file
   * @throws IOException if it cannot be read
   * @throws HloException if it is no .npz file; it names the file
   */
  public static ImmutableList<String> names(Path file) throws IOException {
    return within(
        prefix(file), file, zip -> entries(zip).stream().map(Npz::name).collect(toImmutableList()));
  }

  /**
   * Reads one array of a file.
   *
   * @param file the file
   * @param name the name of the array
   * @param voidType its type, if it is one whose elements only ml_dtypes knows
   * @return the array
   * @throws IOException if it cannot be read
   * @throws HloException if it is no .npz file, or has no such array, or one that is not read; it
   *     names the file
   */
  public static Literal read(Path file, String name, ElementType voidType) throws IOException {
    return within(
        prefix(file),
        file,
        zip -> {
          ImmutableList<ZipEntry> entries = entries(zip);
          Optional<ZipEntry> entry =
              entries.stream().filter(each -> name(each).equals(name)).findFirst();
          require(
              entry.isPresent(),
              "",
              "npz: got no array %s, want one of %s",
              name,
              told(entries.stream().map(Npz::name)));
          return array(zip, entry.get(), name, Optional.of(voidType));
        });
  }

  private interface Reading<T> {
    T from(ZipFile zip) throws IOException;
  }

  private static String prefix(Path file) {
    return requireNonNull(file, "file") + ": ";
  }

  /** Reads a file, about which messages begin with a prefix. */
  private static <T> T within(String prefix, Path file, Reading<T> reading) throws IOException {
    try (ZipFile zip = new ZipFile(file.toFile())) {
      require(
          zip.size() <= MAX_ENTRIES,
          "",
          "npz: got %s entries, want at most %s",
          zip.size(),
          MAX_ENTRIES);
      return reading.from(zip);
    } catch (ZipException | IllegalArgumentException damaged) {
      throw new HloException(
          Kind.PARSE, prefix + "npz: got no whole zip file: " + damaged.getMessage());
    } catch (HloException refusal) {
      throw refusal.prefixed(prefix).withKind(Kind.PARSE);
    }
  }

  private static ImmutableMap<String, Literal> arrays(
      ZipFile zip, Map<String, ElementType> voidTypes, long mostBytes) throws IOException {
    ImmutableMap.Builder<String, Literal> arrays = ImmutableMap.builder();
    long left = mostBytes;
    for (ZipEntry entry : entries(zip)) {
      String name = name(entry);
      require(
          entry.getSize() <= left,
          "",
          "npz: %s got %s bytes, want at most %s for all arrays",
          name,
          entry.getSize(),
          mostBytes);
      left -= entry.getSize();
      arrays.put(name, array(zip, entry, name, Optional.ofNullable(voidTypes.get(name))));
    }
    try {
      return arrays.buildOrThrow();
    } catch (IllegalArgumentException twice) {
      throw new HloException("", "npz: got an array twice, want each name once");
    }
  }

  /**
   * Returns the entries that are arrays, as NumPy finds them: by their first bytes or by their
   * names. A file of other entries only is none of NumPy's.
   */
  private static ImmutableList<ZipEntry> entries(ZipFile zip) throws IOException {
    ImmutableList.Builder<ZipEntry> arrays = ImmutableList.builder();
    for (ZipEntry entry : Collections.list(zip.entries())) {
      if (entry.getName().endsWith(SUFFIX) || beginsLikeAnArray(zip, entry)) {
        require(entry.getSize() >= 0, "", "npz: %s got no size, want one", entry.getName());
        arrays.add(entry);
      }
    }
    ImmutableList<ZipEntry> found = arrays.build();
    require(
        !found.isEmpty() || zip.size() == 0,
        "",
        "npz: got only %s, want arrays, which end in %s",
        told(zip.stream().map(ZipEntry::getName)),
        SUFFIX);
    return found;
  }

  private static boolean beginsLikeAnArray(ZipFile zip, ZipEntry entry) throws IOException {
    try (InputStream in = zip.getInputStream(entry)) {
      return NpyHeader.isMagic(in.readNBytes(NpyHeader.MAGIC_BYTES));
    }
  }

  private static String told(Stream<String> names) {
    return names.limit(MAX_TOLD).collect(joining(", "));
  }

  private static String name(ZipEntry entry) {
    String name = entry.getName();
    return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
  }

  /**
   * Reads an array of at most as many bytes as the zip file says; a longer one is reported as
   * damaged.
   */
  private static Literal array(
      ZipFile zip, ZipEntry entry, String name, Optional<ElementType> voidType) throws IOException {
    try (InputStream in = new BufferedInputStream(zip.getInputStream(entry))) {
      return Npy.read(in, voidType, (double) entry.getSize());
    } catch (HloException refusal) {
      throw refusal.prefixed(name + ": ");
    }
  }

  /**
   * Writes arrays to a file as NumPy's {@code savez} does: stored, not compressed, and dated
   * 1980-01-01, so that the same arrays give the same bytes. It is moved into its place once it is
   * whole; a link there is replaced.
   *
   * @param file the file
   * @param arrays the arrays by name
   * @throws IOException if it cannot be written
   * @throws HloException if one of them is a tuple or a token, or a name is none of a zip entry
   */
  public static void write(Path file, Map<String, Literal> arrays) throws IOException {
    requireNonNull(file, "file");
    requireNoNulls(arrays, "arrays");
    for (Map.Entry<String, Literal> array : arrays.entrySet()) {
      array.getValue().arrayShape();
      requireName(array.getKey());
    }
    WholeFile.write(
        file,
        out -> {
          try (ZipOutputStream zip = new ZipOutputStream(out)) {
            for (Map.Entry<String, Literal> array : arrays.entrySet()) {
              zip.putNextEntry(stored(array.getKey() + SUFFIX, array.getValue()));
              Npy.write(zip, array.getValue());
              zip.closeEntry();
            }
          }
        });
  }

  private static void requireName(String name) {
    require(
        UTF_8.newEncoder().canEncode(name) && name.indexOf('\0') < 0,
        "",
        "npz: got the name %s, want whole characters, none of them 0",
        name);
    int bytes = (name + SUFFIX).getBytes(UTF_8).length;
    require(
        bytes <= MAX_NAME_BYTES,
        "",
        "npz: got a name of %s bytes with %s, want at most %s: %s",
        bytes,
        SUFFIX,
        MAX_NAME_BYTES,
        name);
  }

  /** Returns the entry of an array; the size and checksum of stored ones are known before. */
  private static ZipEntry stored(String name, Literal array) throws IOException {
    ZipEntry entry = dated1980(name);
    CountingOutputStream bytes = new CountingOutputStream(OutputStream.nullOutputStream());
    CheckedOutputStream sum = new CheckedOutputStream(bytes, new CRC32());
    Npy.write(sum, array);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(bytes.getCount());
    entry.setCompressedSize(bytes.getCount());
    entry.setCrc(sum.getChecksum().getValue());
    return entry;
  }

  /**
   * Returns an entry as it is read from a file. An entry that is given the first day of zip's
   * calendar gets it once more, in the time zone of the machine.
   */
  private static ZipEntry dated1980(String name) throws IOException {
    byte[] text = name.getBytes(UTF_8);
    ByteBuffer header =
        ByteBuffer.allocate(LOCAL_HEADER_BYTES + text.length).order(ByteOrder.LITTLE_ENDIAN);
    header.putInt(LOCAL_HEADER).putShort((short) 20).putShort(UTF_8_NAMES).putShort((short) 0);
    header.putInt(FIRST_DAY).putInt(0).putInt(0).putInt(0).putShort((short) text.length);
    header.putShort((short) 0).put(text);
    try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(header.array()))) {
      return requireNonNull(in.getNextEntry(), "entry");
    }
  }
}
