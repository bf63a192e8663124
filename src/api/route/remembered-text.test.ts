import { expect, test } from 'vitest';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import { ROUTE_LIMITS } from './limits.ts';
import { rememberedText } from './remembered-text.ts';

const anEvaluation = (value: string): FlagEvaluation => ({
  flagKey: 'shop',
  value,
  variantKey: null,
  reason: 'default',
  period: 1,
});

function counted() {
  const written: string[] = [];
  const text = rememberedText<FlagEvaluation>(({ value }) => {
    written.push(value);
    return `<${value}>`;
  });
  return { written, text };
}

test('a shared evaluation is serialized once, and an equal one separately', () => {
  const { written, text } = counted();
  const one = Object.freeze(anEvaluation('1'));
  expect([text(one), text(one), text(Object.freeze(anEvaluation('1'))), text(one)]).toEqual([
    '<1>',
    '<1>',
    '<1>',
    '<1>',
  ]);
  expect(written).toEqual(['1', '1']);
});

test('an evaluation that may change is not cached', () => {
  const { text } = counted();
  const one = anEvaluation('1');
  expect(text(one)).toBe('<1>');
  one.value = '2';
  expect(text(one)).toBe('<2>');
});

test('a long text is not cached', () => {
  const { written, text } = counted();
  const long = Object.freeze(anEvaluation('x'.repeat(ROUTE_LIMITS.rememberedEvaluationChars)));
  expect(text(long)).toBe(text(long));
  expect(written).toHaveLength(2);
});
