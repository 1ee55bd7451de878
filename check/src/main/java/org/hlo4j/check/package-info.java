/**
 * Second opinions on programs: do two evaluators, or an evaluator and another system, agree; where
 * do they part; what is the smallest program that shows it; what is the difference of two programs.
 */
@NullMarked
package org.hlo4j.check;

import org.jspecify.annotations.NullMarked;
