package org.hlo4j.hlo.file;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ir.HloModule;

/**
 * A reader of modules in a format other than HLO: MLIR text, MLIR bytecode and jax.export files.
 * {@link HloFiles} finds it with {@link java.util.ServiceLoader}.
 */
public interface ModuleReader {
  /**
   * Returns the modules of a file.
   *
   * @param bytes the whole file
   * @return at least one module, not verified
   * @throws org.hlo4j.hlo.HloException if it holds no module, or one whose sizes are not known
   */
  ImmutableList<HloModule> readModules(byte[] bytes);
}
