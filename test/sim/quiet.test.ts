import { expect, it } from 'vitest';
import { exposuresRecorded } from './quiet.ts';
import { createWorld } from './world.ts';

it('waits for exposures until no owner has written its store for a while', async () => {
  const { clock } = createWorld(1);
  const process = { writesStore: true };
  clock.timer(500, () => {
    process.writesStore = false;
  });
  let recordedMs: number | undefined;
  void exposuresRecorded({ clock }, [{ process: undefined }, { process }]).then(() => {
    recordedMs = clock.monotonicMs();
  });

  await clock.run(() => recordedMs !== undefined, 5_000);
  expect(recordedMs).toBeGreaterThanOrEqual(690);
  expect(recordedMs).toBeLessThan(800);
});
