import assert from 'node:assert/strict';
import { finish, timesOf } from '../checks.ts';
import type { Scenario } from '../scenario.ts';
import { stateOf } from '../stored-files.ts';
import type { World } from '../world.ts';

/* Which session events belong to when the client starts again, and what becomes of a player who has left. */

const MINUTE_MS = 60_000;

const sessionsOf = ({ server }: World) => server.service.events.map(({ session_id: session }) => session);

export const sessions: Scenario[] = [
  {
    name: 'is one session through five reloads within a minute, and another one after half an hour',
    async run(world) {
      for (let reload = 0; reload < 5; reload += 1) {
        await world.start();
        await world.track(1);
        await world.pass(9_000);
        await world.kill();
      }
      world.sleep(29 * MINUTE_MS);
      await world.start();
      await world.track(1);
      await finish(world);
      assert.deepEqual(new Set(sessionsOf(world)), new Set(['ses_1']));
      await world.kill();
      world.sleep(31 * MINUTE_MS);
      await world.start();
      await world.track(1);
      await finish(world);
      assert.deepEqual([sessionsOf(world).at(-1), timesOf(world, '/init').length], ['ses_2', 2]);
      assert.deepEqual(world.server.service.recorded, []);
    },
  },
  {
    name: 'is one session through reloads without network',
    async run(world) {
      world.server.always = () => 'cut';
      for (let reload = 0; reload < 3; reload += 1) {
        await world.start();
        await world.track(2);
        await world.pass(10_000);
        await world.kill();
      }
      world.server.always = () => 'ok';
      await world.start();
      await world.track(1);
      await finish(world);
      const { service } = world.server;
      assert.deepEqual([new Set(sessionsOf(world)).size, service.sessions.size + service.recorded.length], [1, 1]);
    },
  },
  {
    name: 'goes on with a session that is recorded with its start, when its end comes after a reload',
    async run(world) {
      world.server.always = () => 'cut';
      await world.start();
      await world.track(1);
      await world.pass(2 * MINUTE_MS);
      await world.kill();
      await world.start();
      await world.track(1);
      await world.quit();
      world.server.always = () => 'ok';
      await world.start();
      await finish(world);
      const seconds = world.server.service.recorded.map(({ duration_seconds: each }) => each);
      assert.deepEqual([seconds.length, Number(seconds[0]) >= 120], [1, true]);
    },
  },
  {
    name: 'has the flags of the service after a reload, and goes on when the session is gone',
    async run(world) {
      const { service } = world.server;
      await world.start();
      await world.track(1);
      await world.pass(31_000);
      await world.kill();
      service.flags['new_shop'] = { enabled: true, variant: 'c', value: 'red' };
      await world.start();
      assert.equal(await world.flag('new_shop', 'old'), 'red');
      assert.equal(timesOf(world, '/init').length, 1);
      await world.kill();
      service.sessions.set('ses_1', 'expired');
      service.flags['new_shop'] = { enabled: true, variant: 'd', value: 'green' };
      await world.start();
      assert.equal(await world.flag('new_shop', 'old'), 'green');
      await world.track(1);
      await finish(world);
      assert.deepEqual(sessionsOf(world), ['ses_1', 'ses_2']);
    },
  },
  {
    name: 'begins another session after an end, however soon',
    async run(world) {
      await world.start();
      await world.track(1);
      await world.quit();
      await world.start();
      await world.track(1);
      await finish(world);
      assert.deepEqual(sessionsOf(world), ['ses_1', 'ses_2']);
    },
  },
  {
    name: 'opens one other session when it was killed between the writes of an end and of the state',
    async run(world) {
      await world.start();
      await world.track(1);
      await world.pass(31_000);
      const restore = stateOf(world.folder);
      world.server.always = () => 'cut';
      await world.run({ do: 'end' });
      await world.kill();
      restore();
      world.server.always = () => 'ok';
      await world.start();
      await world.track(1);
      await finish(world);
      assert.deepEqual([sessionsOf(world), timesOf(world, '/init').length], [['ses_1', 'ses_2'], 2]);
    },
  },
  {
    name: 'sends what a guest tracked offline once another player is online',
    async run(world) {
      world.server.always = () => 'cut';
      await world.start({}, 'guest');
      await world.track(5);
      await world.quit();
      world.server.always = () => 'ok';
      await world.start({}, 'bob');
      await world.track(1);
      await world.pass(15_000);
      const { service, exchanges } = world.server;
      const guests = service.events.filter(({ player_id: id }) => id.endsWith('6775657374'));
      assert.deepEqual(
        guests.map(({ properties }) => Object(properties).n),
        [1, 2, 3, 4, 5],
      );
      assert.equal(service.recorded.length, 1);
      assert.equal(
        timesOf(world, '/init').length,
        exchanges.filter(({ trick, path }) => path.endsWith('/init') && trick === 'ok').length,
      );
      await world.pass(60_000);
      assert.deepEqual(service.events.length, 6);
      await world.quit();
      // Nothing of the guest is left for the next start.
      const before = exchanges.length;
      await world.start({}, 'bob');
      await world.pass(15_000);
      const later = exchanges.slice(before).map(({ text }) => text);
      assert.deepEqual(
        later.filter((text) => text.includes('6775657374') || text.includes('guest')),
        [],
      );
    },
  },
  {
    name: 'sends what a player left who had a session, also after another outage',
    async run(world) {
      await world.start({}, 'guest');
      await world.track(1);
      await world.pass(31_000);
      world.server.always = () => 'cut';
      await world.track(3);
      await world.run({ do: 'setState', attributes: { level: 4 } });
      await world.quit();
      await world.start({}, 'bob');
      await world.track(1);
      await world.pass(60_000);
      world.server.always = ({ body }) => (JSON.stringify(body).includes('6775657374') ? 'cut' : 'ok');
      await world.pass(120_000);
      world.server.always = () => 'ok';
      await world.pass(180_000);
      const { service } = world.server;
      assert.deepEqual(
        service.events
          .map(({ properties, session_id: session }) => [Object(properties).n, session])
          .sort(([a], [b]) => Number(a) - Number(b)),
        [
          [1, 'ses_1'],
          [2, 'ses_1'],
          [3, 'ses_1'],
          [4, 'ses_1'],
          [5, 'ses_2'],
        ],
      );
      assert.equal(service.sessions.get('ses_1'), 'ended');
      assert.deepEqual(service.attributes, { level: 4 });
    },
  },
];
