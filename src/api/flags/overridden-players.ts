import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { anyJson } from '../definitions/definition-fields.ts';
import { playersRoute } from '../definitions/players-of-definition.ts';
import { textOrNull, timeOut } from '../input/fields.ts';
import { variantOf } from './flag-overrides.ts';
import { missingFlag } from './flags.ts';

/** The route that lists the overrides of a flag. */
export const listOverrides = playersRoute({
  path: '/v1/flags/flags/{key}/overrides',
  tag: 'Feature flags',
  summary: 'List the overrides of a flag',
  more: 'The overrides of a disabled or archived flag are kept, and listed too.',
  audit: { kind: 'flag', action: 'overrides_listed' },
  param: { name: 'key', description: "The flag's key." },
  missing: 'FLAG_NOT_FOUND',
  field: 'overrides',
  item: {
    value: anyJson('Value that the flag serves to the player.'),
    variant_key: textOrNull('Key of the variant with this value; null if there is none.'),
    set_at: timeOut('When this value was set.'),
  },
  itemIs: 'An override.',
  pageIs: 'A page of overrides of a flag.',
  example: { value: 'layout_b', variant_key: 'b', set_at: '2026-01-15T10:30:00.000Z' },
  find(key, { key: { game, environment }, services }) {
    return services.config.get({ game, environment, kind: 'flag', key })?.document ?? missingFlag();
  },
  read: (analytics, { key: flagKey }, page) => analytics.flagOverrides({ ...page, flagKey }),
  // The value is JSON text already.
  textOf({ value, setAt }, { variants }) {
    const variantKey = JSON.stringify(variantOf(value, variants)?.key ?? null);
    return `"value":${value},"variant_key":${variantKey},"set_at":"${formatTimestamp(setAt)}"`;
  },
});
