import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { Timeline } from '../timeline.ts';

/** The place of a command's facts, and the model's reply there. */
export interface Placement {
  step: number;
  tick: number;
  reply: Reply;
}

export interface PartitionLog {
  timeline: Timeline;
  /** By command key. */
  placements: Map<string, Placement>;
  /** Sequence of the partition's last record. */
  lastSequence: number;
}
