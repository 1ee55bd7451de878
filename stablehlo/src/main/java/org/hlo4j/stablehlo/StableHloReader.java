package org.hlo4j.stablehlo;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.Map;
import org.hlo4j.hlo.file.FileForm;
import org.hlo4j.hlo.file.ModuleReader;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.stablehlo.jax.JaxExport;

/** Reads StableHLO and jax.export files for {@link org.hlo4j.hlo.file.HloFiles}. */
public final class StableHloReader implements ModuleReader {
  /** Called by {@link java.util.ServiceLoader}. */
  public StableHloReader() {}

  @Override
  public ImmutableList<HloModule> readModules(byte[] bytes) {
    return FileForm.of(bytes) == FileForm.JAX_EXPORT
        ? ImmutableList.of(JaxExport.read(bytes).toHlo(Map.of()))
        : StableHlo.readAll(bytes).stream().map(StableHlo::toHlo).collect(toImmutableList());
  }
}
