import { expect, it } from 'vitest';
import { shipped } from './results/ship.ts';
import type { Flag } from '../definitions.ts';
import { bodyOf, contentOf, editedOf } from './edited-flag.ts';

const RULE = { name: '', segment_id: null, value: true, percentage: 50, priority: 0, start_at: null, end_at: null };

/** A flag that uses everything that a rule can have. */
const FLAG: Flag = {
  key: 'price',
  name: 'Price',
  description: '',
  flag_type: 'number',
  enabled: true,
  client_visible: true,
  default_value: 1,
  default_serve: { value: 0.99 },
  bucket_by: 'attribute:guild',
  variants: [
    { key: 'low', value: 1, weight: 50 },
    { key: 'high', value: 5, weight: 50 },
  ],
  targeting_rules: [
    { ...RULE, serve: { variant: 'low' } },
    {
      ...RULE,
      salt: 'own',
      bucket_by: 'device',
      serve: {
        weights: [
          { key: 'low', weight: 9 },
          { key: 'high', weight: 1 },
        ],
      },
    },
    { ...RULE, serve: { value: 4.99 }, conditions: { is_payer: true } },
    RULE,
    { ...RULE, value: false },
  ],
  prerequisites: [
    { flag_key: 'shop', value: true },
    { flag_key: 'layout', variant_key: 'b' },
  ],
  salt: 'x',
  owner: 'economy',
  tags: ['shop', 'q1'],
  note: 'Ask before you change it.',
  managed_by: null,
  ends_at: '2026-03-01T00:00:00.000Z',
  version: 1,
  created_at: '2026-01-15T10:30:00.000Z',
  updated_at: '2026-01-15T10:30:00.000Z',
  edit_effect: 'none',
};

it('saves a flag as it was, whatever its rules serve', () => {
  expect(bodyOf(editedOf(FLAG))).toEqual(contentOf(FLAG));
  const { default_serve: _, ...plain } = FLAG;
  expect(bodyOf(editedOf(plain))).toEqual({ ...contentOf(FLAG), default_serve: null });
});

it('saves other labels and another end, and takes the end away', () => {
  const edited = { ...editedOf(FLAG), labels: { owner: '', tags: ['q2'], note: 'n' }, endsAt: '' };
  expect(bodyOf(edited)).toEqual({ ...contentOf(FLAG), owner: '', tags: ['q2'], note: 'n', ends_at: null });
  expect(bodyOf({ ...edited, endsAt: 'tomorrow' })).toBeUndefined();
});

it('saves nothing while a served value is no JSON', () => {
  const edited = editedOf(FLAG);
  expect(bodyOf({ ...edited, defaultServe: { ...edited.defaultServe, value: '{' } })).toBeUndefined();
});

it('ships a variant in the place of all weights, and keeps what was fixed', () => {
  const { targeting_rules: rules, variants, default_serve: rest } = shipped(FLAG, 'high');
  expect(variants).toMatchObject([{ weight: 0 }, { weight: 100 }]);
  expect(rules).toMatchObject([
    { serve: { variant: 'low' }, percentage: 100 },
    { serve: { variant: 'high' }, percentage: 100, salt: 'own' },
    { serve: { value: 4.99 } },
    { percentage: 100 },
    { value: false, percentage: 50 },
  ]);
  expect(rest).toEqual({ value: 0.99 });
});
