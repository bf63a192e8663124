import assert from 'node:assert/strict';
import { finish } from '../checks.ts';
import type { Scenario } from '../scenario.ts';
import type { World } from '../world.ts';

/* What flags serve, and what exposures and messages say of them. */

/** No key of a variant equals a value, and no value equals its neighbour. */
const SERVED = {
  text: { enabled: true, variant: 'wide', value: 'list-v2', reason: 'percentage_rollout', period: 3 },
  empty: { enabled: true, variant: 'bare', value: '', reason: 'percentage_rollout', period: 1 },
  bonus: { enabled: true, variant: 'control', value: 0, reason: 'percentage_rollout', period: 2 },
  coins: { enabled: true, variant: 'a', value: 25, reason: 'segment_match', period: 2 },
  speed: { enabled: true, variant: 'fast', value: 2.5, reason: 'percentage_rollout', period: 1 },
  debt: { enabled: true, value: -3, reason: 'default' },
  on: { enabled: true, value: true, reason: 'percentage_rollout', period: 4 },
  off: { enabled: false, value: false, reason: 'percentage_rollout', period: 4 },
  burnt: { enabled: false, value: false, reason: 'flag_disabled', period: 4 },
  offer: { enabled: true, variant: 'a', value: { price: 5, tiers: [1, null, 'x'], deep: { on: false } }, period: 1 },
  list: { enabled: true, variant: 'b', value: [3, 'y', { z: 0 }], reason: 'default', period: 1 },
  none: { enabled: false, value: null, reason: 'default' },
  large: { enabled: true, variant: 'c', reason: 'percentage_rollout', period: 1 },
};

/** A fallback of each type that no flag serves. */
const FALLBACKS: readonly unknown[] = ['mine', 77, 0.5, true, false, { mine: 1 }, ['mine']];

const kindOf = (value: unknown) => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value);

async function checkServed(world: World): Promise<void> {
  for (const [key, flag] of Object.entries(SERVED)) {
    const value: unknown = 'value' in flag ? flag.value : undefined;
    for (const fallback of FALLBACKS) {
      const expected = kindOf(value) === kindOf(fallback) ? value : fallback;
      assert.deepEqual(await world.flag(key, fallback), expected, `${key} for ${JSON.stringify(fallback)}`);
    }
    assert.deepEqual(await world.flag(key, null), value ?? null, `${key} for null`);
  }
}

/** What the exposures of the stored events name. */
function exposures({ server }: World): unknown[] {
  return server.service.events
    .filter(({ event_name: name }) => name === 'flag_exposed')
    .map(({ properties }) => [Object(properties).flag_key, Object(properties).variant_key]);
}

export const flags: Scenario[] = [
  {
    name: 'serves values of every type, by the type of the fallback, online and offline',
    async run(world) {
      world.server.service.flags = SERVED;
      await world.start();
      await checkServed(world);
      // Whole where the game asks for a whole number; a fraction does not lose its digits.
      assert.equal(await world.flag('coins', 7, true), 25);
      assert.equal(await world.flag('bonus', 7, true), 0);
      assert.notEqual(await world.flag('speed', 7, true), 2);
      await world.kill();
      world.server.always = () => 'cut';
      await world.start();
      await checkServed(world);
    },
  },
  {
    name: 'gives values that the game may change without changing the flag',
    async run(world) {
      world.server.service.flags = SERVED;
      await world.start();
      for (const key of ['offer', 'list'] as const) {
        const fallback = key === 'offer' ? {} : [];
        await world.run({ do: 'flag', key, fallback, spoil: true });
        assert.deepEqual(await world.flag(key, fallback), SERVED[key].value);
      }
    },
  },
  {
    name: 'names in an exposure the variant that the player saw, also one of an earlier session',
    async run(world) {
      world.server.service.flags = SERVED;
      await world.start();
      assert.equal(await world.flag('text', 'old'), 'list-v2');
      await world.quit();
      world.server.always = () => 'cut';
      world.server.service.flags = { ...SERVED, text: { ...SERVED.text, variant: 'grid', value: 'v9', period: 4 } };
      await world.start();
      assert.equal(await world.flag('text', 'old'), 'list-v2');
      for (const key of ['text', 'bonus', 'on', 'off', 'burnt', 'list', 'unknown'])
        await world.run({ do: 'expose', key });
      await world.track(1);
      world.server.always = () => 'ok';
      await world.passUntil('the exposures arrive', () => exposures(world).length === 7);
      assert.deepEqual(exposures(world), [
        ['text', 'wide'],
        ['bonus', 'control'],
        ['on', true],
        ['off', false],
        ['burnt', undefined],
        ['list', 'b'],
        ['unknown', undefined],
      ]);
      await world.run({ do: 'expose', key: 'text' });
      await world.pass(31_000);
      assert.deepEqual(exposures(world).slice(7), [['text', 'grid']]);
    },
  },
  {
    name: 'exposes a flag once, and again in a new period and with another variant',
    async run(world) {
      const { service } = world.server;
      service.flags = { text: SERVED.text, bonus: SERVED.bonus };
      await world.start();
      const expose = async () => {
        for (const key of ['text', 'bonus', 'text'])
          assert.equal((await world.run({ do: 'expose', key })).result, true);
        await world.pass(31_000);
      };
      await expose();
      await expose();
      assert.deepEqual(exposures(world), [
        ['text', 'wide'],
        ['bonus', 'control'],
      ]);
      service.flags = { ...service.flags, text: { ...SERVED.text, period: 9 } };
      await world.pass(31_000);
      await expose();
      assert.deepEqual(exposures(world).slice(2), [['text', 'wide']]);
      service.flags = { ...service.flags, text: { ...SERVED.text, variant: 'grid', period: 9 } };
      await world.pass(31_000);
      await expose();
      service.flags = { ...service.flags, text: { ...SERVED.text, period: 9 } };
      await world.pass(31_000);
      await expose();
      assert.deepEqual(exposures(world).slice(3), [
        ['text', 'grid'],
        ['text', 'wide'],
      ]);
    },
  },
  {
    name: 'keeps messages for a listener that comes later, and gives each once',
    async run(world) {
      const message = (id: string) => ({ intervention_id: id, content: { title: id } });
      world.server.service.interventions = [message('int_1'), { broken: true }, message('int_2')];
      await world.start();
      await world.track(1);
      await world.pass(31_000);
      assert.deepEqual(world.messages, []);
      await world.run({ do: 'listen' });
      assert.deepEqual(world.messages, ['int_1', 'int_2']);
      world.server.service.interventions = [message('int_3')];
      await world.pass(62_000);
      assert.deepEqual(world.messages, ['int_1', 'int_2', 'int_3']);
      await finish(world);
    },
  },
];
