package org.hlo4j.hlo.proto;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;

/**
 * A module with the arguments and the result of a run, as XLA stores them for replay.
 *
 * @param module the module
 * @param arguments the values of the entry's parameters
 * @param result the result of the run; empty if it is not known
 * @param executionPlatform where it was run; empty if that is not known
 */
public record HloSnapshot(
    HloModule module,
    ImmutableList<Literal> arguments,
    Optional<Literal> result,
    String executionPlatform) {}
