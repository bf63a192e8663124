import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from './limits.ts';
import { inUnits, parseAmount } from './money.ts';

describe('an amount of money', () => {
  it.each([
    ['0.0001', 1],
    ['0.1', 1_000],
    ['0.10', 1_000],
    ['9.99', 99_900],
    ['1', 10_000],
    ['4.35', 43_500],
    ['1.005', 10_050],
    ['1000000', 10_000_000_000],
    ['1000000.0000', 10_000_000_000],
  ])('%s is read exactly', (text, expected) => {
    expect(parseAmount(text)).toBe(expected);
  });

  it.each([
    ['', ' ', '0', '0.0', '0.0000', '-1', '-0', '+1', '1 ', ' 1', '1.', '.5', '00.5', '01'],
    ['1000000.0001', '1000001', '99999999', '1.00001', '0.00001', '1,5', '1_000', '١'],
    ['1e2', '1e999', '1E-4', 'NaN', 'Infinity', '-Infinity', '0x10', '0b1', '1n', 'null', 'true', '1\n', '1.0000\n'],
  ])('is no other text', (...texts) => {
    for (const text of texts) expect({ text, amount: parseAmount(text) }).toEqual({ text, amount: undefined });
  });

  it('says what it read, for every amount', () => {
    assert(
      property(integer({ min: 1, max: LIMITS.purchaseAmount }), (amount) => {
        const digits = String(amount).padStart(5, '0');
        const text = `${digits.slice(0, -4)}.${digits.slice(-4)}`;
        expect(parseAmount(text)).toBe(amount);
        expect(parseAmount(String(inUnits(amount)))).toBe(amount);
      }),
    );
  });

  it('is written exactly up to the largest total', () => {
    assert(
      property(integer({ min: 0, max: LIMITS.totalRevenue }), (total) => {
        const [whole = '', decimals = ''] = String(inUnits(total)).split('.');
        expect(BigInt(whole + decimals.padEnd(4, '0'))).toBe(BigInt(total));
      }),
    );
  });
});
