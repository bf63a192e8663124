import { expect, it } from 'vitest';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import { createProgressWriter, type SegmentProgress } from './segment-progress.ts';

const progressAt = (revision: number, done: boolean): SegmentProgress => ({
  revision,
  done,
  firstPassDone: done,
  tenants: {},
  overBudget: {},
});

it('never replaces the progress of a successor, even if the deposed owner reads it late', async () => {
  const clock = createFakeClock();
  const log = createMemoryBroker({ clock }).connect('n1');
  let answer: () => void = () => {};
  const late = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const lateLog: Parameters<typeof createProgressWriter>[0]['log'] = {
    bucket(name) {
      const bucket = log.bucket(name);
      return { ...bucket, get: (key) => late.then(() => bucket.get(key)) };
    },
  };
  const shared = { partition: 0, clock, logger: silentLogger };
  let leads = true;
  const deposed = createProgressWriter({ ...shared, log: lateLog, leaseHeld: () => leads });
  const successor = createProgressWriter({ ...shared, log, leaseHeld: () => true });
  deposed.report(progressAt(37, false));
  await clock.advance(100);
  leads = false;
  successor.report(progressAt(43, true));
  await clock.advance(100);

  answer();
  await clock.advance(100);
  let stored: SegmentProgress | undefined;
  void successor.load().then((progress) => {
    stored = progress;
  });
  await clock.advance(100);
  expect(stored).toMatchObject({ revision: 43, done: true });
});
