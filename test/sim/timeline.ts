import type { EntityState } from '../../core/vocabulary/state/state.ts';
import type { View } from './model/model.ts';

/**
 * The model's state of a partition after each step of its log. A step is one command that changed something, or one
 * change that time caused. A record of FACTS holds one or more steps, which readers see all at once.
 */
export interface Timeline {
  readonly steps: readonly Step[];
  /** Steps at which a record ends, and 0: what a reader can see. */
  readonly ends: ReadonlySet<number>;
  addStep(next: ReadonlyMap<string, EntityState>, at: { sequence: number; tick: number }): void;
  /** Marks the last added step as the last of its record. */
  endRecord(sequence: number): void;
  /** The partition after `step` steps. */
  at(step: number): View;
  /** The partition after everything up to the record `sequence`. */
  upTo(sequence: number): Map<string, EntityState>;
  /** The partition now. */
  readonly now: View;
}

export interface Step {
  sequence: number;
  /** When its record was stored. */
  tick: number;
}

export function createTimeline(): Timeline {
  const steps: Step[] = [];
  const ends = new Set([0]);
  const states = new Map<string, { step: number; sequence: number; state: EntityState }[]>();

  const at =
    (step: number): View =>
    (entityId) =>
      states.get(entityId)?.findLast((entry) => entry.step <= step)?.state;

  return {
    steps,
    ends,
    addStep(next, { sequence, tick }) {
      steps.push({ sequence, tick });
      for (const [entityId, state] of next) {
        const entries = states.get(entityId) ?? [];
        entries.push({ step: steps.length, sequence, state: { ...state, lastSeq: sequence } });
        states.set(entityId, entries);
      }
    },
    endRecord() {
      ends.add(steps.length);
    },
    at,
    upTo(sequence) {
      const held = new Map<string, EntityState>();
      for (const [entityId, entries] of states) {
        const entry = entries.findLast((candidate) => candidate.sequence <= sequence);
        if (entry !== undefined) held.set(entityId, entry.state);
      }
      return held;
    },
    now: (entityId) => states.get(entityId)?.at(-1)?.state,
  };
}
