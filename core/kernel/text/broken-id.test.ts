import { describe, expect, it } from 'vitest';
import { isBrokenId, isPlaceholderId } from './broken-id.ts';

const BROKEN = [
  'undefined',
  'Undefined',
  'UNDEFINED',
  ' undefined ',
  '"undefined"',
  "'undefined'",
  'null',
  'NULL',
  'Null\n',
  '"null"',
  '(null)',
  '<null>',
  'NaN',
  'nan',
  '[object Object]',
  '[object object]',
  '[object Undefined]',
  '  ',
  '\t',
  '\u00a0',
  '\u3000',
  '""',
  "''",
  '" "',
  '00000000-0000-0000-0000-000000000000',
  '{00000000-0000-0000-0000-000000000000}',
  '(00000000-0000-0000-0000-000000000000)',
  'urn:uuid:00000000-0000-0000-0000-000000000000',
  '<nil>',
  '-nan',
  '\u200b',
  '\u200bnull\u0000',
  '0'.repeat(32),
];
const PLACEHOLDERS = ['0', 'none', 'None', 'nil', 'n/a', 'unknown', 'anonymous', 'guest', 'Guest', 'true'];
const IDS = [
  'undefined1',
  'nullable',
  'nancy',
  'player_0',
  '00',
  '0-0',
  '00000000',
  '00000000-0000-0000-0000-000000000001',
  'object',
  '[object',
  'x[object Object]',
  'u',
  "'",
  '"',
  'é',
  '\ue000',
  '0'.repeat(31),
  '0'.repeat(200),
];

describe('an id that is none', () => {
  it.each(BROKEN)('is %j, on every door', (text) => {
    expect({ broken: isBrokenId(text), placeholder: isPlaceholderId(text) }).toEqual({
      broken: true,
      placeholder: true,
    });
  });

  it.each(PLACEHOLDERS)('is %j in messages of other clients only', (text) => {
    expect({ broken: isBrokenId(text), placeholder: isPlaceholderId(text) }).toEqual({
      broken: false,
      placeholder: true,
    });
  });

  it.each(IDS)('is not %j', (text) => {
    expect({ broken: isBrokenId(text), placeholder: isPlaceholderId(text) }).toEqual({
      broken: false,
      placeholder: false,
    });
  });
});
