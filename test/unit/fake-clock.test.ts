import { expect, test } from 'vitest';
import { sleep } from '../../core/kernel/clock.ts';
import { createFakeClock } from '../support/in-memory/fake-clock.ts';

test('timers fire in order of their due time, at that time, also those set meanwhile', async () => {
  const clock = createFakeClock(0);
  const fired: string[] = [];
  const note = (name: string) => () => fired.push(`${name}@${clock.monotonicMs()}`);
  clock.timer(20, note('b'));
  clock.timer(10, () => {
    note('a')();
    clock.timer(5, note('nested'));
  });
  clock.timer(20, note('c'));
  const cancel = clock.timer(15, note('cancelled'));
  cancel();
  await clock.advance(20);
  expect(fired).toEqual(['a@10', 'nested@15', 'b@20', 'c@20']);
  expect(clock.timers).toBe(0);
});

test('what a timer sets off settles before the next one fires', async () => {
  const clock = createFakeClock(0);
  const steps: string[] = [];
  void (async () => {
    await sleep(clock, 10);
    steps.push('one');
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    steps.push('two');
  })();
  clock.timer(11, () => steps.push('three'));
  await clock.advance(11);
  expect(steps).toEqual(['one', 'two', 'three']);
});

test('no timer fires synchronously', () => {
  const clock = createFakeClock(0);
  let fired = false;
  clock.timer(0, () => {
    fired = true;
  });
  expect(fired).toBe(false);
});

test('the wall clock jumps alone, for all or for one process', async () => {
  const clock = createFakeClock(1_000);
  const node = clock.node();
  clock.jumpWall(-500);
  node.jumpWall(60_000);
  await clock.advance(10);
  expect([clock.wallMs(), clock.monotonicMs()]).toEqual([510, 10]);
  expect([node.wallMs(), node.monotonicMs()]).toEqual([60_510, 10]);
});

test('a paused process catches up on its timers when it wakes; a killed one never does', async () => {
  const clock = createFakeClock(0);
  const paused = clock.node();
  const killed = clock.node();
  const fired: string[] = [];
  paused.timer(10, () => fired.push(`paused@${clock.monotonicMs()}`));
  const cancel = paused.timer(10, () => fired.push('cancelled while paused'));
  killed.timer(10, () => fired.push('killed'));
  paused.pause();
  killed.kill();
  await clock.advance(100);
  expect(fired).toEqual([]);
  cancel();
  paused.resume();
  killed.resume();
  expect(fired).toEqual(['paused@100']);
});

test('advanceUntil stops at the condition, and says when it never holds', async () => {
  const clock = createFakeClock(0);
  let done = false;
  clock.timer(250, () => {
    done = true;
  });
  await clock.advanceUntil(() => done, 1_000, 100);
  expect(clock.monotonicMs()).toBe(300);
  await expect(clock.advanceUntil(() => false, 1_000, 100)).rejects.toThrow(/did not hold within 1000 ms/);
});
