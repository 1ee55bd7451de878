package org.hlo4j.spark;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.reflect.TypeToken;
import com.google.gson.Gson;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.ml.param.Param;
import org.hlo4j.hlo.HloException.Kind;

/** A param of columns, and what each belongs to. */
final class MapParam extends Param<Map<String, String>> {
  private static final long serialVersionUID = 1;

  MapParam(String parent, String name, String doc) {
    super(parent, name, doc);
  }

  /** Returns columns that belong to the first, the second and so on. */
  static Map<String, String> positions(String... columns) {
    Map<String, String> positions = new LinkedHashMap<>();
    for (int i = 0; i < columns.length; i++) {
      String earlier = positions.put(columns[i], String.valueOf(i));
      require(
          earlier == null, Kind.ARGUMENT, "got the column %s twice, want each once", columns[i]);
    }
    return positions;
  }

  @Override
  public String jsonEncode(Map<String, String> value) {
    return new Gson().toJson(value);
  }

  @Override
  public Map<String, String> jsonDecode(String json) {
    return new Gson().fromJson(json, new TypeToken<Map<String, String>>() {}.getType());
  }
}
