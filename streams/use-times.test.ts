import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../test/support/in-memory/silent-logger.ts';
import { createMemoryBroker } from './log/memory/log-memory.ts';
import { createUseTimes, readUseTimes } from './use-times.ts';

const EVERY_MS = 15_000;
const MOST = 100;
const SCOPE = { game: 'demo', environment: 'live' } as const;

function gateways(existing: string[]) {
  const clock = createFakeClock();
  const log = createMemoryBroker({ clock }).connect();
  const isThere = (_: object, key: string): boolean => existing.includes(key);
  const create = () =>
    createUseTimes({ subject: 'flags', log, isThere, everyMs: EVERY_MS, most: MOST, clock, logger: silentLogger });
  /** The clock stands still: messages arrive when nothing else is to be done. */
  const settled = async <T>(work: Promise<T>): Promise<T> => {
    await clock.advance(100);
    return work;
  };
  return { clock, create, settled, log };
}

describe('the times of evaluations', () => {
  it('are read at once by the process that noted them, and by others after an interval', async () => {
    const { clock, create, settled } = gateways(['shop']);
    const [one, other] = [create(), create()];
    const at = clock.wallMs();
    one.note(SCOPE, ['shop']);
    expect((await settled(one.read(SCOPE))).byKey.get('shop')).toBe(at);
    expect((await settled(other.read(SCOPE))).byKey.size).toBe(0);
    await clock.advance(EVERY_MS);
    expect((await settled(other.read(SCOPE))).byKey.get('shop')).toBe(at);
    expect((await settled(other.read({ ...SCOPE, environment: 'test' }))).byKey.size).toBe(0);
  });

  it('merge by the later time, and hold a mark for all flags', async () => {
    const { clock, create, settled } = gateways(['shop', 'hat']);
    const [one, other] = [create(), create()];
    const first = clock.wallMs();
    one.note(SCOPE, ['shop']);
    await clock.advance(1_000);
    other.note(SCOPE, ['shop', 'hat']);
    one.note(SCOPE, 'all');
    await clock.advance(EVERY_MS);
    const { all, byKey } = await settled(create().read(SCOPE));
    expect(all).toBe(first + 1_000);
    expect([...byKey]).toEqual(
      expect.arrayContaining([
        ['shop', first + 1_000],
        ['hat', first + 1_000],
      ]),
    );
  });

  it('keep no keys without a flag, and are stored when the process stops', async () => {
    const { clock, create, settled } = gateways(['shop']);
    const one = create();
    const at = clock.wallMs();
    one.note(SCOPE, ['shop', 'nobody knows it']);
    await settled(one.stop());
    expect([...(await settled(create().read(SCOPE))).byKey]).toEqual([['shop', at]]);
  });

  it('are noted for a flag, however many keys without a flag a client names', async () => {
    const { clock, create, settled } = gateways(['shop', 'hat']);
    const one = create();
    const first = clock.wallMs();
    one.note(SCOPE, ['shop']);
    one.note(
      SCOPE,
      Array.from({ length: MOST + 1 }, (_, index) => `nobody knows ${index}`),
    );
    await clock.advance(1_000);
    one.note(SCOPE, ['shop']);
    one.note(SCOPE, ['hat']);
    const { byKey } = await settled(one.read(SCOPE));
    expect([byKey.get('shop'), byKey.get('hat')]).toEqual([first + 1_000, first + 1_000]);
    expect(byKey.size).toBeLessThanOrEqual(MOST + 1);
  });

  it('of what is forgotten are forgotten with the next write', async () => {
    const existing = ['old', 'new'];
    const { clock, create, settled, log } = gateways(existing);
    const one = create();
    one.note(SCOPE, ['old']);
    await clock.advance(EVERY_MS);
    existing.shift();
    one.note(SCOPE, ['new']);
    await clock.advance(EVERY_MS);
    expect([...(await settled(readUseTimes(log, 'flags', SCOPE))).byKey.keys()]).toEqual(['new']);
    expect((await settled(readUseTimes(log, 'keys', SCOPE))).byKey.size).toBe(0);
  });
});
