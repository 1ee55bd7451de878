package org.hlo4j.spark;

import com.google.common.hash.Hashing;
import com.google.gson.Gson;
import org.apache.spark.ml.param.Param;

/** A param of a file. Its bytes are a file beside the other params; JSON has their hash. */
final class FileParam extends Param<byte[]> {
  private static final long serialVersionUID = 1;

  FileParam(String parent, String name, String doc) {
    super(parent, name, doc);
  }

  @Override
  public String jsonEncode(byte[] value) {
    return new Gson().toJson("sha256:" + Hashing.sha256().hashBytes(value));
  }
}
