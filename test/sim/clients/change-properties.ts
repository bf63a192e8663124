import { AGGREGATES } from '../../../core/vocabulary/state/aggregates.ts';
import { sleep } from '../../../core/kernel/clock.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import type { PropertyDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ChangeOptions } from './change-options.ts';
import type { Random } from '../random.ts';

const KEYS = ['p0', 'p1', 'p2'] as const;
const WINDOWS = [null, 1, 2, 7] as const;

/** Creates, edits and deletes named computed properties, some of them read by conditions. */
export async function changeProperties({ world, serving, done }: ChangeOptions): Promise<void> {
  const random = world.random('properties');
  let version = 0;
  while (!done()) {
    await sleep(world.clock, random.between(0, random.chance(0.5) ? 1_500 : 6_000));
    const processes = serving();
    if (processes.length === 0) continue;
    const process = random.pick(processes);
    const config = process.serving?.config;
    // Owners sweep once there is a segment.
    if (config === undefined || config.list('segment').length === 0) continue;
    const key = random.pick(KEYS);
    const address = { game: 'demo', environment: 'live', kind: 'property', key } as const;
    const isHeld = config.get(address) !== undefined;
    version += 1;
    const document = drawProperty(random, key, version);
    process.clock.arrivals.timer(0.1, () => {
      if (process.serving === undefined) return;
      const { config } = process.serving;
      const held = config.get(address)?.document;
      if (held !== undefined && random.chance(0.4)) {
        void config.delete(address);
        world.cover('config: property deleted');
        // Some come back before every player has lost its values.
        if (random.chance(0.6)) {
          process.clock.arrivals.timer(random.between(50, 900), () => {
            void process.serving?.config.put(address, { ...held, version: held.version + 1 });
          });
        }
      } else {
        void config.put(address, document);
        world.cover(isHeld ? 'config: property edited' : 'config: property made');
      }
    });
  }
}

function drawProperty(random: Random, key: string, version: number): PropertyDocument {
  const aggregate = random.pick(AGGREGATES);
  const path = aggregate === 'distinct' ? 'level' : random.pick(['s', 'level']);
  return {
    key,
    name: key,
    description: '',
    event: drawEvent(random),
    where: random.chance(0.6) ? drawFilter(random) : null,
    aggregate,
    value: aggregate === 'count' ? null : `properties.${path}`,
    withinDays: random.pick(WINDOWS),
    createdAt: 0,
    updatedAt: version,
    version,
  };
}

/** A condition on events by their properties, or on a named property, which may not exist. */
export function drawCount(random: Random): JsonObject {
  if (random.chance(0.3)) return { [`computed.${random.pick(KEYS)}`]: { $gte: random.int(1, 4) } };
  const days = random.pick(WINDOWS);
  return {
    events: {
      name: drawEvent(random),
      ...(random.chance(0.8) ? { where: drawFilter(random) } : {}),
      ...(days === null ? {} : { within_days: days }),
      count: { $gte: random.int(1, 3) },
    },
  };
}

const drawEvent = (random: Random): string => `event_${random.int(1, 3)}`;

function drawFilter(random: Random): JsonObject {
  const level = random.int(1, 3);
  return { 'properties.level': random.chance(0.5) ? level : { $gte: level } };
}
