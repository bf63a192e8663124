import assert from 'node:assert/strict';
import { finish, sentEvents, storedNumbers, timesOf } from '../checks.ts';
import type { Scenario } from '../scenario.ts';
import { START_MS, type World } from '../world.ts';

/* What networks and hostile servers may do. */

export const network: Scenario[] = [
  {
    name: 'sends again what was cut before or after it took effect',
    async run(world) {
      await world.start();
      world.server.tricks = ['cut', 'lost', 'ok', 'lost', 'cut', 'ok'];
      await world.track(60);
      await world.run({ do: 'setState', attributes: { level: 3 } });
      await finish(world);
      assert.deepEqual(world.server.service.attributes, { level: 3 });
    },
  },
  {
    name: 'gives up waiting for an answer, and ignores it when it comes late',
    async run(world) {
      await world.start({ timeoutMs: 15_000 });
      await world.track(5);
      world.server.tricks = ['held', 'held'];
      await world.run({ do: 'flush' });
      const before = timesOf(world, '/sync').length;
      await world.pass(15_000);
      await world.track(5);
      await world.pass(20_000);
      assert(timesOf(world, '/sync').length > before, 'nothing was sent again');
      world.server.release();
      await finish(world);
    },
  },
  {
    name: 'takes an answer that is only slow',
    async run(world) {
      await world.start({ timeoutMs: 15_000 });
      await world.track(5);
      world.server.tricks = ['held'];
      await world.run({ do: 'flush' });
      await world.track(5);
      await world.pass(10_000);
      world.server.release();
      await finish(world);
      const keys = world.server.exchanges.flatMap(({ key }) => key ?? []);
      assert.equal(new Set(keys).size, keys.length, 'it was sent again');
    },
  },
  {
    name: 'removes nothing because of an answer to another request',
    async run(world) {
      await world.start();
      const strange: Record<string, unknown>[] = [
        { id: 'x', external_id: 'somebody else' },
        {
          player: { player_id: 'x' },
          session_id: 'ses_9',
          flags: {},
          segments: [],
          server_time: '2026-01-15T10:00:00Z',
        },
        { session_summary: { session_id: 'ses_9' }, rejected: [] },
        { results: [{ index: 0, event_id: 'x', status: 'accepted' }] },
        { events_accepted: 99, rejected: [], interventions: [], updated_flags: {} },
        { events_accepted: 1, rejected: [{ index: 70, error: { code: 'X', message: 'x' } }], updated_flags: {} },
        { events_accepted: -1, rejected: [], interventions: [], updated_flags: {} },
      ];
      await world.track(4);
      let stored = world.server.service.events;
      world.server.service.onAnswer = (path, data) => {
        if (!path.endsWith('/sync')) return data;
        const other = strange.shift();
        // As if the request had never reached the service: only another try brings the events there.
        if (other !== undefined) world.server.service.events = stored = [];
        return other ?? data;
      };
      await world.run({ do: 'flush' });
      await world.passUntil('all strange answers are given', () => strange.length === 0);
      await world.pass(600_000);
      assert(world.problems.includes('bad-answer'));
      // The model answers a repeat under the same key without storing again, so what counts is that it was repeated.
      assert(world.server.exchanges.filter((each) => sentEvents(each).length === 4).length >= 8);
      assert.deepEqual(world.dropped, []);
      assert.deepEqual(stored, []);
    },
  },
  {
    name: 'removes nothing because of a fitting answer to a smaller request',
    async run(world) {
      await world.start();
      await world.track(4);
      let isFirst = true;
      world.server.service.onAnswer = (path, data) => {
        if (!path.endsWith('/sync') || !isFirst) return data;
        isFirst = false;
        return { ...data, events_accepted: 1 };
      };
      await finish(world);
      const asked = world.server.exchanges.filter((each) => sentEvents(each).length === 4);
      assert.deepEqual([asked.length, new Set(asked.map(({ key }) => key)).size], [2, 1]);
    },
  },
  {
    name: 'removes nothing because of answers that are no JSON, of another form, deep, or a redirection',
    async run(world) {
      const strange = [
        '<html>Log in to the Wi-Fi</html>',
        '',
        '{"success":true,"data":',
        'null',
        '[]',
        '{"success":true}',
        '{"success":true,"data":null}',
        '{"success":true,"data":7}',
        '{"success":"true","data":{}}',
        `{"success":true,"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
        `{"success":true,"data":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
        `{"success":true,"data":{"a":${'9'.repeat(500_000)}}}`,
        '\u0000\uFFFF"\\ud800',
      ];
      for (const path of ['/players/players', '/init', '/sync']) {
        const raws = strange.map((raw) => ({ raw }));
        world.server.always = (received) => (received.path.endsWith(path) ? (raws.shift() ?? 'ok') : 'ok');
        if (path === '/players/players') await world.start();
        if (path === '/init') await world.run({ do: 'end' });
        await world.track(1);
        await world.run({ do: 'flush' });
        await world.passUntil(`${path} was answered with everything`, () => raws.length === 0);
      }
      let target = 0;
      world.server.always = ({ path }) => {
        if (path.startsWith('/elsewhere')) target += 1;
        return 'ok';
      };
      const headers = { Location: `${world.server.url}/elsewhere` };
      world.server.tricks = [301, 302, 303, 307, 308].map((status) => ({ raw: '', status, headers }));
      await world.track(1);
      await world.run({ do: 'flush' });
      await world.passUntil('all redirections are given', () => world.server.tricks.length === 0);
      await finish(world);
      assert.equal(target, 0, 'it followed a redirection with its key');
    },
  },
  {
    name: 'takes strange values in a good answer',
    async run(world) {
      const { service } = world.server;
      Object.assign(service.flags, {
        constructor: { enabled: true, variant: 'y', value: 'x' },
        odd: { enabled: 'yes', variant: 7 },
        none: null,
        text: 'on',
      });
      service.onAnswer = (path, data) =>
        path.endsWith('/init') ? { ...data, segments: [1, null, 'good'], extra: { a: [{}] } } : data;
      await world.start();
      assert.equal(await world.flag('constructor', 'mine'), 'x');
      assert.equal(await world.flag('odd', 'mine'), 'mine');
      assert.equal(await world.flag('none', true), true);
      assert.equal(await world.flag('text', 'mine'), 'mine');
      assert.equal(await world.flag('toString', 'mine'), 'mine');
      await world.track(1);
      await finish(world);
    },
  },
  {
    name: 'does not read an answer without an end',
    async run(world) {
      await world.start({ timeoutMs: 15_000 });
      await world.track(3);
      world.server.tricks = ['endless'];
      await world.run({ do: 'flush' });
      await finish(world);
      assert(world.server.endlessBytes <= MOST_TAKEN_BYTES, `it took ${world.server.endlessBytes} bytes`);
    },
  },
  {
    name: 'keeps everything through a network that does all of this, and restarts',
    run: storm,
  },
];

/** Of an answer: the client's bound, what is under way in buffers of two systems, and room. */
const MOST_TAKEN_BYTES = 16 * 1024 * 1024;

async function storm(world: World): Promise<void> {
  let state = 4711;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  let isCalm = false;
  world.server.always = () => {
    const draw = isCalm ? 1 : random();
    if (draw < 0.12) return 'cut';
    if (draw < 0.24) return 'lost';
    if (draw < 0.3) return { status: 503 };
    if (draw < 0.36) return { status: 429, headers: { 'Retry-After': '3' } };
    if (draw < 0.4) return 'held';
    if (draw < 0.44) return 'garbage';
    if (draw < 0.48) return 'portal';
    return 'ok';
  };
  for (let run = 0; run < 8; run += 1) {
    await world.setDeviceClock(Math.floor((random() - 0.5) * 20_000_000));
    await world.start({ timeoutMs: 15_000 });
    for (let round = 0; round < 8; round += 1) {
      await world.track(Math.floor(random() * 30));
      if (random() < 0.3) await world.run({ do: 'setState', attributes: { round } });
      if (random() < 0.2) await world.run({ do: 'flush' });
      if (random() < 0.1) await world.run({ do: 'end' });
      if (random() < 0.1) world.server.release();
      await world.pass(Math.floor(random() * 30_000));
    }
    if (random() < 0.5) await world.kill();
    else await world.quit();
  }
  isCalm = true;
  await world.start();
  await finish(world);
  const { recorded } = world.server.service;
  const ids = recorded.map(({ session_id: id }) => id);
  assert.equal(new Set(recorded.map((each) => JSON.stringify(each))).size, new Set(ids).size, 'a session changed');
  for (const { timestamp } of world.server.service.events) {
    assert(Date.parse(timestamp) >= START_MS - 24 * 3_600_000, `an event at ${timestamp}`);
  }
  assert(storedNumbers(world).length > 300);
}
