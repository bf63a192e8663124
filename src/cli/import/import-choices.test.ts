import { describe, expect, it } from 'vitest';
import { importChoices } from './import-choices.ts';

describe('what the options of an import choose', () => {
  it('is the zone of a project of Mixpanel', () => {
    expect(importChoices({ from: 'mixpanel', zone: 'Europe/Berlin', join: true }).zone).toBe('Europe/Berlin');
    expect(() => importChoices({ from: 'mixpanel', zone: 'Berlin', join: true })).toThrow('must be a time zone');
  });

  it.each(['native', 'firebase', 'unity', 'posthog'] as const)('is no zone of %s, which would ignore it', (from) => {
    expect(() => importChoices({ from, zone: 'Europe/Berlin', join: true })).toThrow(
      '--zone is for --from mixpanel only',
    );
    expect(importChoices({ from, join: true }).zone).toBeUndefined();
  });

  it('has the property of a purchase behind the last sign', () => {
    const { purchases } = importChoices({ from: 'posthog', purchase: ['bought', 'a=b=price'], join: false });
    expect([...purchases]).toEqual([
      ['bought', undefined],
      ['a=b', 'price'],
    ]);
  });
});
