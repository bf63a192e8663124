import assert from 'node:assert/strict';
import { appendFile, readFile, truncate } from 'node:fs/promises';
import { finish, storedNumbers, timesOf } from '../checks.ts';
import type { Scenario } from '../scenario.ts';
import { queueFile } from '../stored-files.ts';

/* What may happen to the queue and its storage. */

export const storage: Scenario[] = [
  {
    name: 'drops the oldest events when its queue is full, and says so',
    async run(world) {
      world.server.always = () => 'cut';
      await world.start({ maxQueued: 50 });
      await world.track(80);
      const missing = new Set(Array.from({ length: 30 }, (_, index) => index + 1));
      assert.deepEqual(new Set(world.dropped.map(({ reason }) => reason)), new Set(['queue-full']));
      assert.equal(world.dropped.length, 30);
      await world.kill();
      await world.start({ maxQueued: 50 });
      await finish(world, missing);
      assert.equal(world.dropped.length, 30);
    },
  },
  {
    name: 'refuses events that the service would refuse, and says so',
    async run(world) {
      await world.start();
      const results = [
        ...(await world.track(1, '')),
        ...(await world.track(1, 'x'.repeat(129))),
        ...(await world.track(1, 'big', { text: 'x'.repeat(70_000) })),
        ...(await world.track(1, 'good')),
      ];
      assert.deepEqual(results, [false, false, false, true]);
      assert.deepEqual(
        world.dropped.map(({ reason }) => reason),
        ['invalid', 'invalid', 'too-large'],
      );
      await finish(world);
    },
  },
  {
    name: 'continues in memory when storage fails, and says so',
    async run(world) {
      await world.start();
      await world.run({ do: 'disk', isFull: true });
      await world.track(40);
      await world.pass(60_000);
      assert(world.problems.includes('storage'));
      assert.equal(storedNumbers(world).length, 40);
      world.server.always = () => 'cut';
      await world.track(5);
      await world.pass(60_000);
      await world.run({ do: 'disk', isFull: false });
      await world.track(5);
      await world.pass(600_000);
      await world.kill();
      world.server.always = () => 'ok';
      await world.start();
      await finish(world);
    },
  },
  {
    name: 'starts with storage that fails',
    async run(world) {
      world.server.always = () => 'cut';
      await world.start();
      await world.run({ do: 'disk', isFull: true });
      await world.track(10);
      await world.pass(10_000);
      world.server.always = () => 'ok';
      await finish(world);
    },
  },
  {
    name: 'reads a queue whose last write was torn',
    needs: 'log',
    async run(world) {
      world.server.always = () => 'cut';
      await world.start();
      await world.track(10, 'step', { text: 'ä😀' });
      await world.kill();
      const file = queueFile(world.folder);
      // The write of one more event, of which a part reached the disk: half of an ä at the end.
      await appendFile(file, Buffer.concat([Buffer.from('{"kind":"event","id":"torn-1","name":"st'), Buffer.of(0xc3)]));
      await world.start();
      await world.track(5);
      await world.kill();
      // The last event lost its end: it was never promised, because its write did not return.
      const { length } = await readFile(queueFile(world.folder));
      await truncate(queueFile(world.folder), length - 7);
      world.tracked.pop();
      await world.start();
      await world.track(5);
      await finish(world);
    },
  },
  {
    name: 'reads a queue with lines that are not its own',
    needs: 'log',
    async run(world) {
      world.server.always = () => 'cut';
      await world.start();
      await world.track(3);
      await world.kill();
      const strange = ['', '{', 'null', '7', '[]', '{"kind":"event"}', '\u0000\u0000', '{"kind":"later","id":"x"}'];
      const wrong = '{"kind":"event","id":7,"name":"a","atMs":"x","corrected":1,"session":null,"properties":"["}';
      await appendFile(queueFile(world.folder), [...strange, wrong, '['.repeat(50_000), ''].join('\n'));
      await world.start();
      await world.track(3);
      await finish(world);
    },
  },
  {
    name: 'does not let its file grow with what was sent',
    needs: 'log',
    async run(world) {
      await world.start();
      for (let round = 0; round < 60; round += 1) {
        await world.track(50, 'step', { text: 'x'.repeat(200) });
        await world.run({ do: 'flush' });
        await world.track(1);
      }
      const { length } = await readFile(queueFile(world.folder));
      assert(length > 0 && length < 600_000, `${length} bytes`);
      await finish(world);
      assert(timesOf(world, '/sync').length >= 60);
    },
  },
];
