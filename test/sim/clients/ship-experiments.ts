import { actionsOf, afterAction } from '../../../actors/experiments/life.ts';
import { shippedFlag, unshippedFlag, withoutRemains } from '../../../actors/experiments/ship.ts';
import { withPeriods } from '../../../actors/flags/periods.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ConfigEntry, ConfigStore } from '../../../streams/config/config-store.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';

interface Shipping {
  world: World;
  random: Random;
  config: ConfigStore;
}

/**
 * Ships a winner, or takes it back, as the API does: two writes, between which the process may be killed, the flag may
 * be edited, and another process may do the same. Sometimes the request ends there, and a later one goes on.
 */
export function shipOrUndo(shipping: Shipping, held: ConfigEntry<'experiment'>): void {
  const flag = flagOf(shipping, held);
  if (flag === undefined) return;
  const isServed = unshippedFlag(flag.document, held.key) !== undefined;
  const isUndone = held.document.state === 'shipped' || (isServed && shipping.random.chance(0.5));
  void (isUndone ? undo(shipping, held) : ship(shipping, held, flag));
}

async function ship(shipping: Shipping, held: ConfigEntry<'experiment'>, flag: ConfigEntry<'flag'>): Promise<void> {
  const { world, random, config } = shipping;
  const drawn = random.pick(held.document.variants).key;
  const isLeft = random.chance(0.3);
  const nowMs = world.clock.wallMs();
  const isServed = unshippedFlag(flag.document, held.key) !== undefined;
  if (flag.document.shippedBy?.experiment === held.key)
    world.cover(`config: ship goes on, ${isServed ? 'served' : 'edited'}`);
  if (
    !isServed &&
    !(await writeFlag(shipping, flag, shippedFlag(clear(shipping, flag.document), held.document, drawn)))
  )
    return;
  const mark = flagOf(shipping, held)?.document.shippedBy;
  if (isLeft || mark?.experiment !== held.key) {
    world.cover('config: ship interrupted');
    return;
  }
  const current = config.get(held);
  if (current === undefined || !actionsOf(current.document).includes('ship')) return;
  const next = {
    ...afterAction(current.document, 'ship', nowMs),
    winner: mark.variant,
    shipping: { flagVersion: mark.version, at: nowMs },
    version: current.document.version + 1,
  };
  const written = await config.put(held, next, current.revision);
  const now = flagOf(shipping, held);
  if (written.kind !== 'written') {
    const isOpen = config.get(held)?.document.state !== 'shipped';
    if (written.kind === 'conflict' && isOpen && now !== undefined) await clean(shipping, now, held);
    return;
  }
  world.cover('config: experiment shipped');
  if (now === undefined || unshippedFlag(now.document, held.key) !== undefined) return;
  world.cover('config: ship put back');
  await config.put(held, { ...current.document, version: next.version + 1 }, written.entry.revision);
  await clean(shipping, now, held);
}

const clean = (shipping: Shipping, flag: ConfigEntry<'flag'>, { document }: ConfigEntry<'experiment'>) =>
  writeFlag(shipping, flag, withoutRemains(flag.document, document.key));

/** Without what an interrupted request left of another experiment. */
function clear({ config, world }: Shipping, flag: FlagDocument): FlagDocument {
  const { experiment: key } = flag.shippedBy ?? {};
  if (key === undefined) return flag;
  const other = config.get({ game: 'demo', environment: 'live', kind: 'experiment', key })?.document;
  if (other?.state === 'shipped') return flag;
  world.cover('config: remains of an interrupted ship');
  return withoutRemains(flag, key);
}

async function undo(shipping: Shipping, held: ConfigEntry<'experiment'>): Promise<void> {
  const { world, random, config } = shipping;
  const isLeft = random.chance(0.3);
  const before = flagOf(shipping, held);
  if (before === undefined || unshippedFlag(before.document, held.key) === undefined) return;
  const { document } = held;
  if (document.state === 'shipped') {
    const stopped = { ...afterAction(document, 'undo', world.clock.wallMs()), version: document.version + 1 };
    if ((await config.put(held, stopped, held.revision)).kind !== 'written' || isLeft) return;
  }
  const flag = flagOf(shipping, held);
  const taken = flag && unshippedFlag(flag.document, held.key);
  if (flag === undefined || taken === undefined) return;
  if (await writeFlag(shipping, flag, taken)) world.cover('config: experiment undone');
}

function flagOf({ config }: Shipping, { document }: ConfigEntry<'experiment'>): ConfigEntry<'flag'> | undefined {
  const flag = config.get({ game: 'demo', environment: 'live', kind: 'flag', key: document.flagKey });
  return flag?.document.archivedAt === null ? flag : undefined;
}

async function writeFlag({ config, world }: Shipping, held: ConfigEntry<'flag'>, next: FlagDocument): Promise<boolean> {
  const { document, revision } = held;
  const made = { ...withPeriods(document, next, world.clock.wallMs()), version: document.version + 1 };
  return (await config.put(held, made, revision)).kind === 'written';
}
