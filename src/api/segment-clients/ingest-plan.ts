import type { RegisterPlayer, TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import { SEGMENT_CLIENT_LIMITS } from './limits.ts';
import type { Message } from './segment-message.ts';

/** A registration of a step. */
export interface Registering {
  command: RegisterPlayer;
  type: Message['type'];
  /** The event that takes its place if its attributes do not fit the player. */
  otherwise: TrackItem | undefined;
}

export interface Tracking {
  item: TrackItem;
  /** Undefined for the event of an identify, which counts as a registration. */
  type: Message['type'] | undefined;
  /** The anonymous player that may have tracked the event already. */
  earlier?: string | undefined;
}

/** Commands that are sent together: the registrations, then one command with the events. */
export interface Step {
  players: Registering[];
  events: Tracking[];
}

/** Arranges the messages of a batch in steps by partition. */
export interface Plan {
  /** Adds an event. `presence` registers its player, if no earlier message of the batch does. */
  track(event: Tracking, presence: RegisterPlayer): void;
  identify(registering: Registering): void;
  /** The steps of each partition. Within a step, the events of a player follow its registrations. */
  partitions(): readonly (readonly Step[])[];
}

interface OpenStep extends Step {
  players: Registering[];
  /** Players with an event in the step. */
  tracked: Set<string>;
  chars: number;
}

export function createPlan(partitionOf: (playerId: string) => number): Plan {
  const byPartition = new Map<number, OpenStep[]>();
  const present = new Set<string>();

  function stepsOf(playerId: string): OpenStep[] {
    const partition = partitionOf(playerId);
    let steps = byPartition.get(partition);
    if (steps === undefined) {
      steps = [];
      byPartition.set(partition, steps);
    }
    return steps;
  }

  /** The last step, or a new one if the last cannot take more. */
  function stepFor(playerId: string, isFull: (step: OpenStep) => boolean): OpenStep {
    const steps = stepsOf(playerId);
    const last = steps.at(-1);
    if (last !== undefined && !isFull(last)) return last;
    const step: OpenStep = { players: [], events: [], tracked: new Set(), chars: 0 };
    steps.push(step);
    return step;
  }

  return {
    track(event, presence) {
      const { playerId } = event.item;
      const step = stepFor(
        playerId,
        ({ players, events, chars }) =>
          players.length >= SEGMENT_CLIENT_LIMITS.segmentCommandPlayers ||
          events.length >= SEGMENT_CLIENT_LIMITS.segmentCommandEvents ||
          chars >= SEGMENT_CLIENT_LIMITS.segmentCommandChars,
      );
      if (!present.has(playerId)) {
        present.add(playerId);
        step.players.push({ command: presence, type: 'other', otherwise: undefined });
      }
      step.events.push(event);
      step.tracked.add(playerId);
      step.chars += event.item.properties.length;
    },
    identify(registering) {
      const { playerId } = registering.command;
      // Registrations come first in a step, so events before this one must be in an earlier step.
      const step = stepFor(
        playerId,
        ({ players, tracked }) =>
          tracked.has(playerId) || players.length >= SEGMENT_CLIENT_LIMITS.segmentCommandPlayers,
      );
      present.add(playerId);
      step.players.push(registering);
    },
    partitions: () => [...byPartition.values()],
  };
}
