import type { Json, JsonObject } from '../../../core/kernel/text/json.ts';

/* The cases of version operators, those of the peers' suites as far as they have the same meaning here. */

/** A condition on a value, values that meet it, and values that do not. */
type Case = [condition: JsonObject, yes: Json[], no: Json[]];

/** LaunchDarkly's SDK test harness, tables of semver operators: each pair in both directions. */
export const EQUAL: [string, string][] = [
  ['2.0.0', '2.0.0'],
  ['2.0', '2.0.0'],
  ['2', '2.0.0'],
  ['2.0.0+build', '2.0.0'],
  ['2.0.0-rc', '2.0.0-rc'],
  ['2.0-rc', '2.0.0-rc'],
  ['2-rc', '2.0.0-rc'],
  ['2.0.0-rc+build', '2.0.0-rc'],
];
export const LOWER_AND_HIGHER: [string, string][] = [
  ['1.0.0', '2.0.0'],
  ['1.0', '2.0'],
  ['1', '2'],
  ['2.0.0', '2.1.0'],
  ['2.0', '2.1'],
  ['2.0.0', '2.0.1'],
  ['2.0.0-rc', '2.0.0'],
  ['2.0.0-rc', '2.0.0-rc.1'],
  ['2.0.0-rc.2.green', '2.0.0-rc.10.green'],
  ['2.0.0-rc.2.green', '2.0.0-rc.2.red'],
  ['2.0.0-rc.2.green', '2.0.0-rc.2.green.1'],
  ['2.0.0-rc.2.green', '2.0.1-rc.2.green'],
];

/** flagd's test bed, `sem_ver`. `~` and `^` are written as two conditions. */
export const FLAGD: Case[] = [
  [{ $veq: '2.0.0' }, ['2.0.0'], ['2.1.0', '1.9.0', '2.0.0-alpha']],
  [{ $vgt: '2.0.0' }, ['2.1.0'], ['2.0.0', '1.9.0', '2.0.0-alpha']],
  [{ $vlt: '2.0.0' }, ['1.9.0', '2.0.0-alpha'], ['2.0.0', '2.1.0']],
  [{ $vgte: '3.0.0', $vlt: '3.1.0' }, ['3.0.1'], ['3.1.0', '4.0.0']],
  [{ $vgte: '3.0.0', $vlt: '4.0.0' }, ['3.0.1', '3.1.0'], ['4.0.0']],
  [{ $veq: '1.0.0' }, [], ['not-a-version']],
  [{ $veq: 'v1.0.0' }, ['1.0.0', 'v1.0.0', 'V1.0.0'], ['2.0.0']],
  [{ $vgte: '1', $vlt: '2' }, ['1.5.0', '1.0.0', '1.0', '1', 1, 1.2], ['2.0.0']],
  [{ $vgt: '1.1' }, [1.2, 2, '1.2'], [1.1, 1]],
  [{ $veq: '1.0.0+build' }, ['1.0.0', '1.0.0+other'], ['2.0.0']],
];

/** Unleash's client specification 14, semver constraints. */
export const UNLEASH: Case[] = [
  [{ $veq: '1.2.2' }, ['1.2.2'], ['1.2.0']],
  [{ $vgt: '1.2.2' }, ['1.2.3'], ['1.2.0']],
  [{ $vgte: '1.2.2' }, ['1.2.2', '1.2.3'], ['1.2.1']],
  [{ $vlt: '1.2.2' }, ['1.2.1'], ['1.2.3']],
  [{ $vlte: '1.2.2' }, ['1.2.2', '1.2.1'], ['1.2.3']],
  [{ $vgt: '2.0.0-alpha.1' }, ['2.0.0-beta.1', '2.0.0'], []],
  [{ $vlt: '2.0.0-alpha.1' }, ['1.9.1-beta.1'], ['2.0.0-beta.1', '2.0.0']],
  [{ $vlt: '2.0.0-alpha.3' }, ['2.0.0-alpha.1'], ['2.0.0-alpha.4']],
  [{ $vgt: '2.0.0-alpha' }, ['2.0.0-alpha.1'], []],
  [{ $vgt: '2.0.0-rc' }, ['2.0.0'], ['2.0.0-alpha.1', '2.0.0-beta.1']],
  [{ $veq: '2.0.0' }, [], ['not a semver']],
];

/** What these peers take for no version and this service reads: four parts, `v`, leading zeros, numbers. */
export const DIFFERENCES: Case[] = [
  [{ $veq: '2.0.0' }, ['2.0.0.0', 'v2.0.0', '02.0.0', 2], []],
  [{ $vgte: '2024.5.1' }, ['2024.05.01', '2024.5.1'], ['2024.04.30']],
];

export const OWN: Case[] = [
  [{ $vgte: '14.0' }, ['14', 14, '14.0.0.0', 'v14', '14.0.1', '14.1-rc'], ['13.9', '14.0-rc', '14.0.0-1']],
  [{ $vlt: '2.4.0' }, ['2.4.0-beta', '2.3.99.9', 'v2.3', '0'], ['2.4', '2.4.0', '2.4.0.1234', 'v2.4.0+9']],
  [{ $vlte: '2.4.0' }, ['2.4', '2.4.0-z'], ['2.4.0.1', '2.5-a']],
  [{ $vgt: '2.4.0' }, ['2.4.0.1', '2.4.1-a', '2.10'], ['2.4', '2.4.0.0', '2.4.0-rc']],
  [{ $vlt: '1.0.0' }, ['1.0.0-rc.2', '1.0.0-rc.10', '1.0-0', '1.0.0.0-rc.1+b'], ['1.0.0.0', '1']],
  [{ $vlt: '1.0.0-rc.10' }, ['1.0.0-rc.9', '1.0.0-rc', '1.0.0-beta.11'], ['1.0.0-rc.10', '1.0.0-rc.a', '1.0.0']],
  [{ $vlt: '1.0.0-a-b' }, ['1.0.0-a.c', '1.0.0-9'], ['1.0.0-a-b', '1.0.0-b']],
  [{ $veq: '1.2.0' }, ['v1.2', '1.2', 1.2, '1.2.0.0+build.7', '01.2'], ['1.2-0', '1.20', '1.2.0.1']],
  [{ $vlt: '1.0.100000' }, ['1.0.99999'], ['1.0.100000', '1.0.20260115103000123456789']],
  [{ $vgt: '1.0.0-20260115103000123' }, ['1.0.0-20260115103000124'], ['1.0.0-20260115103000122']],
];

/** LaunchDarkly's are the first three. */
export const NO_VERSIONS: Json[] = [
  null,
  true,
  {},
  '',
  ' ',
  'v',
  'unknown',
  'latest',
  '1.2.x',
  '1..2',
  '.1',
  '1.',
  '1.2.3.4.5',
  '-1',
  '1.0-',
  '1.0-a..b',
  '1.0-é',
  '2.4.0 (77)',
  'vv1',
  '1,2',
  -3,
  1e30,
  false,
  [],
  ['1.0.0'],
  { $eq: '1.0.0' },
];
