import { beforeEach, describe, expect, it } from 'vitest';
import { FLAGS, HALVES, PATH, setUpExperiments } from './experiment-requests.ts';

/* Shipping the winner of an experiment: what the flag serves then, and taking it back. */

const world = setUpExperiments();
const { call, message } = world;
let made = 0;
let flag = '';
let key = '';

const RULE = { name: 'All', segment_id: null, value: true, percentage: 20, priority: -3 };

const act = (action: string, body?: object, headers: Record<string, string> = {}) =>
  call('POST', `${PATH}/${key}/${action}`, body, headers);
const flagNow = async () => (await call('GET', `${FLAGS}/${flag}`)).data;
const now = async () => (await call('GET', `${PATH}/${key}`)).data;
/** Without what every change makes new. */
const content = (data: Record<string, unknown>) => ({
  ...data,
  version: undefined,
  updated_at: undefined,
  edit_effect: undefined,
});

async function running(experiment: object = {}, ofFlag: object = {}): Promise<void> {
  const variants = HALVES.map((each) => ({ ...each, value: each.key }));
  const flagBody = { key: flag, flag_type: 'string', default_value: 'off', variants, ...ofFlag };
  expect((await call('POST', FLAGS, flagBody)).status).toBe(201);
  const shares = 'variants' in experiment ? {} : { variants: HALVES };
  expect((await call('POST', PATH, { key, flag_key: flag, ...shares, ...experiment })).status).toBe(201);
  expect((await act('start')).status).toBe(200);
}

beforeEach(() => {
  made += 1;
  flag = `flag-${made}`;
  key = `exp-${made}`;
});

describe('shipping a winner', () => {
  it.each(['ab', 'aab', 'bbba', 'aaaa'])(
    'of several requests at the same moment ships one, and the flag serves the winner: %s',
    async (winners) => {
      await running();
      const put = world.gateway.config.put.bind(world.gateway.config);
      let waiting = 0;
      const all = Promise.withResolvers<void>();
      // Each request has looked before any has written.
      world.gateway.config.put = async (address, document, revision) => {
        if (address.kind === 'flag') {
          waiting += 1;
          if (waiting === winners.length) all.resolve();
          await all.promise;
        }
        return put(address, document, revision);
      };
      const answers = await Promise.all(winners.split('').map((variant) => act('ship', { variant })));
      world.gateway.config.put = put;
      expect(answers.some(({ status }) => status === 200)).toBe(true);
      expect(await flagNow()).toMatchObject({ default_serve: { variant: (await now())['winner'] } });
      expect(await message(act('undo'))).toBe('200 undefined');
      expect(await flagNow()).not.toHaveProperty('default_serve');
    },
  );

  it('makes it the default of a flag without rules if the audience is everybody, and undo gives the flag as it was', async () => {
    await running();
    const before = await flagNow();
    const { data: preview } = await act('ship/preview', { variant: 'b' });
    const change = { key: flag, version: 2, difference: ['Default serve: none → variant “b”'] };
    expect(preview['flag']).toMatchObject(change);
    expect(await flagNow()).toEqual(before);
    const shipped = await act('ship', { variant: 'b' });
    expect([shipped.status, shipped.headers.get('etag')]).toEqual([200, '"3"']);
    expect(shipped.data).toMatchObject({
      experiment: { state: 'shipped', winner: 'b', actions: ['undo'], shipped: { flag_version: 2 } },
      flag: change,
      undo: `POST ${PATH}/${key}/undo`,
    });
    expect(Object(shipped.data['experiment']).stopped_at).toEqual(expect.any(String));
    expect(await flagNow()).toMatchObject({ version: 2, default_serve: { variant: 'b' }, targeting_rules: [] });
    const undone = await act('undo');
    expect(undone.data).toMatchObject({
      experiment: { state: 'stopped', winner: null, shipped: null, actions: ['discard', 'ship'] },
      flag: { version: 3, difference: ['Default serve: variant “b” → none'] },
      undo: null,
    });
    expect(content(await flagNow())).toEqual(content(before));
    expect((await act('ship', { variant: 'a' })).data).toMatchObject({ experiment: { winner: 'a' } });
  });

  it('makes it the first rule for another audience, and before other rules', async () => {
    await running(
      { audience: { conditions: { 'attributes.level': { $gte: 5 } } }, traffic: 10, name: 'Wide' },
      { targeting_rules: [RULE], default_serve: { variant: 'a' } },
    );
    const before = await flagNow();
    const { data } = await act('ship', { variant: 'b' });
    expect(Object(data['flag']).difference).toEqual([
      expect.stringContaining('Rule 1 “Shipped: Wide” added: conditions {"attributes.level":{"$gte":5}}'),
    ]);
    expect((await flagNow())['targeting_rules']).toMatchObject([
      {
        name: 'Shipped: Wide',
        segment_id: null,
        conditions: { 'attributes.level': { $gte: 5 } },
        serve: { variant: 'b' },
        percentage: 100,
        priority: -3,
      },
      RULE,
    ]);
    expect((await act('undo')).status).toBe(200);
    expect(content(await flagNow())).toEqual(content(before));
  });

  it('serves everybody before the rules that a flag has, also from a paused or stopped experiment', async () => {
    await running({}, { targeting_rules: [RULE] });
    await act('pause');
    expect((await act('ship', { variant: 'a' })).status).toBe(200);
    expect((await flagNow())['targeting_rules']).toMatchObject([{ serve: { variant: 'a' }, percentage: 100 }, RULE]);
    await act('undo');
    expect((await act('ship', { variant: 'b' })).status).toBe(200);
    expect((await now())['stopped_at']).toEqual(expect.any(String));
  });

  it('serves the value of a boolean flag', async () => {
    const variants = [
      { key: 'false', weight: 1 },
      { key: 'true', weight: 1 },
    ];
    await running({ variants }, { flag_type: 'boolean', variants: [], default_value: false, targeting_rules: [RULE] });
    await act('ship', { variant: 'false' });
    expect((await flagNow())['targeting_rules']).toMatchObject([{ serve: { value: false } }, RULE]);
  });

  it('is refused for what is no variant, for a draft and for equal variants', async () => {
    await running();
    expect(await message(act('ship', { variant: 'c' }))).toBe(
      '400 `variant` must be a variant of the experiment: a, b.',
    );
    expect(await message(act('ship/preview', { variant: 'c' }))).toContain('400 `variant`');
    expect((await act('ship', { variant: 'a' }, { 'If-Match': '"1"' })).status).toBe(412);
    expect((await flagNow())['version']).toBe(1);
    [key, flag] = [`aa-${made}`, `flag-aa-${made}`];
    await running({ mode: 'aa' });
    expect(await message(act('ship', { variant: 'a' }))).toBe(
      '409 The variants of an A/A experiment are equal, so none can be shipped. It allows pause, stop.',
    );
  });
});

describe('a repeat', () => {
  it('of a shipped winner answers it as it is; another winner is refused', async () => {
    await running();
    const once = { 'Idempotency-Key': `ship-${made}` };
    await act('ship', { variant: 'b' }, once);
    const again = await act('ship', { variant: 'b' }, once);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect((await act('ship', { variant: 'b' })).data).toMatchObject({ flag: { version: 2, difference: [] } });
    expect(await message(act('ship', { variant: 'a' }))).toBe(
      '409 The experiment is in the state `shipped`, which does not allow `ship`. It allows undo.',
    );
    const undone = { 'Idempotency-Key': `undo-${made}` };
    expect((await act('undo', undefined, undone)).status).toBe(200);
    const replayed = await act('undo', undefined, undone);
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    // It is a repeat of what was taken back, and ships nothing again.
    expect((await act('ship', { variant: 'b' }, once)).data).toMatchObject({ experiment: { state: 'stopped' } });
    expect((await flagNow())['version']).toBe(3);
  });

  it('after a crash between the two writes goes on where it ended, both to ship and to take back', async () => {
    await running({}, { targeting_rules: [RULE] });
    const address = { game: 'demo', environment: 'live', kind: 'experiment', key } as const;
    const held = world.gateway.config.get(address);
    if (held === undefined) throw new Error('it was not made');
    const { document: before } = held;
    await act('ship', { variant: 'b' });
    // As if the process had ended after the first write.
    const crashed = { ...before, version: 9 };
    await world.gateway.config.put(address, crashed);
    expect(await message(act('ship', { variant: 'a' }))).toBe(
      '409 An earlier request, which was interrupted, shipped `b`; ship that again, or undo it first.',
    );
    expect((await act('ship', { variant: 'b' })).data).toMatchObject({
      experiment: { state: 'shipped', winner: 'b', shipped: { flag_version: 2 } },
      flag: { version: 2 },
    });
    expect((await flagNow())['targeting_rules']).toHaveLength(2);
    await world.gateway.config.put(address, crashed);
    expect((await act('undo')).data).toMatchObject({ experiment: { state: 'running' }, flag: { version: 3 } });
    expect((await flagNow())['targeting_rules']).toMatchObject([RULE]);
    await act('ship', { variant: 'b' });
    await world.gateway.config.put(address, { ...before, state: 'stopped', version: 20 });
    expect((await act('undo')).data).toMatchObject({ experiment: { state: 'stopped' }, flag: { version: 5 } });
    expect((await flagNow())['targeting_rules']).toMatchObject([RULE]);
    expect(await message(act('undo'))).toContain('409 The experiment is in the state `stopped`, which does not allow');
  });
});

describe('a change of the flag between the two writes', () => {
  const edits: [string, object, object, number][] = [
    ['other rules', { targeting_rules: [RULE] }, { targeting_rules: [{ ...RULE, percentage: 30 }] }, 1],
    ['a rule of a flag without any', {}, { targeting_rules: [RULE] }, 1],
    ['another default', {}, { default_serve: { variant: 'a' } }, 0],
    ['the disabled flag', { targeting_rules: [RULE] }, { enabled: false }, 2],
    ['the winner in its place, behind another rule', { targeting_rules: [RULE] }, {}, 2],
  ];
  /** Lets a person edit the flag right before the experiment is written. */
  function beforeSecondWrite(edit: () => Promise<unknown>): void {
    const put = world.gateway.config.put.bind(world.gateway.config);
    world.gateway.config.put = async (address, document, revision) => {
      if (address.kind !== 'experiment') return put(address, document, revision);
      world.gateway.config.put = put;
      await edit();
      return put(address, document, revision);
    };
  }

  it.each(edits.slice(0, 4))('by a person stays, and nothing is shipped: %s', async (_, ofFlag, edit) => {
    await running({}, ofFlag);
    beforeSecondWrite(async () => expect((await call('PATCH', `${FLAGS}/${flag}`, edit)).status).toBe(200));
    const refused = await message(act('ship', { variant: 'b' }));
    expect(refused).toBe(
      '409 The flag was changed at the same moment, so nothing was shipped; look at the flag, and ship again.',
    );
    expect(await now()).toMatchObject({ state: 'running', winner: null });
    const edited = await flagNow();
    const before = { targeting_rules: [], ...ofFlag, ...edit };
    expect(edited).toMatchObject(before);
    expect(edited['targeting_rules']).toHaveLength(before.targeting_rules.length);
    expect((await act('ship', { variant: 'b' })).status).toBe(200);
    expect(Object(await flagNow()).targeting_rules).not.toHaveLength(3);
    expect((await act('undo')).status).toBe(200);
    expect(content(await flagNow())).toEqual(content(edited));
  });

  it.each(edits)(
    'of a request that was interrupted leaves one winner when it is repeated: %s',
    async (_, ofFlag, edit, count) => {
      await running({}, ofFlag);
      const address = { game: 'demo', environment: 'live', kind: 'experiment', key } as const;
      const held = world.gateway.config.get(address);
      if (held === undefined) throw new Error('it was not made');
      await act('ship', { variant: 'b' });
      await world.gateway.config.put(address, { ...held.document, version: 9 });
      const rules = (await flagNow())['targeting_rules'];
      const own = Array.isArray(rules) ? rules : [];
      const body =
        Object.keys(edit).length > 0 ? edit : { targeting_rules: [{ ...RULE, percentage: 7 }, ...own.slice(0, 1)] };
      expect((await call('PATCH', `${FLAGS}/${flag}`, body)).status).toBe(200);
      expect((await act('ship', { variant: 'b' })).status).toBe(200);
      const after = await flagNow();
      const shippedRules = Object(after).targeting_rules.filter(({ name = '' }) => name.startsWith('Shipped'));
      expect(shippedRules).toHaveLength(count === 0 ? 0 : 1);
      expect(Object(after).targeting_rules).toHaveLength(count === 0 ? 0 : 2);
      if (count === 0) expect(after).toMatchObject({ default_serve: { variant: 'b' } });
      else expect(Object(after).targeting_rules[0]).toMatchObject({ serve: { variant: 'b' }, percentage: 100 });
      expect((await act('undo')).status).toBe(200);
      const undone = Object(await flagNow());
      expect(undone.targeting_rules).toHaveLength(count === 0 ? 0 : 1);
      expect(JSON.stringify(undone)).not.toContain('Shipped');
    },
  );
});

describe('a request that was interrupted, and what people did then', () => {
  it.each(['another audience', 'another experiment'])('leaves no second rule: %s', async (what) => {
    await running({}, { targeting_rules: [RULE] });
    const [first, address] = [key, { game: 'demo', environment: 'live', kind: 'experiment', key } as const];
    const held = world.gateway.config.get(address);
    if (held === undefined) throw new Error('it was not made');
    await act('ship', { variant: 'b' });
    await world.gateway.config.put(address, { ...held.document, version: 9 });
    if (what === 'another audience') {
      const patched = await call('PATCH', `${PATH}/${key}`, { audience: { conditions: { is_payer: true } } });
      expect(patched.status).toBe(200);
      await call('PATCH', `${FLAGS}/${flag}`, { enabled: false });
    } else {
      await act('stop');
      key = `other-${made}`;
      expect((await call('POST', PATH, { key, flag_key: flag, variants: HALVES })).status).toBe(201);
      await act('start');
    }
    expect((await act('ship', { variant: 'a' })).status).toBe(200);
    const rules = Object(await flagNow()).targeting_rules;
    expect(rules).toMatchObject([{ serve: { variant: 'a' } }, RULE]);
    expect((await act('undo')).status).toBe(200);
    expect((await flagNow())['targeting_rules']).toMatchObject([RULE]);
    key = first;
  });
});

describe('shipping to a disabled flag', () => {
  it('says in the preview and the answer that nobody gets the winner yet', async () => {
    await running();
    const said = (data: Record<string, unknown>) => Object(data['flag']).notes;
    expect(said((await act('ship/preview', { variant: 'b' })).data)).toEqual([]);
    await call('PATCH', `${FLAGS}/${flag}`, { enabled: false });
    const disabled = ['The flag is disabled: no player gets the variant before you enable it.'];
    expect(said((await act('ship/preview', { variant: 'b' })).data)).toEqual(disabled);
    expect(said((await act('ship', { variant: 'b' })).data)).toEqual(disabled);
    expect(said((await act('ship', { variant: 'b' })).data)).toEqual(disabled);
    expect(said((await act('undo')).data)).toEqual([]);
    expect(await flagNow()).toMatchObject({ enabled: false });
  });
});

describe('taking back', () => {
  it('is refused once players get something else by the flag, not for a change of its texts', async () => {
    await running();
    await act('ship', { variant: 'b' });
    expect((await call('PATCH', `${FLAGS}/${flag}`, { note: 'winner' })).status).toBe(200);
    expect((await act('undo')).status).toBe(200);
    expect(await flagNow()).toMatchObject({ note: 'winner', version: 4 });
    await act('ship', { variant: 'a' });
    await call('PATCH', `${FLAGS}/${flag}`, { enabled: false });
    const { status, error } = await act('undo');
    expect([status, error]).toMatchObject([
      409,
      {
        message:
          `The flag \`${flag}\` was changed since: version 5 shipped the winner, and version 6 is in effect. Change the ` +
          'flag, or restore its version 4.',
        details: { flag_key: flag, shipped_version: 5, version: 6 },
      },
    ]);
    expect((await now())['state']).toBe('shipped');
    await call('DELETE', `${FLAGS}/${flag}`);
    expect(await message(act('undo'))).toBe(
      '409 The flag of the experiment is archived; restore it first (`POST /v1/flags/flags/{key}/restore`).',
    );
  });
});
