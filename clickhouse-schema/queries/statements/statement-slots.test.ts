import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { createStatementSlots } from './statement-slots.ts';

const WAIT_MS = 5_000;

/** Slots whose callers have names; `log` says who entered or was refused, in order. */
function slotsOf(waiting: number) {
  const clock = createFakeClock();
  const slots = createStatementSlots({ places: 1, waiting, waitMs: WAIT_MS, clock });
  const log: string[] = [];
  let release = (): void => {};
  const take = (name: string, tenant?: string): void => {
    slots.take(tenant).then(
      (given) => {
        release = given;
        log.push(name);
      },
      () => log.push(`${name} refused`),
    );
  };
  const settled = () => clock.advance(1);
  return { clock, log, take, settled, releaseOne: () => (release(), settled()) };
}

describe('slots for statements', () => {
  it('go to callers in their order', async () => {
    const { log, take, settled, releaseOne } = slotsOf(2);
    for (const name of ['a', 'b', 'c', 'd']) take(name);
    await settled();
    await releaseOne();
    await releaseOne();
    expect(log).toEqual(['a', 'd refused', 'b', 'c']);
  });

  it('go to tenants in turns, however many statements one of them has', async () => {
    const { log, take, settled, releaseOne } = slotsOf(8);
    for (const name of ['a1', 'a2', 'a3', 'a4']) take(name, 'a');
    for (const name of ['b1', 'b2']) take(name, 'b');
    await settled();
    for (let more = 0; more < 5; more += 1) await releaseOne();
    expect(log).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
  });

  it('have room for a tenant while another one fills the queue', async () => {
    const { log, take, settled, releaseOne } = slotsOf(4);
    for (const name of ['a0', 'a1', 'a2', 'a3', 'a4', 'a5']) take(name, 'a');
    for (const name of ['b1', 'b2', 'b3']) take(name, 'b');
    await settled();
    expect(new Set(log)).toEqual(new Set(['a0', 'a5 refused', 'a4 refused', 'a3 refused', 'b3 refused']));
    for (let more = 0; more < 4; more += 1) await releaseOne();
    expect(log.slice(-4)).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it('refuse those who waited for long', async () => {
    const { clock, log, take, settled, releaseOne } = slotsOf(4);
    for (const name of ['a', 'b']) take(name);
    await clock.advance(WAIT_MS);
    expect(log).toEqual(['a', 'b refused']);
    await releaseOne();
    take('c');
    await settled();
    expect(log.at(-1)).toBe('c');
  });
});
