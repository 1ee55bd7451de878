package org.hlo4j.hlo.safetensors;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.jspecify.annotations.Nullable;

/**
 * The index of a model in several files, {@code model.safetensors.index.json}, which maps tensors
 * to files. Fields other than {@code weight_map} and {@code metadata} are ignored, and so are lists
 * and objects in the metadata.
 *
 * @param files the file of each tensor, not opened yet
 * @param metadata the metadata of the model
 */
record ShardedIndex(ImmutableMap<String, TensorFile> files, ImmutableMap<String, String> metadata) {
  /** Reads an index, whose files are in the same folder. */
  static ShardedIndex read(Path path) throws IOException {
    try {
      long size = Files.size(path);
      require(
          size <= Header.MAX_BYTES,
          "",
          "index of %s bytes, want at most %s",
          size,
          Header.MAX_BYTES);
      return StrictJson.read(
          Files.readAllBytes(path), "index", json -> new Reader(path, json).read());
    } catch (HloException refusal) {
      throw refusal.prefixed(path + ": safetensors: ").withKind(HloException.Kind.PARSE);
    }
  }

  private static final class Reader {
    private final Path path;
    private final StrictJson json;
    private final Map<String, TensorFile> shards = new HashMap<>();
    private final Map<String, String> metadata = new LinkedHashMap<>();
    private @Nullable ImmutableMap<String, TensorFile> files;

    Reader(Path path, StrictJson json) {
      this.path = path;
      this.json = json;
    }

    ShardedIndex read() throws IOException {
      json.object(this::field);
      if (files == null) {
        throw new HloException("", "index: got no weight_map, want one");
      }
      return new ShardedIndex(files, ImmutableMap.copyOf(metadata));
    }

    private void field(String name) throws IOException {
      switch (name) {
        case "weight_map" -> {
          ImmutableMap.Builder<String, TensorFile> map = ImmutableMap.builder();
          json.strings().forEach((tensor, file) -> map.put(tensor, shard(tensor, file)));
          files = map.buildOrThrow();
        }
        case "metadata" ->
            json.object(key -> json.text().ifPresent(value -> metadata.put(key, value)));
        default -> json.skip();
      }
    }

    private TensorFile shard(String tensor, String name) {
      return shards.computeIfAbsent(name, file -> TensorFile.of(beside(tensor, file)));
    }

    /** Returns the file of a name, which must be in the folder of the index. */
    private Path beside(String tensor, String name) {
      boolean plain =
          !name.isEmpty()
              && !name.equals(".")
              && !name.equals("..")
              && name.chars().noneMatch(c -> c == '/' || c == '\\' || c == ':' || c == 0);
      require(
          plain,
          "",
          "tensor %s: got the file %s, want the name of one beside the index",
          tensor,
          name);
      Path file = path.resolveSibling(name);
      require(
          Files.isRegularFile(file),
          "",
          "tensor %s: got the file %s, which is not there",
          tensor,
          file);
      return file;
    }
  }
}
