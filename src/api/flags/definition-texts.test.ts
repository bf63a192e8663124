import { describe, expect, it, vi } from 'vitest';
import { aFlag } from '../../../actors/flags/evaluate/testing-flag.ts';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { createMemoryConfigStore } from '../../../test/support/in-memory/memory-config-store.ts';
import { createDefinitionTexts, type DefinitionTextsOptions } from './definition-texts.ts';

/** Flags, experiments, the settings of the game and segments. */
const LISTS = 4;

async function setUp(options: Partial<DefinitionTextsOptions> = {}) {
  const config = createMemoryConfigStore();
  const texts = createDefinitionTexts({ config, clock: createFakeClock(), ...options });
  const put = (game: string, key: string, value = 'v') =>
    config.put({ game, environment: 'live', kind: 'flag', key }, aFlag({ key, defaultValue: value }));
  await put('demo', 'one');
  const textOf = async (game = 'demo'): Promise<string> => {
    const made = await texts.of(game, 'live');
    return made.kind === 'text' ? made.text : made.kind;
  };
  return { config, texts, put, textOf, lists: vi.spyOn(config, 'list') };
}

describe('the texts of definitions', () => {
  it('are written once per revision, also for servers that ask at the same time', async () => {
    const { put, textOf, lists } = await setUp();
    const [first, second] = await Promise.all([textOf(), textOf()]);
    expect(second).toBe(first);
    expect(await textOf()).toBe(first);
    expect(lists).toHaveBeenCalledTimes(1 * LISTS);
    await put('demo', 'two');
    expect(JSON.parse(await textOf())).toMatchObject({ revision: 2, flags: [{ key: 'one' }, { key: 'two' }] });
    expect(lists).toHaveBeenCalledTimes(2 * LISTS);
  });

  it('are refused above their maximum, until definitions are smaller again', async () => {
    const { put, textOf } = await setUp({ mostChars: 1_000 });
    await put('demo', 'large', 'x'.repeat(1_000));
    expect(await textOf()).toBe('too large');
    await put('demo', 'large');
    expect(JSON.parse(await textOf())).toMatchObject({ flags: [{ key: 'large' }, { key: 'one' }] });
  });

  it('are held up to a maximum, the latest ones', async () => {
    const { put, textOf, lists } = await setUp({ heldChars: 1_000 });
    await put('other', 'one', 'x'.repeat(400));
    for (const game of ['demo', 'other', 'demo', 'other']) await textOf(game);
    expect(lists).toHaveBeenCalledTimes(2 * LISTS);
    await put('third', 'one', 'x'.repeat(700));
    await textOf('third');
    lists.mockClear();
    await textOf('third');
    expect(lists).not.toHaveBeenCalled();
    await textOf('demo');
    await textOf('other');
    expect(lists).toHaveBeenCalledTimes(2 * LISTS);
  });

  it('are written again after a fault', async () => {
    const { config, texts, textOf, lists } = await setUp();
    lists.mockImplementationOnce(() => {
      throw new Error('a bug');
    });
    await expect(texts.of('demo', 'live')).rejects.toThrow('a bug');
    expect(JSON.parse(await textOf())).toMatchObject({ flags: [{ key: 'one' }] });
    expect(config.list('flag')).toHaveLength(1);
  });
});
