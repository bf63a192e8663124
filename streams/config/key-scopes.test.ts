import { expect, test } from 'vitest';
import { ADDITIONAL_SCOPES, grantedScopes, LIMITING_SCOPES, SCOPES } from './key-scopes.ts';

const limiting = Object.keys(LIMITING_SCOPES);

test.each<[string, readonly string[], readonly string[]]>([
  ['no scope', [], limiting],
  ['an additional one', ['scoring:write'], [...limiting, 'scoring:write']],
  ['a limiting one', ['track'], ['track']],
  ['both', ['read', 'audit:read'], ['read', 'audit:read']],
  ['one that this version does not know', ['fly'], ['fly']],
  ['an unknown one beside an additional one', ['fly', 'scoring:write'], ['fly', 'scoring:write']],
])('a key with %s may do what it says', (_, named, granted) => {
  expect(grantedScopes(named)).toEqual(new Set(granted));
});

test('every scope limits or adds', () => {
  expect(SCOPES.toSorted()).toEqual([...limiting, ...Object.keys(ADDITIONAL_SCOPES)].toSorted());
});
