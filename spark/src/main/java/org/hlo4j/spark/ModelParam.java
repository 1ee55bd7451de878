package org.hlo4j.spark;

import com.google.common.hash.Hashing;
import com.google.gson.Gson;
import org.apache.spark.ml.param.Param;

/** The param of the model. Its bytes are a file beside the other params; JSON has their hash. */
final class ModelParam extends Param<byte[]> {
  private static final long serialVersionUID = 1;

  ModelParam(String parent) {
    super(parent, "model", "the function, as jax.export saved it");
  }

  @Override
  public String jsonEncode(byte[] value) {
    return new Gson().toJson("sha256:" + Hashing.sha256().hashBytes(value));
  }
}
