import type { Ids } from '../../../core/kernel/ids.ts';
import { uuidv5 } from '../../../core/kernel/ids.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { sleep } from '../../../core/kernel/clock.ts';
import type { AttemptOutcome, DeliverySender } from '../../../streams/sinks/webhooks/delivery/sender.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';

/** Delays before the second attempt, the third, …: short, so that a run includes all of them. */
export const RETRY_DELAYS_MS = [100, 300, 700, 1_500];
export const MOST_ATTEMPTS = RETRY_DELAYS_MS.length + 1;
export const ATTEMPT_TIMEOUT_MS = 800;
export const ACK_WAIT_MS = 2_000;

/** The receivers of all webhooks, and what they got. */
export interface Receivers {
  /** One process's connection to them. */
  sender(clock: Clock): DeliverySender;
  /** Ids of deliveries that a receiver accepted. */
  readonly accepted: ReadonlySet<string>;
  /** Attempts that failed, by delivery. */
  readonly failures: ReadonlyMap<string, number>;
  /** From now on every attempt is accepted. */
  heal(): void;
}

export function createReceivers(world: World): Receivers {
  const random = world.random('receivers');
  const accepted = new Set<string>();
  const failures = new Map<string, number>();
  let isWell = false;

  function outcomeOf(id: string): AttemptOutcome {
    const dice = isWell ? 0 : random.next();
    if (dice < 0.7) {
      accepted.add(id);
      // A receiver may accept a delivery without its sender learning of it.
      const isLost = !isWell && random.chance(0.1);
      return isLost ? { kind: 'timed_out' } : { kind: 'answered', status: 200, responseStart: '' };
    }
    failures.set(id, (failures.get(id) ?? 0) + 1);
    if (dice < 0.85) return { kind: 'answered', status: 500, responseStart: '' };
    return dice < 0.93 ? { kind: 'timed_out' } : { kind: 'connection_failed', reason: 'connection refused' };
  }

  return {
    sender: (clock) => ({
      async send({ body, timeoutMs }) {
        const { id }: { id: string } = JSON.parse(Buffer.from(body).toString('utf8'));
        const outcome = outcomeOf(id);
        world.cover(`receiver: ${outcome.kind}`);
        await sleep(clock, outcome.kind === 'timed_out' ? timeoutMs : random.between(1, 200));
        return outcome;
      },
      close() {},
    }),
    accepted,
    failures,
    heal() {
      isWell = true;
    },
  };
}

/** Ids from the simulation's random choices. */
export function createIds(random: Random): Ids {
  const next = (): string => uuidv5('00000000-0000-4000-8000-000000000000', String(random.next()));
  return {
    uuidv7: next,
    uuidv4: next,
    bytes: (sizeBytes) => Uint8Array.from({ length: sizeBytes }, () => random.int(0, 255)),
    random: () => random.next(),
  };
}
