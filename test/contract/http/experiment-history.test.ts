import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { execSql } from '../../support/servers/clickhouse.ts';
import type { Gateway } from '../../support/in-memory/http-gateway.ts';
import { until } from '../../support/until.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { type ClickhouseGateway, startHistoryGateway } from '../../support/wire/clickhouse-gateway.ts';

/* Restoring versions of experiments: the definition comes back, their lives go on. */

let world: ClickhouseGateway;
let gateway: Gateway;
let server: string;
let made = 0;
let item = '';

beforeAll(async () => {
  world = await startHistoryGateway();
  ({ gateway } = world);
  server = await gateway.key();
});
afterAll(() => world.close());

const HALVES = [
  { key: 'false', weight: 50 },
  { key: 'true', weight: 50 },
];

async function call(method: string, path: string, body?: unknown) {
  const response = await gateway.call(server, method, path, body);
  return { status: response.status, ...(await bodyOf(response)) };
}

/** A change, which must succeed. */
async function changed(method: string, path: string, body?: unknown) {
  const { status, data, error } = await call(method, path, body);
  expect([status < 300, error]).toEqual([true, undefined]);
  return data;
}
const act = (action: string, body?: object) => changed('POST', `${item}/${action}`, body);

async function restore(version: number) {
  await until('the history has the newest version', async () => {
    const newest = String((await call('GET', item)).data['version']);
    return JSON.stringify((await call('GET', `${item}/versions`)).data['versions']).includes(`"version":${newest},`);
  });
  const previewed = await call('POST', `${item}/restore/preview`, { version });
  return { previewed, ...(await call('POST', `${item}/restore`, { version })) };
}

/** What a restoration must leave as it is. */
const life = ({ state, phases, winner, shipped, started_at, stopped_at, salt }: Record<string, unknown>) => {
  return { state, phases, winner, shipped, started_at, stopped_at, salt };
};

beforeEach(async () => {
  made += 1;
  item = `/v1/experiments/experiments/test-${made}`;
  await changed('POST', '/v1/flags/flags', { key: `flag-${made}`, flag_type: 'boolean' });
  const experiment = { key: `test-${made}`, flag_key: `flag-${made}`, variants: HALVES, traffic: 10 };
  await changed('POST', '/v1/experiments/experiments', experiment);
});

describe('a restored version of an experiment', () => {
  it('has the traffic of then, and stays running, paused, stopped or shipped as it is', async () => {
    await act('start');
    for (const action of [undefined, 'pause']) {
      if (action !== undefined) await act(action);
      await changed('PATCH', item, { traffic: 80, hypothesis: 'Later' });
      const before = (await call('GET', item)).data;
      // A draft then, without phases.
      const { previewed, status, data } = await restore(1);
      expect(previewed.data['difference']).toEqual(expect.arrayContaining(['Traffic: 80 % → 10 %']));
      expect(previewed.data['notes']).toEqual(['State, phases and winner stay as they are.']);
      expect([status, data]).toMatchObject([200, { traffic: 10, hypothesis: '' }]);
      expect(life(data)).toEqual(life(before));
    }
    const { version: whilePaused } = (await call('GET', item)).data;
    await act('ship', { variant: 'true' });
    await changed('PATCH', item, { hypothesis: 'It won' });
    const shipped = (await call('GET', item)).data;
    expect(shipped).toMatchObject({ state: 'shipped', winner: 'true', phases: [{ phase: 1 }] });
    const { status, data } = await restore(Number(whilePaused));
    expect([status, data]).toMatchObject([200, { hypothesis: '' }]);
    expect(life(data)).toEqual(life(shipped));
  });

  it('begins a phase if its shares are others, as PUT does', async () => {
    await act('start');
    const variants = [HALVES[0], { key: 'true', weight: 150 }];
    await changed('PATCH', item, { variants });
    const { status, data } = await restore(2);
    expect([status, data]).toMatchObject([
      200,
      { variants: HALVES, phases: [{ variants: HALVES }, { variants }, { phase: 3, variants: HALVES }] },
    ]);
  });

  it.each<[string, object]>([
    ['salt', { salt: 'another' }],
    ['bucket_by', { bucket_by: 'device' }],
    ['mode', { mode: 'aa' }],
    ['variants/0/key', { variants: HALVES.toReversed() }],
    ['layer/key', { layer: { key: 'shop', from: 0, to: 10 } }],
  ])('is refused once it started if it had another %s, as PUT is, and changes nothing', async (path, edit) => {
    await changed('PATCH', item, edit);
    await act('start');
    const before = (await call('GET', item)).data;
    const { previewed, status, error } = await restore(1);
    const said =
      `Version 1 cannot be restored as it was: \`${path}\` cannot change once the experiment has started; stop it ` +
      'and create another one.';
    expect([previewed.status, previewed.error.message]).toEqual([409, said]);
    expect([status, error.message]).toEqual([409, said]);
    expect((await call('GET', item)).data).toEqual(before);
  });
});

it('a page shows all its versions also where a write of unknown outcome with the same number is behind it', async () => {
  for (const traffic of [20, 30]) await changed('PATCH', item, { traffic });
  const page = async (cursor = '') => {
    const { data } = await call('GET', `${item}/versions?limit=2${cursor}`);
    const {
      versions,
      next_cursor: next,
    }: { versions: { version: number; confirmed: boolean }[]; next_cursor: string } = JSON.parse(JSON.stringify(data));
    return { next, numbers: versions.filter(({ confirmed }) => confirmed).map(({ version }) => version) };
  };
  await until('all are there', async () => (await page()).numbers.join() === '3,2');
  // An attempt just before, whose answer was lost.
  await execSql(
    world.clickhouse,
    `INSERT INTO definition_changes SELECT * REPLACE (at - toIntervalMillisecond(1) AS at, generateUUIDv4() AS entry_id,
      'unknown' AS outcome) FROM definition_changes FINAL WHERE kind = 'experiment' AND key = 'test-${made}' AND version = 2`,
  );
  const first = await page();
  expect(first.numbers).toEqual([3, 2]);
  expect((await page(`&cursor=${first.next}`)).numbers).toEqual([1]);
  // A cursor is not signed: nobody gets further with one of their own making.
  const [at, id = '', digest] = Buffer.from(first.next, 'base64url').toString().split(' ');
  const forged = Buffer.from([at, 'x'.repeat(id.length), digest].join(' ')).toString('base64url');
  expect((await call('GET', `${item}/versions?cursor=${forged}`)).status).toBe(400);
});
