/** Evaluators in child processes, which may die by what they run. */
@org.jspecify.annotations.NullMarked
package org.hlo4j.interpreter.child;
