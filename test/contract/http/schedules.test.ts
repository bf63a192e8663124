import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { createMemoryBroker, type MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { auditIn } from '../../support/in-memory/audit-in.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { until } from '../../support/until.ts';

/* Changes of definitions that are made later, by a clock that the test moves. */

const HOUR = 3_600_000;
const clock = { ...systemClock, aheadMs: 0, wallMs: () => systemClock.wallMs() + clock.aheadMs };

let broker: MemoryBroker;
let gateway: Gateway;
let key: string;
let count = 0;
let flag: string;

beforeAll(async () => {
  broker = createMemoryBroker({ clock: systemClock });
  gateway = await startGateway({ log: broker.connect('gateway'), clock });
  key = await gateway.key();
});
afterAll(() => gateway.close());

beforeEach(async () => {
  count += 1;
  flag = `flag_${count}`;
  const rules = [
    { name: 'Old', percentage: 50, priority: 1 },
    { name: 'New', percentage: 1, priority: 2, conditions: { is_payer: true } },
  ];
  const made = await post('/v1/flags/flags', { key: flag, name: 'F', flag_type: 'boolean', targeting_rules: rules });
  expect(made.status).toBe(201);
});

interface Shown {
  id: string;
  at: string;
  state: string;
  difference: string[];
  version: number | null;
  why: string | null;
  reason: string | null;
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  gateway.call(key, 'POST', path, body, headers);
const path = (more = '') => `/v1/flags/flags/${flag}/schedule${more}`;
const stored = () => gateway.config.get({ game: 'demo', environment: 'live', kind: 'flag', key: flag })?.document;
const percentages = () => stored()?.rules.map(({ percentage }) => percentage);

async function changesIn(response: Response | Promise<Response>): Promise<Shown[]> {
  const answered = await response;
  const { data }: { data: { changes: Shown[] } } = JSON.parse(await answered.text());
  return data.changes;
}
const listed = () => changesIn(gateway.call(key, 'GET', path()));
const states = async () => (await listed()).map(({ state }) => state);
const refusal = async (response: Response | Promise<Response>) => {
  const { error }: { error: { code: string; message: string } } = JSON.parse(await (await response).text());
  return [(await response).status, error.code, error.message];
};
const whenStates = (...wanted: string[]) =>
  until(`the states are ${wanted.join()}`, async () => JSON.stringify(await states()) === JSON.stringify(wanted));

const ROLLOUT = {
  rollout: { rule: 2, steps: [{ percentage: 5 }, { percentage: 20, after: '24h' }, { percentage: 100, after: '24h' }] },
};

describe('a progressive roll-out', () => {
  it('takes each step at its time, as a version of its own that continues the period', async () => {
    const planned = await post(path(), ROLLOUT, { 'X-Change-Reason': 'The shop is ready.' });
    expect(planned.status).toBe(201);
    expect(await changesIn(planned)).toMatchObject([
      { difference: ['Rule 2 “New”: 1 % → 5 %'], reason: 'The shop is ready.' },
      { difference: ['Rule 2 “New”: 5 % → 20 %'] },
      { difference: ['Rule 2 “New”: 20 % → 100 %'] },
    ]);
    await whenStates('made', 'pending', 'pending');
    expect([percentages(), stored()?.version]).toEqual([[50, 5], 2]);
    clock.aheadMs += 24 * HOUR;
    await whenStates('made', 'made', 'pending');
    expect([percentages(), stored()?.version, stored()?.periods.length]).toEqual([[50, 20], 3, 1]);
    const made = (await auditIn(broker)).filter(
      ({ kind, key: of, outcome }) => kind === 'flag' && of === flag && outcome === 'stored',
    );
    expect(made.slice(1).map(({ actor, reason }) => [actor.kind, reason])).toEqual([
      ['key', expect.stringMatching(/^Scheduled \([\w-]+\): The shop is ready\.$/)],
      ['key', expect.stringMatching(/^Scheduled \([\w-]+\): The shop is ready\.$/)],
    ]);
  });

  it('is late after a downtime: in the order of time, once each', async () => {
    const steps = [
      { percentage: 5, after: '1h' },
      { percentage: 20, after: '24h' },
      { percentage: 30, after: '7d' },
    ];
    await post(path(), { rollout: { rule: 2, steps } });
    clock.aheadMs += 40 * HOUR;
    await whenStates('made', 'made', 'pending');
    expect([percentages(), stored()?.version]).toEqual([[50, 20], 3]);
  });

  it('never lowers what a person raised, and finds its rule behind a new one', async () => {
    const steps = [
      { percentage: 5, after: '1h' },
      { percentage: 60, after: '1h' },
    ];
    await post(path(), { rollout: { rule: 2, steps } });
    const [old, renewed] = stored()?.rules ?? [];
    expect([old?.name, renewed?.name]).toEqual(['Old', 'New']);
    const rules = [
      { name: 'First', percentage: 7, priority: 0 },
      { name: 'Old', percentage: 50, priority: 1 },
      { name: 'New', percentage: 40, priority: 2, conditions: { is_payer: true } },
    ];
    expect((await gateway.call(key, 'PATCH', `/v1/flags/flags/${flag}`, { targeting_rules: rules })).status).toBe(200);
    clock.aheadMs += 3 * HOUR;
    await whenStates('skipped', 'made');
    expect([percentages(), (await listed())[0]?.why]).toEqual([
      [7, 50, 60],
      'The rule has 40 % by now, and a step of a roll-out never lowers it, here to 5 %.',
    ]);
  });

  it('fails with a reason once its rule is gone, and is not repeated', async () => {
    await post(path(), { rollout: { rule: 2, steps: [{ percentage: 5, after: '1h' }] } });
    await gateway.call(key, 'PATCH', `/v1/flags/flags/${flag}`, { targeting_rules: [{ name: 'Old', percentage: 1 }] });
    clock.aheadMs += HOUR;
    await whenStates('failed');
    expect([percentages(), stored()?.version, (await listed())[0]?.why]).toEqual([
      [1],
      2,
      expect.stringContaining('not there any more'),
    ]);
  });

  it('is held: the rest ends, other changes stay, and a repeat changes nothing', async () => {
    await post(path(), ROLLOUT);
    await post(path(), { changes: [{ after: '48h', patch: { enabled: false } }] });
    await whenStates('made', 'pending', 'pending', 'pending');
    const hold = () => gateway.call(key, 'POST', path('/hold'), undefined, { 'X-Change-Reason': 'Revenue fell.' });
    const held = await changesIn(hold());
    expect(held.map(({ state, why }) => [state, why])).toEqual([
      ['made', null],
      ['held', 'Revenue fell.'],
      ['held', 'Revenue fell.'],
      ['pending', null],
    ]);
    expect(await changesIn(hold())).toEqual(held);
    clock.aheadMs += 49 * HOUR;
    await whenStates('made', 'held', 'held', 'made');
    expect([percentages(), stored()?.enabled]).toEqual([[50, 5], false]);
  });

  it.each([
    [{ rollout: { rule: 3, steps: [{ percentage: 5 }] } }, 'no such rule'],
    [{ rollout: { steps: [{ percentage: 50 }] } }, 'must be more than 50'],
    [{ rollout: { steps: [{ percentage: 60 }, { percentage: 55, after: '1h' }] } }, 'must be more than 60'],
    [{ rollout: { steps: [{ percentage: 60, after: '367d' }] } }, 'more than a year'],
    [{ rollout: { steps: [{ percentage: 60, after: '1h', at: '2030-01-01T00:00:00Z' }] } }, '`at` and `after`'],
    [{ changes: [{ patch: { enabled: true } }], rollout: { steps: [{ percentage: 60 }] } }, 'exactly one'],
    [{}, 'exactly one'],
    [{ changes: [{ at: '1971-01-15T10:30:00Z', patch: { enabled: true } }] }, 'is in the past'],
    [{ changes: [{ after: '1 day', patch: { enabled: true } }] }, 'such as 90m, 24h or 7d'],
    [{ changes: [{ patch: {} }] }, 'must name a field'],
    [{ changes: [{ patch: { salt: 'x' } }] }, 'no field'],
    [{ changes: [{ patch: { targeting_rules: 'x' } }] }, 'Change 1 cannot be made'],
    [{ changes: [{ patch: { flag_type: 'json' } }] }, 'cannot be changed'],
    [
      {
        changes: [
          { patch: { variants: Array.from({ length: 3 }, () => ({ key: 'a', value: 'x'.repeat(6_000), weight: 1 })) } },
        ],
      },
      'larger than 16384 bytes',
    ],
  ])('is refused before it is planned: %#', async (body, message) => {
    for (const where of [path(), path('/preview')]) {
      expect(await refusal(post(where, body))).toEqual([400, 'VALIDATION_ERROR', expect.stringContaining(message)]);
    }
    expect(await listed()).toEqual([]);
  });

  it('is previewed without being planned', async () => {
    const shown = await changesIn(post(path('/preview'), ROLLOUT));
    expect(shown.map(({ difference }) => difference[0])).toEqual([
      'Rule 2 “New”: 1 % → 5 %',
      'Rule 2 “New”: 5 % → 20 %',
      'Rule 2 “New”: 20 % → 100 %',
    ]);
    expect(await listed()).toEqual([]);
  });
});

describe('a scheduled change', () => {
  const patched = (patch: object, after = '1h') => post(path(), { changes: [{ after, patch }] });

  it('keeps what people changed in other fields, and leaves a field that they changed', async () => {
    await patched({ name: 'Later', tags: ['shop'] });
    await patched({ description: 'Planned' });
    const edit = { enabled: false, description: 'By hand' };
    expect((await gateway.call(key, 'PATCH', `/v1/flags/flags/${flag}`, edit)).status).toBe(200);
    clock.aheadMs += HOUR;
    await whenStates('made', 'skipped');
    expect(stored()).toMatchObject({
      name: 'Later',
      tags: ['shop'],
      enabled: false,
      description: 'By hand',
      version: 3,
    });
    expect((await listed())[1]?.why).toBe('`description` changed since this was scheduled.');
  });

  it('of a field that an earlier one changed is made, too: on, then off', async () => {
    await patched({ enabled: false }, '1h');
    await patched({ enabled: true }, '3h');
    await patched({ enabled: false }, '2h');
    clock.aheadMs += HOUR;
    await whenStates('made', 'pending', 'pending');
    clock.aheadMs += 2 * HOUR;
    await whenStates('made', 'skipped', 'made');
    expect([stored()?.enabled, (await listed())[1]?.why]).toEqual([true, expect.stringContaining('change nothing')]);
  });

  it('is cancelled alone, once, and never after it was made', async () => {
    const [first, second] = await changesIn(
      post(path(), { changes: [{ patch: { name: 'A' } }, { after: '1h', patch: { name: 'B' } }] }),
    );
    await whenStates('made', 'pending');
    const cancel = (id = '') => gateway.call(key, 'DELETE', path(`/${id}`));
    expect((await changesIn(cancel(second?.id))).map(({ state }) => state)).toEqual(['made', 'cancelled']);
    expect(await refusal(cancel(first?.id))).toEqual([409, 'CONFLICT', expect.stringContaining('has ended')]);
    expect(await refusal(cancel('no'))).toEqual([
      404,
      'NOT_FOUND',
      expect.stringContaining('no such scheduled change'),
    ]);
    clock.aheadMs += HOUR;
    await patched({ name: 'C' }, '1m');
    clock.aheadMs += 60_000;
    await whenStates('made', 'cancelled', 'made');
    expect(stored()?.name).toBe('C');
  });

  it('ends with its definition: archived, or deleted and made again', async () => {
    await patched({ name: 'Later' });
    await gateway.call(key, 'DELETE', `/v1/flags/flags/${flag}`);
    await gateway.call(key, 'POST', `/v1/flags/flags/${flag}/restore`, {});
    const schedule = { game: 'demo', environment: 'live', kind: 'schedule', key: `flag.${flag}` } as const;
    await gateway.call(key, 'DELETE', `/v1/flags/flags/${flag}`);
    await until('it is cancelled', () => gateway.config.get(schedule)?.document.changes[0]?.state === 'cancelled');
    expect((await gateway.call(key, 'GET', path())).status).toBe(404);
    await gateway.call(key, 'POST', `/v1/flags/flags/${flag}/restore`, {});
    clock.aheadMs += HOUR;
    expect([await states(), stored()?.name]).toEqual([['cancelled'], 'F']);
  });

  it('is planned once per Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': `plan-${count}` };
    const body = { changes: [{ after: '1h', patch: { name: 'Later' } }] };
    expect([(await post(path(), body, headers)).status, (await post(path(), body, headers)).status]).toEqual([
      201, 201,
    ]);
    expect(await states()).toEqual(['pending']);
  });

  it('is bounded in number, and all of a game are listed', async () => {
    const many = (n: number) => ({
      changes: Array.from({ length: n }, (_, place) => ({ after: '1h', patch: { name: `N${place}` } })),
    });
    expect((await post(path(), many(20))).status).toBe(201);
    expect(await refusal(post(path(), many(1)))).toEqual([409, 'CONFLICT', expect.stringContaining('at most 20')]);
    const { data }: { data: { changes: { key: string; kind: string }[] } } = JSON.parse(
      await (await gateway.call(key, 'GET', '/v1/schedule?limit=100')).text(),
    );
    expect(data.changes.filter((each) => each.key === flag && each.kind === 'flag')).toHaveLength(20);
    await gateway.call(key, 'DELETE', `/v1/flags/flags/${flag}`);
  });

  it.each([
    [
      'segments',
      'segment_id',
      { key: 'later', name: 'S', conditions: { is_payer: true } },
      { conditions: { is_payer: false } },
    ],
    [
      'campaigns',
      'campaign_id',
      {
        key: 'later',
        name: 'C',
        trigger: { event: 'level_up' },
        content: { title: 'T', body: 'B', cta: 'Go' },
      },
      { content: { title: 'Later' } },
    ],
  ])('of %s is made, too', async (many, field, body, patch) => {
    const created = await post(`/v1/${many}/${many}`, body);
    const { data }: { data: Record<string, string> } = JSON.parse(await created.text());
    const at = `/v1/${many}/${many}/${data[field]}`;
    expect((await post(`${at}/schedule`, { changes: [{ after: '1h', patch }] })).status).toBe(201);
    clock.aheadMs += HOUR;
    await until(
      'it is made',
      async () => (await changesIn(gateway.call(key, 'GET', `${at}/schedule`)))[0]?.state === 'made',
    );
    const { data: now }: { data: object } = JSON.parse(await (await gateway.call(key, 'GET', at)).text());
    expect(now).toMatchObject({ ...patch, version: 2 });
    expect((await post(`${at}/schedule/hold`, undefined)).status).toBe(405);
  });

  it('of an experiment ramps its traffic, and fails once the experiment is over', async () => {
    const variants = ['false', 'true'].map((variant) => ({ key: variant, weight: 1 }));
    const all = '/v1/experiments/experiments';
    const at = `${all}/exp_${count}`;
    await post(all, { key: `exp_${count}`, flag_key: flag, traffic: 5, variants });
    expect((await post(`${at}/start`, undefined)).status).toBe(200);
    const ramp = [20, 100].map((traffic) => ({ after: '24h', patch: { traffic } }));
    const planned = await changesIn(post(`${at}/schedule`, { changes: ramp }));
    expect(planned.map(({ difference }) => difference)).toEqual([['Traffic: 5 % → 20 %'], ['Traffic: 20 % → 100 %']]);
    const whenMade = (...wanted: string[]) =>
      until(`the states are ${wanted.join()}`, async () => {
        const changes = await changesIn(gateway.call(key, 'GET', `${at}/schedule`));
        return JSON.stringify(changes.map(({ state }) => state)) === JSON.stringify(wanted);
      });
    clock.aheadMs += 24 * HOUR;
    await whenMade('made', 'pending');
    const { data: now }: { data: object } = JSON.parse(await (await gateway.call(key, 'GET', at)).text());
    expect(now).toMatchObject({ traffic: 20, state: 'running', phases: [{ phase: 1 }] });
    expect((await post(`${at}/stop`, undefined)).status).toBe(200);
    clock.aheadMs += 24 * HOUR;
    await whenMade('made', 'failed');
  });

  it('never names players', async () => {
    const created = await post('/v1/segments/segments', {
      key: `s_${count}`,
      name: 'S',
      conditions: { is_payer: true },
    });
    const { data }: { data: Record<string, string> } = JSON.parse(await created.text());
    const includes = ['3f0f5a3e-8d7b-5c39-9a43-000000000000'];
    const planned = post(`/v1/segments/segments/${data['segment_id']}/schedule`, {
      changes: [{ patch: { includes } }],
    });
    expect(await refusal(planned)).toEqual([400, 'VALIDATION_ERROR', expect.stringContaining('names players')]);
  });
});

describe('a process that ends in the middle', () => {
  it('after the change, before that is stored: the change is not made again', async () => {
    const put = gateway.config.put.bind(gateway.config);
    let lost = 0;
    // What is stored once the flag has its new version is lost, as it is when the process ends.
    gateway.config.put = async (address, document, revision) => {
      if (address.kind === 'schedule' && stored()?.version === 2 && lost < 3) {
        lost += 1;
        return { kind: 'unavailable' };
      }
      return put(address, document, revision);
    };
    await post(path(), {
      rollout: {
        rule: 2,
        steps: [
          { percentage: 5, after: '1h' },
          { percentage: 20, after: '1h' },
        ],
      },
    });
    clock.aheadMs += HOUR;
    await whenStates('made', 'pending');
    gateway.config.put = put;
    expect([lost, stored()?.version, percentages(), (await listed())[0]?.version]).toEqual([3, 2, [50, 5], 2]);
    clock.aheadMs += HOUR;
    await whenStates('made', 'made');
    expect([stored()?.version, percentages()]).toEqual([3, [50, 20]]);
  });

  it('and whose change cannot be found any more: it has failed, and says why', async () => {
    await post(path(), { changes: [{ after: '1h', patch: { name: 'Later' } }] });
    const address = { game: 'demo', environment: 'live', kind: 'schedule', key: `flag.${flag}` } as const;
    const held = gateway.config.get(address)?.document;
    if (held === undefined) throw new Error('nothing is planned');
    const claim = { version: 0, at: clock.wallMs() - 25 * HOUR };
    await gateway.config.put(address, { ...held, changes: held.changes.map((each) => ({ ...each, claim })) });
    clock.aheadMs += HOUR;
    await whenStates('failed');
    expect([stored()?.name, (await listed())[0]?.why]).toEqual(['F', expect.stringContaining('not known')]);
  });

  it('leaves it to another one: two that make changes at once make each once', async () => {
    const other = await startGateway({ log: broker.connect('other'), clock, configStore: gateway.config });
    await post(path(), {
      rollout: {
        rule: 2,
        steps: [
          { percentage: 5, after: '1h' },
          { percentage: 20, after: '1h' },
        ],
      },
    });
    await gateway.server.close();
    clock.aheadMs += 2 * HOUR;
    const changes = () =>
      gateway.config.get({ game: 'demo', environment: 'live', kind: 'schedule', key: `flag.${flag}` })?.document
        .changes;
    await until('the other one made them', () => changes()?.every(({ state }) => state === 'made'));
    expect([stored()?.version, percentages()]).toEqual([3, [50, 20]]);
    await other.close();
  });
});
