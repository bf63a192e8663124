import { setTimeout as delay } from 'node:timers/promises';
import { createServer, ServiceError } from '../../../sdk/typescript/server/server.ts';

/* A game server that replaces the list of a segment, in a process of its own, so that it can be killed. */

export interface ListSpec {
  baseUrl: string;
  key: string;
  segmentId: string;
  /** Registered players of the list. */
  players: readonly string[];
  /** Ids of no player after each of them: they make the upload long. */
  unknownPerPlayer: number;
}

export type ListOutcome = { kind: 'resolved'; version: number } | { kind: 'rejected'; why: string; isUnclear: boolean };

async function* listed({ players, unknownPerPlayer }: ListSpec): AsyncGenerator<string> {
  for (const player of players) {
    yield player;
    for (let n = 0; n < unknownPerPlayer; n++) yield `nobody-${player}-${n}`;
  }
}

async function replace(spec: ListSpec): Promise<ListOutcome> {
  const server = createServer({ baseUrl: spec.baseUrl, key: spec.key, flags: false });
  for (let left = BUSY_TRIES; ; left--) {
    let waitMs = BUSY_MS;
    try {
      const { version } = await server.replaceMembers(spec.segmentId, () => listed(spec));
      return { kind: 'resolved', version };
    } catch (error) {
      const isBusy = error instanceof ServiceError && error.status === 409;
      if (!isBusy || left === 0) {
        const isUnclear = !(error instanceof ServiceError) || error.mayHaveTakenEffect;
        return { kind: 'rejected', why: String(error), isUnclear };
      }
      // After many broken lists the service says for how long it takes no other one.
      const seconds = error.details['retry_after_seconds'];
      if (typeof seconds === 'number') waitMs = seconds * 1_000;
    }
    await delay(waitMs);
  }
}

/** The list of a sender that was killed may still be loaded for an unknown time. */
const BUSY_MS = 250;
const BUSY_TRIES = 80;

if (import.meta.main) {
  const spec: ListSpec = JSON.parse(process.argv[2] ?? '');
  process.stdout.write(JSON.stringify(await replace(spec)));
}
