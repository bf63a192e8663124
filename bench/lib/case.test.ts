import { describe, expect, test } from 'vitest';
import { commandOf, count, duration, optional, parseDuration, some } from './case.ts';

test.each([
  ['45', 45],
  ['30s', 30],
  ['10m', 600],
  ['1.5h', 5400],
  ['ten', undefined],
  ['5d', undefined],
  ['-3s', undefined],
])('%s is %s seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

describe('options', () => {
  const parsed = (options: Parameters<typeof commandOf>[2], ...given: string[]): object =>
    commandOf('a-case', '', options).parse(given, { from: 'user' }).opts();

  test('an option has the name of its declaration, not of its flag', () => {
    const options = {
      eventsPerSecond: count('--rate <n>', 'events/s', 5_000),
      soak: optional(duration('--soak <t>', '', 1)),
    };
    expect(parsed(options)).toEqual({ eventsPerSecond: 5_000 });
    expect(parsed(options, '--rate', '7', '--soak', '10m')).toEqual({ eventsPerSecond: 7, soak: 600 });
  });

  test('parts are chosen with commas or spaces between; all of them without the option', () => {
    const options = () => ({ only: some('--only <parts...>', 'only these', ['a', 'b', 'c']) });
    expect(parsed(options())).toEqual({ only: ['a', 'b', 'c'] });
    expect(parsed(options(), '--only', 'a', 'c')).toEqual({ only: ['a', 'c'] });
    expect(parsed(options(), '--only', 'c,b')).toEqual({ only: ['c', 'b'] });
  });
});
