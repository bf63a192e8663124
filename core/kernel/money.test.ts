import { assert, bigInt, integer, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SHARED_LIMITS } from './limits.ts';
import { STATE_LIMITS } from '../vocabulary/limits.ts';
import { convertedAt, parseAmount, unitsText } from './money.ts';

describe('an amount of money', () => {
  it.each([
    ['0.0001', 1],
    ['0.1', 1_000],
    ['0.10', 1_000],
    ['9.99', 99_900],
    ['9.990000', 99_900],
    ['1', 10_000],
    ['1.', 10_000],
    ['.5', 5_000],
    ['00.5', 5_000],
    ['01', 10_000],
    ['1e1', 100_000],
    ['1E-4', 1],
    ['1e+2', 1_000_000],
    // In a query string an unescaped plus sign of `1e+2` is a space.
    ['1e 2', 1_000_000],
    ['2.5e-1', 2_500],
    ['0.000000000000000000005e21', 50_000],
    ['4.35', 43_500],
    ['4.989999771118164', 49_900],
    ['0.1000000000000000055511151231257827', 1_000],
    ['2490000', 24_900_000_000],
    ['900000000000', 9_000_000_000_000_000],
    ['899999999999.9999', 8_999_999_999_999_999],
    ['9e11', 9_000_000_000_000_000],
    [`${'0'.repeat(3_000)}1.${'0'.repeat(3_000)}`, 10_000],
  ])('%s is read exactly', (text, expected) => {
    expect(parseAmount(text)).toBe(expected);
  });

  it.each([
    ['0.00005', undefined],
    ['0.000050000000000000001', 1],
    ['0.00015', 2],
    ['0.00025', 2],
    ['1.00005', 10_000],
    ['1.00015', 10_002],
    ['1.00004999999', 10_000],
    ['900000000000.00005', 9_000_000_000_000_000],
    ['900000000000.00006', undefined],
    [`0.0000${'9'.repeat(4_000)}`, 1],
    ['5e-5', undefined],
    ['50001e-9', 1],
  ])('%s is rounded half to even at four decimals', (text, expected) => {
    expect(parseAmount(text)).toBe(expected);
  });

  it.each([
    [
      '',
      ' ',
      '0',
      '0.0',
      '0.0000',
      '0e9',
      '-1',
      '-0',
      '+1',
      '1 ',
      ' 1',
      '.',
      '.e1',
      'e1',
      '1e',
      '1e+',
      '1e1.5',
      '1.5.5',
    ],
    [
      '900000000000.0001',
      '9.1e11',
      '1e12',
      '99999999999999999999',
      '1e999',
      '1e999999999999',
      '0.00001',
      '1e-999999999',
    ],
    ['1,5', '1_000', '\u0661', 'NaN', 'Infinity', '-Infinity', '0x10', '0b1', '1n', 'null', 'true', '1\n', '1.0000\n'],
  ])('is no other text', (...texts) => {
    for (const text of texts) expect({ text, amount: parseAmount(text) }).toEqual({ text, amount: undefined });
  });

  it('has a text that parses to the same amount', () => {
    assert(
      property(integer({ min: 1, max: SHARED_LIMITS.purchaseAmount }), (amount) => {
        expect(parseAmount(unitsText(amount))).toBe(amount);
        expect(parseAmount(`${amount}e-4`)).toBe(amount);
      }),
    );
  });

  it('rounds like exact arithmetic in every notation', () => {
    const parts = tuple(
      bigInt({ min: 0n, max: 10n ** 22n }),
      integer({ min: 0, max: 12 }),
      integer({ min: -12, max: 12 }),
    );
    assert(
      property(parts, ([digits, decimals, exponent]) => {
        const padded = digits.toString().padStart(decimals + 1, '0');
        const point = padded.length - decimals;
        const text = `${padded.slice(0, point)}.${padded.slice(point)}e${exponent}`;
        const power = exponent - decimals + 4;
        const [above, below] = power >= 0 ? [digits * 10n ** BigInt(power), 1n] : [digits, 10n ** BigInt(-power)];
        const twice = (above % below) * 2n;
        const floor = above / below;
        const rounded = twice > below || (twice === below && floor % 2n === 1n) ? floor + 1n : floor;
        const isAmount = rounded > 0n && rounded <= BigInt(SHARED_LIMITS.purchaseAmount);
        expect(parseAmount(text)).toBe(isAmount ? Number(rounded) : undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has an exact text up to the largest total', () => {
    expect([0, 1, 10_000, 12_300, -12_345, STATE_LIMITS.totalRevenue].map(unitsText)).toEqual([
      '0',
      '0.0001',
      '1',
      '1.23',
      '-1.2345',
      '900719925474.0991',
    ]);
    assert(
      property(integer({ min: 0, max: STATE_LIMITS.totalRevenue }), (total) => {
        const [whole = '', decimals = ''] = unitsText(total).split('.');
        expect(BigInt(whole + decimals.padEnd(4, '0'))).toBe(BigInt(total));
        expect(decimals).not.toMatch(/0$/);
      }),
    );
  });
});

describe('an amount at an exchange rate', () => {
  it.each([
    // 1,500 yen; 9.99 dollars; the halves at the fifth decimal go to the even neighbour.
    [15_000_000, 0.00617, 92_550],
    [99_900, 1.0837, 108_262],
    [5, 1.5, 8],
    [5, 0.5, 2],
    [15, 0.5, 8],
    [1, 0.5, 0],
    [1, 0.500001, 1],
    [10_000, 1e-7, 0],
    [900_000_000_000 * 10_000, 1e-7, 900_000_000],
    [10_000, 4.1e6, 41_000_000_000],
    [3, 0.1, 0],
    [10_001, 1.00005, 10_002],
  ])('is the exact product, half to even: %d at %d is %d', (amount, rate, expected) => {
    expect(convertedAt(rate, amount)).toBe(expected);
  });

  it('is that of the decimal that the rate is written as, whatever its notation', () => {
    const rates = tuple(integer({ min: 1, max: 999_999_999 }), integer({ min: 0, max: 14 }));
    assert(
      property(integer({ min: 1, max: 10 ** 12 }), rates, (amount, [digits, decimals]) => {
        const [above, below] = [BigInt(amount) * BigInt(digits), 10n ** BigInt(decimals)];
        const twice = (above % below) * 2n;
        const floor = above / below;
        const rounded = twice > below || (twice === below && floor % 2n === 1n) ? floor + 1n : floor;
        const converted = convertedAt(Number(`${digits}e-${decimals}`), amount);
        if (rounded > BigInt(SHARED_LIMITS.purchaseAmount))
          expect(converted).toBeGreaterThan(SHARED_LIMITS.purchaseAmount);
        else expect(converted).toBe(Number(rounded));
      }),
      { numRuns: 2_000 },
    );
  });
});
