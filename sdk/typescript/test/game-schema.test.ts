import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type EventSchema, type Flag, gameSchemaText } from '../src/schema/game-schema-text.ts';

const event = (name: string, schema: object, description = ''): EventSchema =>
  Object.assign(JSON.parse('{}'), { event_name: name, schema, description });
const flag = (key: string, type: Flag['flag_type'], ...values: unknown[]): Flag =>
  Object.assign(JSON.parse('{}'), {
    key,
    description: '',
    flag_type: type,
    default_value: type === 'boolean' ? false : null,
    variants: values.map((value, place) => ({ key: `v${place}`, value })),
  });

it('writes events and flags as one interface', () => {
  const reward = { type: 'object', properties: { kind: { enum: ['gold', 'gem'] }, amount: { type: 'integer' } } };
  const schema = {
    properties: {
      result: { enum: ['WIN', 'LOSS'] },
      rewards: { type: 'array', items: { $ref: '#/$defs/reward' } },
      note: { type: ['string', 'null'], description: 'Free text. More of it.' },
    },
    required: ['result'],
    $defs: { reward },
  };
  const text = gameSchemaText(
    'Arena',
    [event('match_end', schema, 'A match is over.')],
    [
      flag('double_xp', 'boolean'),
      flag('new_shop', 'multivariate', 'old', 'new', 'old'),
      flag('bonus', 'number', 0, -2.5, 1e21),
      flag(
        'layout',
        'json',
        { rows: 3, 'max-items': [1, 'x'], more: {} },
        { rows: 4, 'max-items': ['x', 2], more: {} },
      ),
      flag('nothing', 'json', null),
    ],
  );
  expect(text.replaceAll(/\s+/g, ' ')).toContain(
    "/** A match is over. */ match_end: { readonly result: 'WIN' | 'LOSS'; readonly rewards?: " +
      "readonly ({ readonly kind?: 'gold' | 'gem'; readonly amount?: number; })[]; " +
      '/** Free text. */ readonly note?: string | null; }; }; ' +
      "flags: { double_xp: boolean; new_shop: 'old' | 'new'; bonus: 0 | -2.5 | 1e+21; " +
      "layout: { readonly rows: number; readonly 'max-items': readonly (number | string)[]; " +
      'readonly more: Readonly<Record<string, unknown>>; }; ' +
      'nothing: unknown; }; }',
  );
});

it('compiles whatever names and descriptions are', () => {
  const names = ["it's", 'a"b', 'new\nline', '*/', '`${x}`', '', '__proto__', '1st', 'ünï', '\\'];
  const schemas = names.map((name) =>
    event(
      name,
      { properties: { [name]: { const: name, description: `${name} */ export const x = 1; /*` } } },
      `${name} */`,
    ),
  );
  const flags = names.map((name) => flag(name, 'json', name, `${name}2`, { [name]: name }, []));
  const folder = mkdtempSync(join(tmpdir(), 'player-analytics-sdk-'));
  try {
    const file = join(folder, 'schema.mts');
    writeFileSync(file, `${gameSchemaText('Odd', schemas, flags)}\nexport const keys: (keyof Odd['flags'])[] = [];\n`);
    const compiler = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2022'];
    const output = execFileSync(process.execPath, [compiler, ...options, '--types', '', file], { encoding: 'utf8' });
    expect(output).toBe('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
