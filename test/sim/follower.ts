import { sleep } from '../../core/kernel/clock.ts';
import type { LiveReader } from '../../streams/live-feed.ts';
import { lastErasures } from './checks/check-outputs.ts';
import type { Observer } from './observer.ts';
import type { SimProcess } from './machines/sim-process.ts';
import type { World } from './world.ts';

/** One reader of the event stream (SSE). It reconnects with `Last-Event-ID` whenever the connection ends. */
export interface Follower {
  run(): Promise<void>;
  /** Whether a heartbeat confirmed that the reader has everything up to this record of FACTS. */
  has(sequence: number): boolean;
  /** Every event since the first `connected`, once, in the order of the log; after a `gap` only later ones. */
  check(observer: Observer): void;
}

interface Delivered {
  type: 'event' | 'gap';
  sequence: number;
  index: number;
}

const NETWORK_MS = 0.5;
/** Bytes that a slow connection has not received yet. */
const BEHIND_BYTES = 300 * 1024;

export function createFollower(world: World, serving: () => readonly SimProcess[]): Follower {
  const random = world.random('follower');
  const delivered: Delivered[] = [];
  let lastId: string | undefined;
  let startSequence: number | undefined;
  /** Counts connections, so that late messages of an earlier one are ignored. */
  let connection = 0;

  /** @param most the maximum number of messages that arrive */
  function receive(bytes: Uint8Array, most: number): void {
    const messages = Buffer.from(bytes).toString('utf8').split('\n\n');
    for (const message of messages.slice(0, most)) {
      const data = /^data: (.*)$/m.exec(message)?.[1];
      const id = /^id: (.*)$/m.exec(message)?.[1];
      if (data === undefined) continue;
      const { type }: { type: string } = JSON.parse(data);
      world.cover(`live: ${type}`);
      lastId = id ?? lastId;
      const [, sequence = '0', index = '0'] = (id ?? '').split('-');
      if (type === 'connected') startSequence ??= Number(sequence);
      if (type === 'event' || type === 'gap')
        delivered.push({ type, sequence: Number(sequence), index: Number(index) });
    }
  }

  /** Resolves when the connection has ended. */
  function connect(process: SimProcess): Promise<void> {
    connection += 1;
    const mine = connection;
    let behindUntilMs = 0;
    return new Promise((resolve) => {
      const reader: LiveReader = {
        write(...messages) {
          const bytes = Buffer.concat(messages);
          // Sometimes the connection breaks within a burst.
          const most = random.chance(0.02) ? 1 : Infinity;
          world.clock.timer(NETWORK_MS, () => {
            if (mine !== connection) return;
            receive(bytes, most);
            if (most === Infinity) return;
            connection += 1;
            resolve();
          });
          if (random.chance(0.03)) behindUntilMs = world.clock.monotonicMs() + random.between(10, 600);
          return reader.bufferedBytes() === 0;
        },
        bufferedBytes: () => (world.clock.monotonicMs() < behindUntilMs ? BEHIND_BYTES : 0),
        end: resolve,
      };
      void process.gone.then(resolve);
      process.clock.arrivals.timer(NETWORK_MS, () => {
        const { serving: current } = process;
        if (current === undefined) {
          resolve();
          return;
        }
        const resume = lastId === undefined ? {} : { lastEventId: lastId };
        const detach = current.feed.attach(
          { key: 'key_1', game: 'demo', environment: 'live', eventNames: [], ...resume },
          reader,
        );
        // Sometimes a connection ends without a fault.
        world.clock.timer(random.between(2_000, 20_000), () => {
          if (process.clock.state === 'running') detach();
          resolve();
        });
      });
    });
  }

  return {
    async run() {
      for (;;) {
        await sleep(world.clock, random.between(1, 400));
        const processes = serving();
        if (processes.length > 0) await connect(random.pick(processes));
        connection += 1;
      }
    },
    has(sequence) {
      const [, last, index] = (lastId ?? '').split('-');
      return index === 'end' && Number(last) >= sequence;
    },
    check(observer) {
      const last = lastErasures(observer);
      /** Events of a player that was erased since. A reader that reconnects does not get them. */
      const maySkip = new Set<string>();
      const owed = observer.commits
        .filter(({ sequence }) => sequence > (startSequence ?? Infinity))
        .flatMap(({ record, sequence }) =>
          record.facts.flatMap((fact, index) => {
            if (fact.kind !== 'EventTracked' || fact.environment !== 'live') return [];
            const position = `${sequence}-${index}`;
            const erasure = last.get(fact.entityId);
            if (erasure !== undefined && isBefore({ sequence, index }, erasure)) maySkip.add(position);
            return [position];
          }),
        );
      let next = 0;
      let mayMiss = false;
      for (const { type, sequence, index } of delivered) {
        if (type === 'gap') {
          mayMiss = true;
          continue;
        }
        const at = owed.indexOf(`${sequence}-${index}`, next);
        const isSkipped = at > next && !owed.slice(next, at).every((position) => maySkip.has(position));
        if (at > next && !isSkipped) world.cover('live: events of an erased player passed over');
        if (at < 0 || (isSkipped && !mayMiss)) {
          world.violate('stream-in-order', `the stream sent ${sequence}-${index} but ${owed[next]} was next`);
          return;
        }
        mayMiss = false;
        next = at + 1;
      }
      const missed = owed.slice(next).find((place) => !maySkip.has(place));
      if (missed !== undefined && !mayMiss) world.violate('stream-in-order', `the stream never sent ${missed}`);
    },
  };
}

function isBefore(one: { sequence: number; index: number }, other: { sequence: number; index: number }): boolean {
  return one.sequence < other.sequence || (one.sequence === other.sequence && one.index < other.index);
}
