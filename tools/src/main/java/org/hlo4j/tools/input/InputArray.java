package org.hlo4j.tools.input;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.npy.Npz;
import org.hlo4j.hlo.safetensors.Safetensors;

/**
 * An array that is given on the command line and not read yet.
 *
 * @param description the text that it was given by, for messages
 * @param name the parameter that it is for; empty for the next one
 * @param isWeight whether it is one of the arrays of a file of weights
 * @param reader reads the array
 */
public record InputArray(
    String description, Optional<String> name, boolean isWeight, Reader reader) {
  /** Reads an array. The wanted shape determines the type if the file leaves it open. */
  public interface Reader {
    Literal read(Shape wanted) throws IOException;
  }

  private static final Pattern NAMED = Pattern.compile("%?([^={}]*[^={}<])=(.+)", Pattern.DOTALL);
  private static final Pattern NUMBERED = Pattern.compile("(?:arr_)?(\\d{1,9})");
  private static final String NPY = ".npy";
  private static final int MAX_SHOWN = 20;

  /**
   * Returns the arrays of an input: a single one, or those of a folder, a pattern of names or an
   * archive.
   *
   * @param input the text on the command line
   * @param parameters the names of all parameters
   * @throws IOException if a folder or an archive cannot be read
   */
  public static ImmutableList<InputArray> of(String input, ImmutableSet<String> parameters)
      throws IOException {
    require(!input.isBlank(), "", "--input got an empty text, want an array");
    if (ArrayFiles.exists(input)) {
      return ofPath(Path.of(input), parameters);
    }
    Matcher named = NAMED.matcher(input);
    if (named.matches()) {
      ImmutableList<InputArray> arrays = of(named.group(2), parameters);
      require(arrays.size() == 1, "", "%s: got %s arrays, want one", input, arrays.size());
      return ImmutableList.of(
          new InputArray(input, Optional.of(named.group(1)), false, arrays.get(0).reader));
    }
    return isPattern(input)
        ? matching(input, parameters)
        : ImmutableList.of(
            new InputArray(
                input, Optional.empty(), false, wanted -> ArrayFiles.read(input, wanted)));
  }

  private static ImmutableList<InputArray> ofPath(Path path, Set<String> parameters)
      throws IOException {
    if (Files.isDirectory(path)) {
      ImmutableList<InputArray> files = files(path, "*" + NPY);
      require(!files.isEmpty(), "", "%s: no %s files in this folder", path, NPY);
      return assigned(path.toString(), files, parameters);
    }
    if (ArrayFiles.isNpz(path)) {
      return assigned(path.toString(), entries(path), parameters);
    }
    if (isSafetensors(path.getFileName().toString())) {
      return assigned(path.toString(), tensors(path), parameters);
    }
    return ImmutableList.of(
        new InputArray(
            path.toString(),
            Optional.empty(),
            false,
            wanted -> ArrayFiles.read(path.toString(), wanted)));
  }

  /** Returns the arrays of an archive, each of which is read on demand. */
  private static ImmutableList<InputArray> entries(Path archive) throws IOException {
    return Npz.names(archive).stream()
        .map(name ->
            new InputArray(
                archive + ": " + name,
                Optional.of(name),
                true,
                wanted -> ArrayFiles.readNpz(archive, name, wanted)))
        .collect(toImmutableList());
  }

  private static boolean isSafetensors(String name) {
    return name.endsWith(".safetensors") || name.endsWith(".safetensors.index.json");
  }

  /**
   * Returns the tensors of a file of weights, or of several files with an index; each is read on
   * demand.
   */
  private static ImmutableList<InputArray> tensors(Path path) throws IOException {
    try (Safetensors tensors = Safetensors.open(path)) {
      return tensors.names().stream()
          .map(name ->
              new InputArray(
                  path + ": " + name, Optional.of(name), true, wanted -> tensor(path, name)))
          .collect(toImmutableList());
    }
  }

  private static Literal tensor(Path path, String name) throws IOException {
    try (Safetensors tensors = Safetensors.open(path)) {
      return tensors.read(name);
    }
  }

  private static boolean isPattern(String input) {
    return !LiteralArgument.isLiteral(input) && (input.contains("*") || input.contains("?"));
  }

  private static ImmutableList<InputArray> matching(String pattern, Set<String> parameters)
      throws IOException {
    int slash = pattern.lastIndexOf('/') + 1;
    Path folder = Path.of(slash == 0 ? "." : pattern.substring(0, slash));
    require(Files.isDirectory(folder), "", "%s: no folder %s", pattern, folder);
    ImmutableList<InputArray> files =
        files(slash == 0 ? Path.of("") : folder, pattern.substring(slash));
    require(!files.isEmpty(), "", "%s: no files of such a name", pattern);
    return areAll(files, parameters) ? files : positional(files);
  }

  /**
   * Returns the files of a folder by their names without extension, sorted with numbers in numeric
   * order.
   */
  private static ImmutableList<InputArray> files(Path folder, String pattern) throws IOException {
    PathMatcher matcher = matcher(pattern);
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        if (matcher.matches(file.getFileName()) && Files.isRegularFile(file)) {
          found.add(file);
        }
      }
    }
    return found.stream()
        .sorted(Comparator.comparing(file -> sortKey(file.getFileName().toString())))
        .map(InputArray::file)
        .collect(toImmutableList());
  }

  private static PathMatcher matcher(String pattern) {
    try {
      return FileSystems.getDefault().getPathMatcher("glob:" + pattern);
    } catch (PatternSyntaxException wrong) {
      throw new HloException(
          HloException.Kind.ARGUMENT,
          pattern + ": no pattern of file names: " + wrong.getDescription());
    }
  }

  private static InputArray file(Path file) {
    String name = file.getFileName().toString();
    String stem = name.endsWith(NPY) ? name.substring(0, name.length() - NPY.length()) : name;
    return new InputArray(
        file.toString(),
        Optional.of(stem),
        false,
        wanted -> ArrayFiles.read(file.toString(), wanted));
  }

  /** Returns the name with its numbers padded, so that in2 comes before in10. */
  static String sortKey(String name) {
    return Pattern.compile("\\d+")
        .matcher(name)
        .replaceAll(
            number -> "0".repeat(Math.max(0, 20 - number.group().length())) + number.group());
  }

  /**
   * Assigns arrays to parameters: by name if all are names of parameters, by position if they are
   * numbered from 0.
   */
  private static ImmutableList<InputArray> assigned(
      String told, ImmutableList<InputArray> arrays, Set<String> parameters) {
    if (areAll(arrays, parameters)) {
      return arrays;
    }
    ImmutableList<InputArray> inOrder =
        arrays.stream()
            .sorted(Comparator.comparing(array -> sortKey(array.name().orElse(""))))
            .collect(toImmutableList());
    require(
        IntStream.range(0, inOrder.size()).allMatch(i -> inOrder.get(i).number() == i),
        "",
        "%s: got arrays %s, want %s0, 1, …, as in arr_0 too",
        told,
        names(arrays.stream().map(array -> array.name().orElse("")).toList()),
        parameters.isEmpty() ? "" : "the names of parameters (" + names(parameters) + ") or ");
    return positional(inOrder);
  }

  private static boolean areAll(List<InputArray> arrays, Set<String> parameters) {
    return arrays.stream().allMatch(array -> array.name().filter(parameters::contains).isPresent());
  }

  private static ImmutableList<InputArray> positional(List<InputArray> arrays) {
    return arrays.stream()
        .map(array ->
            new InputArray(array.description, Optional.empty(), array.isWeight, array.reader))
        .collect(toImmutableList());
  }

  private int number() {
    Matcher number = NUMBERED.matcher(name.orElse(""));
    return number.matches() ? Integer.parseInt(number.group(1)) : -1;
  }

  private static String names(Iterable<String> names) {
    return String.join(", ", Iterables.limit(names, MAX_SHOWN));
  }
}
