package org.hlo4j.hlo.safetensors;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableLongArray;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.jspecify.annotations.Nullable;

/** Reads the JSON of a header. Unknown fields of a tensor are ignored. */
final class HeaderReader {
  private final StrictJson json;
  private final List<TensorInfo> tensors = new ArrayList<>();
  private ImmutableMap<String, String> metadata = ImmutableMap.of();

  private HeaderReader(StrictJson json) {
    this.json = json;
  }

  /** Returns the header that some bytes hold, in the order of the tensors' data. */
  static Header read(byte[] bytes) throws IOException {
    return StrictJson.read(
        bytes,
        "header",
        json -> {
          HeaderReader reader = new HeaderReader(json);
          json.object(reader::entry);
          return Header.of(reader.tensors, reader.metadata);
        });
  }

  private void entry(String name) throws IOException {
    if (name.equals(Header.METADATA)) {
      metadata = json.isNull() ? ImmutableMap.of() : json.strings();
      return;
    }
    try {
      tensors.add(new Fields().tensor(name));
    } catch (HloException refusal) {
      throw refusal.prefixed("tensor " + name + ": ");
    }
  }

  /** The fields of one tensor. */
  private final class Fields {
    private @Nullable Dtype dtype;
    private @Nullable Dims sizes;
    private @Nullable ImmutableLongArray offsets;

    TensorInfo tensor(String name) throws IOException {
      json.object(this::field);
      if (dtype == null || sizes == null || offsets == null) {
        throw new HloException("", "got no dtype, shape or data_offsets, want all three");
      }
      require(offsets.length() == 2, "", "data_offsets got %s, want begin and end", offsets);
      return new TensorInfo(name, dtype, sizes, offsets.get(0), offsets.get(1));
    }

    private void field(String name) throws IOException {
      switch (name) {
        case "dtype" -> dtype = Dtype.named(json.string("dtype"));
        case "shape" -> sizes = Dims.of(json.numbers("shape").toArray());
        case "data_offsets" -> offsets = json.numbers("data_offsets");
        default -> json.skip();
      }
    }
  }
}
