import assert from 'node:assert/strict';
import { finish, sentEvents, storedNumbers, timesOf } from '../checks.ts';
import type { Scenario } from '../scenario.ts';

/* What the service may answer. */

export const answers: Scenario[] = [
  {
    name: 'sends events, attributes and the end of the session, and serves flags',
    async run(world) {
      await world.start();
      assert.equal(await world.flag('new_shop', 'old'), 'blue');
      assert.equal(await world.flag('double_xp', true), false);
      assert.equal(await world.flag('unknown', 'mine'), 'mine');
      assert.equal(await world.flag('unknown', true), true);
      await world.track(7, 'step', { text: 'ä€😀\u2028"\\\n', list: [1, 2.5, null, true, { deep: {} }] });
      await world.run({ do: 'setState', attributes: { level: 1, name: 'Ann' } });
      await world.run({ do: 'setState', attributes: { level: 2, old: null } });
      await world.pass(31_000);
      assert.deepEqual(world.server.service.attributes, { level: 2, name: 'Ann', old: null });
      assert.deepEqual(world.server.service.events[0]?.properties, {
        n: 1,
        text: 'ä€😀\u2028"\\\n',
        list: [1, 2.5, null, true, { deep: {} }],
      });
      world.server.service.flags['new_shop'] = { enabled: true, variant: 'c', value: 'red' };
      world.changes.length = 0;
      await world.pass(31_000);
      assert.deepEqual(world.changes, ['new_shop']);
      assert.equal(await world.flag('new_shop', 'old'), 'red');
      await world.track(3);
      await world.run({ do: 'end' });
      await finish(world);
      assert.equal(world.server.service.sessions.get('ses_1'), 'ended');
      assert.equal(timesOf(world, '/init').length, 1);
      await world.track(1);
      await finish(world);
      assert.equal(world.server.service.events.at(-1)?.session_id, 'ses_2');
    },
  },
  {
    name: 'sends many events in requests of at most 50, in order',
    async run(world) {
      await world.start();
      await world.track(230);
      await finish(world);
    },
  },
  {
    name: 'sends large events in requests below 64 KiB',
    async run(world) {
      await world.start();
      for (let round = 0; round < 5; round += 1) await world.track(4, 'step', { text: 'ä'.repeat(8_000) });
      await finish(world);
    },
  },
  {
    name: 'waits for Retry-After after a 429, however often it is asked to send',
    async run(world) {
      await world.start();
      await world.track(5);
      const limited = { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'Retry-After': '47' } };
      world.server.tricks = [limited, limited];
      await world.run({ do: 'flush' });
      const before = world.server.exchanges.length;
      await world.pass(46_000);
      await world.run({ do: 'flush' });
      assert.equal(world.server.exchanges.length, before);
      await finish(world);
      assert(world.problems.includes('rate-limit'));
    },
  },
  {
    name: 'understands a Retry-After that is a date, and none, and one of years',
    async run(world) {
      await world.start();
      await world.track(1);
      const atMs = Date.parse('2026-01-15T10:00:40Z');
      const date = { 'Retry-After': new Date(atMs).toUTCString() };
      world.server.tricks = [
        { status: 429, headers: date },
        { status: 429 },
        { status: 429, headers: { 'Retry-After': '99999999999' } },
      ];
      await world.run({ do: 'flush' });
      await world.passUntil('all answers are given', () => world.server.tricks.length === 0);
      await finish(world);
      const [first = 0, second = 0, third = 0, fourth = 0] = timesOf(world, '/sync');
      assert(second >= atMs, `${second - atMs} ms after the date`);
      assert(second - first <= 50_000 && third - second <= 120_000, 'without a time it waits at most two minutes');
      assert(fourth - third >= 3_600_000 && fourth - third <= 4_200_000, `it waited ${fourth - third} ms`);
    },
  },
  {
    name: 'waits twice as long after each failure, up to a minute, and starts again after a success',
    async run(world) {
      await world.start();
      world.server.always = () => ({ status: 503 });
      await world.track(1);
      await world.run({ do: 'flush' });
      await world.passUntil('twelve tries', () => timesOf(world, '/sync').length >= 12, 4 * 3_600_000);
      const times = timesOf(world, '/sync');
      for (const [index, atMs] of times.slice(1).entries()) {
        const waitMs = atMs - (times[index] ?? 0);
        const longestMs = Math.min(1000 * 2 ** index, 60_000);
        assert(waitMs >= longestMs / 2 && waitMs <= longestMs + 50, `wait ${index + 1} is ${waitMs} ms`);
      }
      world.server.always = () => 'ok';
      await world.passUntil('the event arrives', () => storedNumbers(world).length === 1);
      await world.track(1);
      world.server.tricks = [{ status: 500 }, { status: 502, headers: { 'Retry-After': '20' } }];
      const before = timesOf(world, '/sync').length;
      await world.run({ do: 'flush' });
      await world.passUntil('both answers are given', () => world.server.tricks.length === 0);
      await finish(world);
      const [first = 0, second = 0, third = 0] = timesOf(world, '/sync').slice(before);
      assert(second - first <= 1050, `after a success the first wait is ${second - first} ms`);
      assert(third - second >= 20_000, 'a 502 with Retry-After was repeated too soon');
    },
  },
  {
    name: 'halves a request that is too large, and drops only an event that is too large alone',
    async run(world) {
      await world.start();
      world.server.service.mostBytes = 3_000;
      await world.track(40);
      await world.track(1, 'big', { text: 'x'.repeat(5_000) });
      await world.track(20);
      await finish(world, new Set([41]));
      assert.deepEqual(
        world.dropped.map(({ name, reason }) => [name, reason]),
        [['big', 'too-large']],
      );
      const sizes = world.server.exchanges
        .filter(({ path }) => path.endsWith('/sync'))
        .map((e) => sentEvents(e).length);
      const [first = 0, second = 0] = sizes;
      assert(second === Math.floor(first / 2), `after ${first} events it sent ${second}`);
    },
  },
  {
    name: 'drops only the events that the service refuses',
    async run(world) {
      await world.start();
      world.server.service.refuses.add('bad');
      await world.track(3);
      await world.track(1, 'bad');
      await world.track(3);
      await finish(world, new Set([4]));
      // The same among events of a session that is gone, which go by another endpoint.
      world.server.always = () => 'cut';
      await world.track(2);
      await world.track(1, 'bad');
      await world.kill();
      world.server.service.sessions.set('ses_1', 'expired');
      world.server.always = () => 'ok';
      await world.start();
      await world.track(1);
      await finish(world, new Set([4, 10]));
      assert.deepEqual(
        world.dropped.map(({ name, reason }) => [name, reason]),
        [
          ['bad', 'rejected'],
          ['bad', 'rejected'],
        ],
      );
    },
  },
  {
    name: 'drops an event that makes the service refuse the whole request, and no other',
    async run(world) {
      await world.start();
      world.server.always = ({ body }) => {
        const names = JSON.stringify(body);
        return names.includes('"poison"') ? { status: 400, code: 'VALIDATION_ERROR' } : 'ok';
      };
      await world.track(9);
      await world.track(1, 'poison');
      await world.track(9);
      await world.run({ do: 'flush' });
      await world.passUntil('the others arrive', () => storedNumbers(world).length === 18);
      await finish(world, new Set([10]));
      assert.deepEqual(
        world.dropped.map(({ name, reason }) => [name, reason]),
        [['poison', 'rejected']],
      );
    },
  },
  {
    name: 'keeps events that the service could not store for a moment',
    async run(world) {
      await world.start();
      await world.track(3);
      let isBusy = true;
      world.server.service.onAnswer = (path, data) => {
        if (!path.endsWith('/sync') || !isBusy) return data;
        const index = world.server.service.events.findIndex(({ properties }) => Object(properties).n === 2);
        world.server.service.events.splice(index, 1);
        const error = { code: 'SERVICE_UNAVAILABLE', message: 'Later.' };
        const events = Number(data['events_accepted']);
        return { ...data, events_accepted: events - 1, rejected: [{ index: events === 3 ? 1 : 0, error }] };
      };
      await world.run({ do: 'flush' });
      await world.pass(20_000);
      assert.deepEqual(storedNumbers(world), [1, 3]);
      const tries = timesOf(world, '/sync').length;
      assert(tries >= 3 && tries <= 7, `${tries} requests in 20 seconds`);
      isBusy = false;
      await world.passUntil('the event arrives', () => storedNumbers(world).length === 3);
      assert.deepEqual(storedNumbers(world), [1, 3, 2]);
      assert.deepEqual(world.dropped, []);
    },
  },
  {
    name: 'opens another session when the service does not know its own',
    async run(world) {
      await world.start();
      await world.track(2);
      world.server.service.sessions.set('ses_1', 'expired');
      await world.run({ do: 'flush' });
      await world.track(2);
      await finish(world);
      const sessions = world.server.service.events.map(({ session_id: session }) => session);
      assert.deepEqual(sessions, ['ses_1', 'ses_1', 'ses_2', 'ses_2']);
    },
  },
  {
    name: 'registers again when the service does not know the player',
    async run(world) {
      await world.start();
      await world.track(2);
      world.server.service.players.clear();
      await world.run({ do: 'flush' });
      await finish(world);
      assert.equal(timesOf(world, '/players/players').length, 2);
    },
  },
  {
    name: 'does not hammer a service that refuses its key',
    async run(world) {
      world.server.always = () => ({ status: 401, code: 'UNAUTHORIZED' });
      await world.start();
      await world.track(3);
      await world.pass(3_600_000);
      const { length } = world.server.exchanges;
      assert(length >= 5 && length <= 40, `${length} requests in an hour`);
      assert(world.problems.includes('unauthorized'));
      await finish(world);
    },
  },
];
