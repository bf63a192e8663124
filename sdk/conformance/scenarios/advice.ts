import assert from 'node:assert/strict';
import { finish } from '../checks.ts';
import type { Scenario } from '../scenario.ts';

/* What the client says of mistakes of the game. */

export const advice: Scenario[] = [
  {
    name: 'refuses each mistake of the start with a text of its own that names the option',
    async run(world) {
      const mistakes = [
        ['baseUrl', { baseUrl: '' }],
        ['baseUrl', { baseUrl: 'analytics.example.com' }],
        ['key', { key: '' }],
        ['key', { key: 'sk_live_abc' }],
        ['key', { key: 'pk_live_…' }],
        ['player', { player: '' }],
        ['player', { player: 'undefined' }],
      ] as const;
      const texts = new Set<string>();
      for (const [option, faulty] of mistakes) {
        const text = String(await world.refusal(faulty));
        // Options have other letters in other languages.
        assert(text.toLowerCase().replaceAll('_', '').includes(option.toLowerCase()), `${option}: ${text}`);
        assert(!text.includes('sk_live_abc'), 'the key is in the text');
        texts.add(text);
      }
      assert.equal(texts.size, mistakes.length, [...texts].join('\n'));
      const ids = ['null', 'NaN', '[object Object]', '00000000-0000-0000-0000-000000000000', '  ', 'n/a'];
      for (const player of ids) assert.equal(typeof (await world.refusal({ player })), 'string', player);
      for (const player of ['0', 'none', 'nullable'])
        assert.equal((await world.refusal({ player })) ?? null, null, player);
      assert.equal(world.server.exchanges.filter(({ text }) => text.includes('undefined')).length, 0);
    },
  },
  {
    name: 'says once what the game does in vain',
    async run(world) {
      const advised = () => world.problems.filter((kind) => kind === 'usage').length;
      await world.start();
      for (let turn = 0; turn < 3; turn += 1) {
        assert.equal(await world.flag('new_shop', 'old'), 'blue');
        assert.equal(await world.flag('double_xp', null), false);
      }
      assert.equal(advised(), 0);
      for (let turn = 0; turn < 3; turn += 1) await world.flag('new_shpo', 'old');
      assert.equal(advised(), 1, 'an unknown flag');
      for (let turn = 0; turn < 3; turn += 1) await world.flag('new_shop', 5);
      assert.equal(advised(), 2, 'a fallback of another type');
      assert.deepEqual(await world.track(2, 'purchase'), [true, true]);
      assert.equal(advised(), 3, 'a purchase as an event');
      world.server.service.ignoredFields = 'state_updates.vip';
      await world.run({ do: 'setState', attributes: { vip: true } });
      await world.pass(31_000);
      await world.run({ do: 'setState', attributes: { vip: false } });
      await world.pass(31_000);
      assert.equal(advised(), 4, 'a dropped attribute');
      assert.deepEqual(world.log, []);
      await finish(world);
    },
  },
  {
    name: 'says nothing of flags before it knows them',
    async run(world) {
      world.server.always = () => 'cut';
      await world.start();
      assert.equal(await world.flag('new_shop', 'old'), 'old');
      await finish(world);
      assert(!world.problems.includes('usage'));
    },
  },
  {
    name: 'logs what it does when it is asked to',
    async run(world) {
      await world.start({ debug: true });
      await world.track(1, 'level_up');
      await world.run({ do: 'flush' });
      world.server.tricks = [{ status: 503 }];
      await world.track(1, '');
      await world.track(1);
      await world.run({ do: 'flush' });
      for (const word of ['level_up', '/init', '/sync', '503', 'invalid']) {
        assert(
          world.log.some((line) => line.includes(word)),
          `${word}:\n${world.log.join('\n')}`,
        );
      }
      assert(!world.log.some((line) => line.includes('pk_test_1')), 'the key is in the log');
      await finish(world);
    },
  },
];
