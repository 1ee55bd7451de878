package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.Arrays;
import org.hlo4j.hlo.op.AddDependency;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AllGatherDone;
import org.hlo4j.hlo.op.AllReduceDone;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectivePermuteDone;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.CopyDone;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.ReplicaId;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.RngGetAndUpdateState;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;
import org.hlo4j.hlo.op.SetDimensionSize;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/**
 * What passes and the choice of kernels need to know about an op, in one row: the only switch that
 * asks about each op. Other code asks a trait or a sealed family, and has a {@code default} that is
 * safe for an op that it does not know. A trait that is missing costs speed, except for those about
 * NaNs and the order of sums.
 *
 * @param family what passes may do with the op
 * @param traits what else is true of it
 */
public record OpTraits(Family family, ImmutableSet<Trait> traits) {
  /** A classification of ops by what passes may do with them. */
  public enum Family {
    /** Has an effect, or depends on when it runs: stays, in order. */
    EFFECT,
    /** Runs computations, and has their effects. */
    CONTROL,
    /** Names, groups or forwards values. */
    PLUMBING,
    /** Computes each element from the operands' elements at the same index. */
    ELEMENTWISE,
    /** Moves elements, or computes them from their index. */
    MOVEMENT,
    /** Any other function of the operands. */
    OTHER
  }

  /** What may be true of an op. */
  public enum Trait {
    /** A loop nest can compute it: it may be fused with what computes or moves elements. */
    IN_LOOPS,
    /** A movement of complex numbers is the same movement of their parts. */
    ON_PARTS,
    /** The elements keep their row-major order, and need not be copied. */
    KEEPS_ORDER,
    /** Some operands are indices of elements of the first one. */
    INDEXED,
    /** Computing it again costs no more than reading its value. */
    CHEAP,
    /** Its kernel makes NaNs with any bits, and copies none. */
    MAKES_NANS,
    /** Its result may depend on the bits of a NaN. */
    OBSERVES_NANS,
    /** Its kernel reassociates sums of floats: it adds in another order than the reference. */
    REASSOCIATES
  }

  private static final OpTraits EFFECT = new OpTraits(Family.EFFECT);
  private static final OpTraits CUSTOM_CALL = new OpTraits(Family.EFFECT, Trait.MAKES_NANS);
  private static final OpTraits CONTROL = new OpTraits(Family.CONTROL);
  private static final OpTraits FORWARDS = new OpTraits(Family.PLUMBING);
  private static final OpTraits COMPUTES = new OpTraits(Family.ELEMENTWISE, Trait.IN_LOOPS);
  private static final OpTraits CONVERTS =
      new OpTraits(Family.ELEMENTWISE, Trait.IN_LOOPS, Trait.CHEAP);
  private static final OpTraits STOCHASTIC_CONVERT = new OpTraits(Family.ELEMENTWISE);
  private static final OpTraits READS_BITS =
      new OpTraits(Family.ELEMENTWISE, Trait.IN_LOOPS, Trait.OBSERVES_NANS);
  private static final OpTraits IOTA = new OpTraits(Family.MOVEMENT, Trait.IN_LOOPS, Trait.CHEAP);
  private static final OpTraits GATHER = new OpTraits(Family.MOVEMENT, Trait.INDEXED);
  private static final OpTraits MOVES =
      new OpTraits(Family.MOVEMENT, Trait.IN_LOOPS, Trait.ON_PARTS);
  private static final OpTraits MOVES_AT_DATA =
      new OpTraits(Family.MOVEMENT, Trait.IN_LOOPS, Trait.ON_PARTS, Trait.INDEXED);
  private static final OpTraits MOVES_CHEAPLY =
      new OpTraits(Family.MOVEMENT, Trait.IN_LOOPS, Trait.ON_PARTS, Trait.CHEAP);
  private static final OpTraits RESHAPES =
      new OpTraits(Family.MOVEMENT, Trait.IN_LOOPS, Trait.ON_PARTS, Trait.CHEAP, Trait.KEEPS_ORDER);
  private static final OpTraits BITCAST =
      new OpTraits(Family.MOVEMENT, Trait.OBSERVES_NANS, Trait.KEEPS_ORDER);
  private static final OpTraits DYNAMIC_UPDATE =
      new OpTraits(Family.MOVEMENT, Trait.ON_PARTS, Trait.INDEXED);
  private static final OpTraits MULTIPLIES =
      new OpTraits(Family.OTHER, Trait.MAKES_NANS, Trait.REASSOCIATES);
  private static final OpTraits SORTS = new OpTraits(Family.OTHER, Trait.OBSERVES_NANS);
  private static final OpTraits OTHER = new OpTraits(Family.OTHER);
  private static final OpTraits REDUCES = new OpTraits(Family.OTHER, Trait.REASSOCIATES);
  private static final OpTraits ROUTINE = new OpTraits(Family.OTHER, Trait.MAKES_NANS);

  private OpTraits(Family family, Trait... traits) {
    this(family, Sets.immutableEnumSet(Arrays.asList(traits)));
  }

  /** {@return the row of an op} */
  public static OpTraits of(Op op) {
    return switch (op) {
      case AddDependency _,
          AfterAll _,
          AllGatherDone _,
          AllReduceDone _,
          AsyncDone _,
          AsyncStart _,
          AsyncUpdate _,
          Collective _,
          CollectivePermuteDone _,
          CollectiveStart _,
          CopyDone _,
          CopyStart _,
          Infeed _,
          Outfeed _,
          Recv _,
          RecvDone _,
          Rng _,
          RngGetAndUpdateState _,
          Send _,
          SendDone _ ->
          EFFECT;
      case DynamicReshape _, SetDimensionSize _ -> EFFECT; // may refuse a size
      case CustomCall _ -> CUSTOM_CALL;
      case Call _, Conditional _, Fusion _, While _ -> CONTROL;
      case Constant _, Copy _, Domain _, GetTupleElement _, OptBarrier _, Parameter _, Tuple _ ->
          FORWARDS;
      case Clamp _, Elementwise _, ReducePrecision _, Select _ -> COMPUTES;
      case Convert _ -> CONVERTS;
      case StochasticConvert _ -> STOCHASTIC_CONVERT;
      case BitcastConvert _, Compare _ -> READS_BITS;
      case Iota _ -> IOTA;
      case Gather _ -> GATHER;
      case Concatenate _, Pad _, Reverse _, Transpose _ -> MOVES;
      case DynamicSlice _ -> MOVES_AT_DATA;
      case Broadcast _, Slice _ -> MOVES_CHEAPLY;
      case Reshape _ -> RESHAPES;
      case Bitcast _ -> BITCAST;
      case DynamicUpdateSlice _ -> DYNAMIC_UPDATE;
      case Dot _ -> MULTIPLIES;
      case Sort _, Topk _ -> SORTS;
      case GetDimensionSize _,
          Map _,
          PartitionId _,
          RaggedDot _,
          ReduceWindow _,
          ReplicaId _,
          RngBitGenerator _,
          ScaledDot _,
          Scan _,
          Scatter _,
          SelectAndScatter _ ->
          OTHER;
      case Reduce _ -> REDUCES;
      case BatchNormGrad _,
          BatchNormInference _,
          BatchNormTraining _,
          Cholesky _,
          Convolution _,
          Fft _,
          TriangularSolve _ ->
          ROUTINE;
    };
  }

  /** {@return whether a trait is true of the op} */
  public boolean has(Trait trait) {
    return traits.contains(trait);
  }
}
