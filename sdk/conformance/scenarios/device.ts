import assert from 'node:assert/strict';
import { finish, storedNumbers } from '../checks.ts';
import { storedText } from '../stored-files.ts';
import type { Scenario } from '../scenario.ts';
import { START_MS } from '../world.ts';

/* What may happen on the device, but for its storage. */

const HOUR_MS = 3_600_000;

export const device: Scenario[] = [
  {
    name: 'sends after a restart what was tracked before it, with its session',
    async run(world) {
      await world.start();
      await world.track(2);
      world.server.always = () => 'cut';
      await world.track(70);
      await world.run({ do: 'flush' });
      await world.kill();
      await world.start();
      await world.track(3);
      await world.kill();
      world.server.always = () => 'ok';
      await world.start();
      await world.track(3);
      await finish(world);
      const sessions = world.server.service.events.map(({ session_id: session }) => session);
      assert.deepEqual(new Set(sessions), new Set(['ses_1']));
    },
  },
  {
    name: 'doubles nothing when it is killed before it knows the answer',
    async run(world) {
      await world.start();
      for (const trick of ['held', 'lost', 'held'] as const) {
        await world.track(8);
        world.server.tricks = [trick];
        await world.run({ do: 'flush' });
        await world.kill();
        await world.start();
      }
      await finish(world);
    },
  },
  {
    name: 'stores events before it sends them',
    async run(world) {
      await world.start();
      const unstored: string[] = [];
      let arrived = 0;
      // Read in the moment in which the request is here.
      world.server.always = ({ path, body }) => {
        if (!path.endsWith('/sync')) return 'ok';
        const events: unknown[] = Array.isArray(body['events']) ? body['events'] : [];
        const stored = storedText(world.folder);
        const ids = events.map((event) => String(Object(event).event_id));
        arrived += ids.length;
        unstored.push(...ids.filter((id) => !stored.includes(id)));
        return 'held';
      };
      // So many that the last ones make the client send at once.
      await world.track(36);
      await world.run({ do: 'flush' });
      assert(arrived > 0);
      assert.deepEqual(unstored, []);
      await world.kill();
      await world.start();
      await finish(world);
    },
  },
  {
    name: 'records a session that was played offline, with its own start and end',
    async run(world) {
      await world.start();
      await world.quit();
      world.server.always = () => 'cut';
      await world.start();
      const startMs = START_MS + world.nowMs;
      await world.track(3);
      await world.pass(60_000);
      await world.track(3);
      const endMs = START_MS + world.nowMs;
      await world.run({ do: 'end' });
      await world.kill();
      world.server.always = () => 'ok';
      await world.start();
      await finish(world);
      const [session, ...others] = world.server.service.recorded;
      assert.deepEqual(others, []);
      assert(Math.abs(Date.parse(String(session?.['start_time'])) - startMs) <= 2000);
      assert(Math.abs(Date.parse(String(session?.['end_time'])) - endMs) <= 2000);
      assert.equal(session?.['duration_seconds'], Math.round((endMs - startMs) / 1000));
      assert(world.server.service.events.every(({ session_id: id }) => id === session?.['session_id']));
    },
  },
  {
    name: 'starts offline with the flags of the session before',
    async run(world) {
      await world.start();
      await world.kill();
      world.server.always = () => 'cut';
      await world.start();
      assert.equal(await world.flag('new_shop', 'old'), 'blue');
      assert.equal(await world.flag('double_xp', true), false);
      await world.track(2);
      await finish(world);
    },
  },
  {
    name: 'sends the times of the service, whatever the clock of the device says',
    async run(world) {
      for (const hours of [5, -26]) {
        await world.setDeviceClock(hours * HOUR_MS);
        await world.start();
        const count = world.server.service.events.length;
        await world.track(2);
        const atMs = START_MS + world.nowMs;
        await finish(world);
        for (const { timestamp } of world.server.service.events.slice(count)) {
          const difference = Date.parse(timestamp) - atMs;
          assert(Math.abs(difference) <= 2000, `an event is ${difference} ms off`);
        }
        await world.quit();
      }
    },
  },
  {
    name: 'corrects the times of events that it tracked before it knew the time of the service',
    async run(world) {
      await world.setDeviceClock(3 * HOUR_MS);
      world.server.always = () => 'cut';
      await world.start();
      const atMs = START_MS + world.nowMs;
      await world.track(2);
      await finish(world);
      for (const { timestamp } of world.server.service.events) {
        const difference = Date.parse(timestamp) - atMs;
        assert(Math.abs(difference) <= 2000, `an event is ${difference} ms off`);
      }
    },
  },
  {
    name: 'keeps the order when the clock is set back while the game runs',
    async run(world) {
      await world.start();
      await world.track(3);
      await world.setDeviceClock(-2 * HOUR_MS);
      await world.track(3);
      await world.pass(5_000);
      await world.setDeviceClock(9 * HOUR_MS);
      await world.track(3);
      await world.setDeviceClock(-9 * HOUR_MS);
      await world.pass(1_000);
      await world.track(3);
      await finish(world);
    },
  },
  {
    name: 'keeps the order through restarts while the clock goes back',
    async run(world) {
      world.server.always = () => 'cut';
      for (const hours of [0, -5, -50]) {
        await world.setDeviceClock(hours * HOUR_MS);
        await world.start();
        await world.track(4);
        await world.kill();
      }
      world.server.always = () => 'ok';
      await world.start();
      await finish(world);
    },
  },
  {
    name: 'sends at once when the app goes to the background',
    async run(world) {
      await world.start();
      await world.track(4);
      const { nowMs } = world;
      await world.run({ do: 'pause', isPaused: true });
      assert.equal(storedNumbers(world).length, 4);
      assert.equal(world.nowMs, nowMs);
      await world.pass(HOUR_MS);
      await world.run({ do: 'pause', isPaused: false });
      await world.track(2);
      await finish(world);
    },
  },
  {
    name: 'loses nothing when the game ends, online and offline',
    async run(world) {
      await world.start();
      await world.track(4);
      await world.quit();
      world.server.always = () => 'cut';
      await world.start();
      await world.track(4);
      await world.quit();
      world.server.always = () => 'ok';
      await world.start();
      await finish(world);
      assert.equal(world.server.service.sessions.get('ses_1'), 'ended');
    },
  },
  {
    name: 'stops when the player opts out, removes what is stored, and remembers it',
    async run(world) {
      await world.start();
      await world.track(2);
      await finish(world);
      world.server.always = () => 'cut';
      await world.track(4);
      await world.run({ do: 'flush' });
      await world.run({ do: 'consent', isGiven: false });
      const before = world.server.exchanges.length;
      world.server.always = () => 'ok';
      assert.deepEqual(await world.track(1), [false]);
      assert.equal(await world.flag('new_shop', 'old'), 'old');
      await world.pass(HOUR_MS);
      await world.kill();
      assert(!storedText(world.folder).includes('step'), 'an event is still stored');
      assert(!storedText(world.folder).includes('blue'), 'flags are still stored');
      await world.start();
      assert.deepEqual(await world.track(1), [false]);
      await world.pass(HOUR_MS);
      assert.equal(world.server.exchanges.length, before);
      await world.run({ do: 'consent', isGiven: true });
      await world.track(2);
      await finish(world, new Set([3, 4, 5, 6]));
      assert.equal(await world.flag('new_shop', 'old'), 'blue');
    },
  },
  {
    name: 'sends and stores nothing before the player agrees, where that is required',
    async run(world) {
      await world.start({ consent: 'required' });
      assert.deepEqual(await world.track(1), [false]);
      await world.pass(HOUR_MS);
      assert.equal(world.server.exchanges.length, 0);
      await world.run({ do: 'consent', isGiven: true });
      await world.track(2);
      await world.kill();
      await world.start({ consent: 'required' });
      await world.track(2);
      await finish(world);
    },
  },
];
