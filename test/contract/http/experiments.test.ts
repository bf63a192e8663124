import { beforeEach, describe, expect, it } from 'vitest';
import { EXPERIMENT_LIMITS } from '../../../actors/experiments/limits.ts';
import { FLAGS, HALVES, PATH, setUpExperiments } from './experiment-requests.ts';

/* Experiments as definitions: what can be written, in which state, and what excludes what. */

const world = setUpExperiments();
const { call, message } = world;
let made = 0;
let flag = '';
let key = '';

async function makeFlag(name: string, more: object = {}): Promise<string> {
  const values = { a: 'x', b: 'y', c: 'z' };
  const variants = Object.entries(values).map(([variant, value]) => ({ key: variant, value, weight: 1 }));
  const answer = await call('POST', FLAGS, { key: name, flag_type: 'string', default_value: 'x', variants, ...more });
  expect(answer.status).toBe(201);
  return name;
}
const draft = (more: object = {}) => call('POST', PATH, { key, flag_key: flag, variants: HALVES, ...more });
const act = (action: string, of = key, body?: object, headers: Record<string, string> = {}) =>
  call('POST', `${PATH}/${of}/${action}`, body, headers);
const patch = (body: object, of = key) => call('PATCH', `${PATH}/${of}`, body);
async function running(more: object = {}): Promise<void> {
  expect((await draft(more)).status).toBe(201);
  expect((await act('start')).status).toBe(200);
}

beforeEach(async () => {
  made += 1;
  flag = await makeFlag(`flag-${made}`);
  key = `exp-${made}`;
});

describe('an experiment', () => {
  it('is a draft with defaults until it is started', async () => {
    const { status, data } = await draft();
    expect(status).toBe(201);
    expect(data).toMatchObject({
      key,
      name: key,
      hypothesis: '',
      flag_key: flag,
      mode: 'ab',
      audience: { segment_id: null },
      traffic: 100,
      variants: HALVES,
      bucket_by: 'player',
      salt: expect.stringMatching(/^[\w-]{16}$/),
      layer: null,
      primary: null,
      guardrails: [],
      plan: { alpha: 0.05, power: 0.8, mde: null, ends_at: null },
      state: 'draft',
      actions: ['start', 'discard'],
      phases: [],
      winner: null,
      shipped: null,
      started_at: null,
      stopped_at: null,
      version: 1,
    });
    expect(
      world.gateway.config.get({ game: 'demo', environment: 'live', kind: 'experiment', key })?.document.state,
    ).toBe('draft');
    const { data: started } = await act('start');
    expect(started).toMatchObject({ state: 'running', actions: ['pause', 'stop', 'ship'], version: 2 });
    expect(started['phases']).toEqual([{ phase: 1, since: started['started_at'], variants: HALVES }]);
  });

  it('lives: each action is possible in its states only, and a refusal says which are', async () => {
    await draft();
    for (const action of ['pause', 'resume', 'stop', 'undo']) {
      const { status, error } = await act(action);
      expect([status, error]).toEqual([
        409,
        expect.objectContaining({
          code: 'CONFLICT',
          message: `The experiment is in the state \`draft\`, which does not allow \`${action}\`. It allows start, discard.`,
          details: { state: 'draft', actions: ['start', 'discard'] },
        }),
      ]);
    }
    expect((await act('start')).data['state']).toBe('running');
    expect(await message(act('start'))).toContain('which does not allow `start`. It allows pause, stop, ship');
    expect((await act('pause')).data).toMatchObject({ state: 'paused', actions: ['resume', 'stop', 'ship'] });
    expect((await act('resume')).data).toMatchObject({ state: 'running' });
    const { data: stopped } = await act('stop');
    expect(stopped).toMatchObject({ state: 'stopped', actions: ['discard', 'ship'], stopped_at: expect.any(String) });
    expect(await message(act('resume'))).toContain(
      '409 The experiment is in the state `stopped`, which does not allow',
    );
    expect((await act('discard')).data).toMatchObject({ state: 'discarded', actions: [], phases: [{ phase: 1 }] });
    expect(await message(act('start'))).toBe(
      '409 The experiment is in the state `discarded`, which does not allow `start`. It allows no action.',
    );
    expect(await message(act('start', 'none'))).toContain('404');
  });

  it('acts on its version only, and once per Idempotency-Key', async () => {
    await draft();
    expect((await act('start', key, undefined, { 'If-Match': '"7"' })).status).toBe(412);
    const once = { 'If-Match': '"1"', 'Idempotency-Key': `start-${key}` };
    expect(await act('start', key, undefined, once)).toMatchObject({ status: 200, etag: '"2"' });
    const again = await act('start', key, undefined, once);
    expect([again.status, again.etag, again.headers.get('idempotent-replayed')]).toEqual([200, '"2"', 'true']);
  });

  it('widens in its phase, and begins a phase with other shares only', async () => {
    await running({ traffic: 10 });
    const phases = async (body: object) => Object(await patch(body).then(({ data }) => data)).phases;
    expect(await phases({ traffic: 50 })).toHaveLength(1);
    expect(await phases({ audience: { conditions: { 'attributes.country': 'DE' } } })).toHaveLength(1);
    expect(await phases({ variants: HALVES.map(({ key: of }) => ({ key: of, weight: 7 })) })).toHaveLength(1);
    const others = [
      { key: 'a', weight: 20 },
      { key: 'b', weight: 80 },
    ];
    expect(await phases({ variants: others })).toMatchObject([
      { phase: 1, variants: HALVES },
      { phase: 2, variants: others },
    ]);
    expect((await act('pause')).status).toBe(200);
    const three = [...others, { key: 'c', weight: 1 }];
    expect(await phases({ variants: three })).toMatchObject([{}, {}, { phase: 3, variants: three }]);
    expect((await act('resume')).data['phases']).toHaveLength(3);
    for (let n = 3; n < EXPERIMENT_LIMITS.experimentPhases; n += 1) {
      const weighted = [
        { key: 'a', weight: n },
        { key: 'b', weight: 100 },
      ];
      expect((await patch({ variants: weighted })).status).toBe(200);
    }
    expect(await message(patch({ variants: HALVES }))).toContain('409 The experiment has 20 phases, the maximum');
    expect((await patch({ traffic: 100 })).status).toBe(200);
  });

  it('keeps what its draw depends on once it started, and everything but texts, metrics and plan once it is over', async () => {
    const other = await makeFlag(`other-${made}`);
    await draft({ layer: { key: `layer-${made}`, from: 0, to: 10 } });
    expect((await patch({ salt: 'own', flag_key: other })).data).toMatchObject({ salt: 'own', flag_key: other });
    expect((await patch({ flag_key: flag })).status).toBe(200);
    await act('start');
    expect(await message(patch({ state: 'paused' }))).toContain('400 `state` cannot be changed by a patch');
    expect((await patch({ state: 'running', traffic: 90 })).data).toMatchObject({ state: 'running', traffic: 90 });
    const fixed: [object, string][] = [
      [{ salt: 'another' }, 'salt'],
      [{ flag_key: other }, 'flag_key'],
      [{ mode: 'aa' }, 'mode'],
      [{ bucket_by: 'device' }, 'bucket_by'],
      [{ layer: { key: 'elsewhere', from: 0, to: 10 } }, 'layer/key'],
      [{ layer: null }, 'layer/key'],
      [{ variants: HALVES.toReversed() }, 'variants/0/key'],
    ];
    for (const [body, path] of fixed) {
      const { status, error } = await patch(body);
      expect([status, error]).toMatchObject([
        409,
        {
          message: `\`${path}\` cannot change once the experiment has started; stop it and create another one.`,
          details: { state: 'running', fields: [{ path: `/${path}` }] },
        },
      ]);
    }
    expect((await patch({ layer: { key: `layer-${made}`, from: 5, to: 15 } })).status).toBe(200);
    await act('stop');
    for (const body of [
      { traffic: 1 },
      { audience: { conditions: { 'attributes.country': 'DE' } } },
      { variants: HALVES.map((each) => ({ ...each, weight: each.key === 'a' ? 1 : 2 })) },
    ]) {
      expect(await message(patch(body))).toMatch(/^409 `\w+` cannot change: the experiment is stopped\.$/);
    }
    const texts = { hypothesis: 'H', owner: 'ann', primary: { aggregate: 'revenue' }, plan: { mde: 0.1 } };
    const { data } = await patch(texts);
    expect(data).toMatchObject({
      hypothesis: 'H',
      owner: 'ann',
      primary: { aggregate: 'revenue' },
      plan: { mde: 0.1, alpha: 0.05 },
    });
  });

  it('is deleted as a draft only', async () => {
    await draft();
    expect((await call('DELETE', `${PATH}/${key}`)).data).toEqual({ key, deleted: true });
    await running();
    expect(await message(call('DELETE', `${PATH}/${key}`))).toBe(
      '409 The experiment is running, and only a draft can be deleted; stop it, then discard it.',
    );
    await act('stop');
    expect(await message(call('DELETE', `${PATH}/${key}`))).toContain('409 The experiment is stopped');
    expect(await message(draft())).toContain('409 Another experiment has this key');
  });

  it('is listed by state, text and tag', async () => {
    await running({ tags: [`t-${made}`], name: `The ${key} test` });
    const keys = async (query: string) =>
      JSON.stringify(
        Object((await call('GET', `${PATH}?${query}`)).data)['experiments'].map((one: { key: string }) => one.key),
      );
    expect(await keys(`tag=t-${made}`)).toBe(JSON.stringify([key]));
    expect(await keys(`tag=t-${made}&state=running`)).toBe(JSON.stringify([key]));
    expect(await keys(`tag=t-${made}&state=draft`)).toBe('[]');
    expect(await keys(`search=the%20${key}%20te&state=running`)).toBe(JSON.stringify([key]));
    expect((await call('GET', `${PATH}?state=finished`)).status).toBe(400);
  });
});

describe('the definition of an experiment', () => {
  it.each<[object, string, string]>([
    [{ flag_key: 'no-flag' }, '/flag_key', 'must be the key of a flag of this game that is not archived'],
    [{ variants: [HALVES[0], { key: 'd', weight: 1 }] }, '/variants/1/key', 'must be the key of a variant of the flag'],
    [{ variants: [HALVES[0], HALVES[0]] }, '/variants/1/key', 'repeats an earlier key'],
    [{ variants: [HALVES[0]] }, '/variants', 'at least 2'],
    [{ variants: HALVES.map((each) => ({ ...each, weight: 0 })) }, '/variants', 'must have a weight greater than 0'],
    [{ traffic: 100.5 }, '/traffic', 'must be at most 100'],
    [{ audience: { segment_id: 'seg_none' } }, '/audience/segment_id', 'must be the id of a segment of this game'],
    [{ audience: { conditions: { 'attributes.c': { $regex: '(' } } } }, '/audience/conditions/attributes.c/$regex', ''],
    [{ audience: { conditions: { 'computed.none': 1 } } }, '/audience/conditions', 'reads computed.none'],
    [{ layer: { key: 'l', from: 50, to: 50 } }, '/layer/to', 'must be greater than `from`'],
    [{ layer: { key: 'l', from: 0, to: 101 } }, '/layer/to', 'must be at most 100'],
    [{ primary: { aggregate: 'sum', metric: 'bought' } }, '/primary/property', 'is required with `aggregate=sum`'],
    [{ primary: { aggregate: 'revenue', metric: 'x' } }, '/primary/metric', 'is not allowed with `aggregate=revenue`'],
    [{ primary: {} }, '/primary/metric', 'is required with `aggregate=conversion`'],
    [
      { guardrails: [{ metric: { aggregate: 'retention' }, worse: 'lower', action: 'notify' }] },
      '/guardrails/0/metric/day',
      'is required with `aggregate=retention`',
    ],
    [{ guardrails: [{ metric: { aggregate: 'payer' }, worse: 'less', action: 'notify' }] }, '/guardrails/0/worse', ''],
    [{ plan: { alpha: 0 } }, '/plan/alpha', 'must be at least 0.001'],
    [{ plan: { power: 1 } }, '/plan/power', 'must be at most 0.99'],
    [{ plan: { mde: 0 } }, '/plan/mde', ''],
    [{ bucket_by: 'attribute:a..b' }, '/bucket_by', 'has an empty name in its path'],
    [{ salt: '' }, '/salt', ''],
    [{ colour: 'red' }, '/colour', ''],
  ])('refuses %j by its field, and stores nothing', async (more, path, rule) => {
    const { status, error } = await draft(more);
    const [fault] = Object(error).details.fields;
    expect([status, fault.path, fault.message]).toEqual([400, path, expect.stringContaining(rule)]);
    expect((await call('GET', `${PATH}/${key}`)).status).toBe(404);
  });

  it('names the values of a boolean flag as variants', async () => {
    const bool = `bool-${made}`;
    expect((await call('POST', FLAGS, { key: bool, flag_type: 'boolean' })).status).toBe(201);
    const variants = [
      { key: 'false', weight: 1 },
      { key: 'true', weight: 1 },
    ];
    expect((await draft({ flag_key: bool, variants })).status).toBe(201);
    expect(
      await message(
        patch({
          variants: [
            { key: 'false', weight: 1 },
            { key: 'on', weight: 1 },
          ],
        }),
      ),
    ).toContain('false, true');
  });

  it('is checked again when it starts: a draft may be older than its flag', async () => {
    await draft({ variants: [HALVES[0], { key: 'c', weight: 50 }] });
    const variants = HALVES.map((each) => ({ ...each, value: 'v' }));
    expect((await call('PATCH', `${FLAGS}/${flag}`, { variants })).status).toBe(200);
    expect(await message(act('start'))).toContain(
      '409 The experiment cannot run as it is defined: `variants/1/key` must be the key',
    );
    await call('DELETE', `${FLAGS}/${flag}`);
    expect(await message(act('start'))).toContain(
      '409 The experiment cannot run as it is defined: `flag_key` must be the key of a flag',
    );
    expect((await act('discard')).status).toBe(200);
  });
});

describe('experiments that run or are paused', () => {
  it('are one to a flag', async () => {
    await running();
    const second = `second-${made}`;
    await draft({ key: second });
    const { error } = await act('start', second);
    expect(error).toMatchObject({
      message: `The experiment \`${key}\` is running on the flag \`${flag}\`; stop it first.`,
      details: { experiment: key, flag_key: flag },
    });
    await act('pause');
    expect(await message(act('start', second))).toContain(`409 The experiment \`${key}\` is paused`);
    await act('stop');
    expect((await act('start', second)).status).toBe(200);
  });

  it('share no range of a layer', async () => {
    const layer = (from: number, to: number) => ({ key: `layer-${made}`, from, to });
    await running({ layer: layer(0, 30) });
    const second = `second-${made}`;
    const other = await makeFlag(`other-${made}`);
    await draft({ key: second, flag_key: other, layer: layer(29.99, 60) });
    const { error } = await act('start', second);
    expect(error).toMatchObject({
      message: `The experiment \`${key}\` has 0 to 30 % of the layer \`layer-${made}\`; choose a range that does not overlap it.`,
      details: { experiment: key, layer: layer(0, 30) },
    });
    expect((await patch({ layer: layer(30, 60) }, second)).status).toBe(200);
    expect((await act('start', second)).status).toBe(200);
    expect(await message(patch({ layer: layer(0, 30.01) }))).toContain(
      `409 The experiment \`${second}\` has 30 to 60 %`,
    );
    await act('stop', second);
    expect((await patch({ layer: layer(0, 30.01) })).status).toBe(200);
  });

  it('divide a layer by one key: players of one device are in one range', async () => {
    const layer = (from: number, to: number) => ({ key: `layer-${made}`, from, to });
    await running({ layer: layer(0, 30) });
    const second = `second-${made}`;
    const other = await makeFlag(`other-${made}`);
    await draft({ key: second, flag_key: other, layer: layer(30, 60), bucket_by: 'device' });
    expect(await message(act('start', second))).toBe(
      `409 The experiment \`${key}\` divides the layer \`layer-${made}\` by \`player\`; use the same \`bucket_by\`, or ` +
        'another layer.',
    );
    expect((await patch({ bucket_by: 'player' }, second)).status).toBe(200);
    expect((await act('start', second)).status).toBe(200);
  });

  it('hold their flag: it cannot be archived, and keeps the variants that they use', async () => {
    await running();
    const keep = (...keys: string[]) =>
      call('PATCH', `${FLAGS}/${flag}`, { variants: keys.map((each) => ({ key: each, value: 'v', weight: 1 })) });
    expect(await message(call('DELETE', `${FLAGS}/${flag}`))).toBe(
      `409 The experiment \`${key}\` is running on this flag; stop it first.`,
    );
    const { status, error } = await keep('a', 'c');
    expect([status, error]).toMatchObject([
      409,
      {
        message: `The experiment \`${key}\`, which is running, uses the variant \`b\`; remove the variant from the experiment, or stop the experiment.`,
        details: { experiment: key, state: 'running', variant_key: 'b' },
      },
    ]);
    expect((await keep('a', 'b')).status).toBe(200);
    await act('stop');
    expect((await keep('a', 'c')).status).toBe(200);
    expect((await call('DELETE', `${FLAGS}/${flag}`)).status).toBe(200);
  });

  it('hold the segment of their audience', async () => {
    const segment = await call('POST', '/v1/segments/segments', { key: `s-${made}`, conditions: { is_payer: true } });
    const id = String(segment.data['segment_id']);
    await draft({ audience: { segment_id: id } });
    const { status, error } = await call('DELETE', `/v1/segments/segments/${id}`);
    expect([status, error]).toMatchObject([
      409,
      {
        message: `The segment is used by experiments (${key}). Remove it from them first.`,
        details: { experiments: [key] },
      },
    ]);
    expect((await call('GET', `/v1/segments/segments/${id}`)).data['used_by']).toEqual({
      flags: [],
      experiments: [key],
      campaigns: [],
      segments: [],
    });
    await act('discard');
    expect((await call('DELETE', `/v1/segments/segments/${id}`)).status).toBe(200);
  });
});
