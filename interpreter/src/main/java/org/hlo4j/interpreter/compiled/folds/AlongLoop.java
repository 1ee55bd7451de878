package org.hlo4j.interpreter.compiled.folds;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.lanes.VectorSupport;
import org.hlo4j.interpreter.compiled.tiers.Practice;

/** Makes the loop of a pass over rows along themselves: known by what it does, made once. */
final class AlongLoop {
  private static final int ROWS = 3;
  private static final int TURNS = 2;

  private AlongLoop() {}

  /** The loop of a pass. */
  static Loop of(SidePlan plan, int pass) {
    SidePass does = plan.does(pass);
    int width = Math.min(VectorSupport.width(does.widest()), AlongCode.UNIT);
    int rest = plan.depth - end(plan, pass);
    return FoldLoops.known(
        List.of("along", rest, width, AlongCode.areAlike(plan), does.structure()),
        () ->
            Tier.of(
                "fold_along",
                lanes -> new AlongCode(lanes, plan, pass).write(),
                width,
                1,
                plan.depth,
                () -> practice(plan, pass, width)));
  }

  /** Where the whole turns of a pass over a row end. */
  static int end(SidePlan plan, int pass) {
    return plan.depth - plan.depth % AlongCode.turn(plan, pass);
  }

  /** A few rows of a few turns, sometimes fewer. */
  private static Practice<Loop> practice(SidePlan plan, int pass, int width) {
    int turn = AlongCode.turn(plan, pass);
    int stride = TURNS * turn + plan.depth % turn;
    List<ElementType> types = new ArrayList<>(plan.types());
    types.addAll(AlongCode.scratch(plan));
    Object[] arrays =
        types.stream().map(type -> Practice.array(type, ROWS * stride + width)).toArray();
    int[] positions = new int[AlongCode.positions(plan)];
    positions[AlongCode.alikeStridePosition(plan)] = stride;
    for (int i = 0; i < plan.arrays(); i++) {
      positions[AlongCode.stridePosition(plan, i)] = stride;
    }
    return (form, asked) -> {
      positions[AlongCode.endPosition(plan)] = (TURNS - asked % 2) * turn;
      form.run(arrays, positions, Math.max(0, -asked), Math.clamp(asked, 0, ROWS));
    };
  }
}
