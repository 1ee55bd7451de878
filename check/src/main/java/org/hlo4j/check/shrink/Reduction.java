package org.hlo4j.check.shrink;

import com.google.common.collect.ImmutableList;
import java.util.function.BiFunction;
import org.hlo4j.check.Program;

/**
 * A way to make a program simpler at several instructions, all at once or one by one.
 *
 * @param name what it does, for people
 * @param edits finds where it applies; the values are those of the program
 */
record Reduction(String name, BiFunction<Program, Values, ImmutableList<Edit>> edits) {}
