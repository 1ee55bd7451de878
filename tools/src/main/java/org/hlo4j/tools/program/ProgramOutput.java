package org.hlo4j.tools.program;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.io.MoreFiles;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.source.WholeFile;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.tools.console.Results;
import org.hlo4j.tools.system.SystemArguments;

/** The writing of a program with its arguments. */
public final class ProgramOutput {
  private static final int MAX_SHOWN_ELEMENTS = 64;

  private ProgramOutput() {}

  /** Returns the HLO text of a program, with its arguments as comments. */
  public static String text(Program program) {
    StringBuilder text = new StringBuilder(Printer.print(program.module()));
    append("input", program.argumentsOfDevices(), text);
    append("infeed", program.infeedOfDevices(), text);
    return text.toString();
  }

  private static void append(String what, List<List<Literal>> ofDevices, StringBuilder text) {
    for (int device = 0; device < ofDevices.size(); device++) {
      List<Literal> own = ofDevices.get(device);
      String where = ofDevices.size() == 1 ? "" : " of device " + device;
      for (int i = 0; i < own.size(); i++) {
        text.append("// ").append(what).append(' ').append(i).append(where).append(": ");
        text.append(shown(own.get(i))).append('\n');
      }
    }
  }

  /** Returns the values of all devices, those of the first before those of the second. */
  private static Literal inOrder(List<List<Literal>> ofDevices) {
    return Literal.tuple(ofDevices.stream().flatMap(List::stream).toList());
  }

  private static String shown(Literal value) {
    String shape = value.shape().withoutLayout().toString();
    boolean isShort =
        value.arrays().stream().mapToLong(Literal::elementCount).sum() <= MAX_SHOWN_ELEMENTS;
    return isShort ? shape + " " + value.toHloText().replaceAll("/\\*.*?\\*/", "") : shape;
  }

  /**
   * Writes a program to a file, as HLO text, HloModuleProto or StableHLO by its suffix, and its
   * arguments into the folder of the same name that ends in .inputs; the values of infeed into that
   * which ends in .infeed.
   */
  public static void write(Program program, Path file) throws IOException {
    write(program, file, "");
  }

  /**
   * Refuses a file that a program cannot be written to, before long work whose result goes there.
   *
   * @throws HloException if the program has no such form, or the file is a folder
   * @throws IOException if the folder does not exist, or nothing can be written there
   */
  public static void requireWritable(Program program, Path file) throws IOException {
    byte[] _ = bytes(program, file, "");
    require(!Files.isDirectory(file), "", "%s: is a directory, want a file", file);
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new NoSuchFileException(file.toString());
    }
    if (!Files.isWritable(folder)) {
      throw new AccessDeniedException(file.toString());
    }
  }

  private static byte[] bytes(Program program, Path file, String remark) {
    String suffix = MoreFiles.getFileExtension(file);
    boolean isText = suffix.equals("hlo") || !SystemArguments.FORMS.names().contains(suffix);
    return isText
        ? (text(program) + remark).getBytes(UTF_8)
        : SystemArguments.FORMS.write(suffix, program.module());
  }

  /** Writes a program as above, with a remark at the end of HLO text. */
  public static void write(Program program, Path file, String remark) throws IOException {
    byte[] bytes = bytes(program, file, remark);
    WholeFile.write(file, out -> out.write(bytes));
    if (!program.arguments().isEmpty()) {
      Results.write(inOrder(program.argumentsOfDevices()), inputs(file));
    }
    if (!program.infeed().isEmpty()) {
      Results.write(inOrder(program.infeedOfDevices()), beside(file, ".infeed"));
    }
  }

  /** Returns the folder of the arguments of a program in a file. */
  static Path inputs(Path file) {
    return beside(file, ".inputs");
  }

  private static Path beside(Path file, String suffix) {
    String name = file.getFileName().toString().replaceAll("(\\.hlo)?\\.[a-z]+$", "");
    return file.resolveSibling(name + suffix);
  }
}
