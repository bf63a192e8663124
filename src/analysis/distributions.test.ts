import { assert, double, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chiSquareUpper,
  fisherCritical,
  fisherUpper,
  normalTwoSided,
  studentCritical,
  studentTwoSided,
} from './distributions.ts';
import { betaRegularized, gammaUpper, logGamma } from './special-functions.ts';

const RUNS = { seed: 20_260_115, numRuns: 300 };

describe('the gamma and beta functions', () => {
  it('ln Γ is exact at whole and half numbers: Γ(n + 1) = n!, Γ(1/2) = √π', () => {
    let factorial = 1;
    for (let n = 1; n <= 20; n++) {
      factorial *= n;
      expect(logGamma(n + 1)).toBeCloseTo(Math.log(factorial), 11);
    }
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 13);
    // Stirling's series (DLMF 5.11.1) to four terms, at a size where it is exact.
    const [x, series] = [5e4, 1 / (12 * 5e4) - 1 / (360 * 5e4 ** 3)];
    const stirling = (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
    expect(Math.abs(logGamma(x) / stirling - 1)).toBeLessThan(1e-13);
  });

  it('Q(1, x) is e^-x, and Q(3, x) its polynomial', () => {
    for (const x of [0, 0.01, 0.5, 1, 1.999, 2, 2.001, 5, 30, 700]) {
      expect(gammaUpper(1, x) / Math.exp(-x)).toBeCloseTo(1, 11);
      expect(gammaUpper(3, x) / (Math.exp(-x) * (1 + x + (x * x) / 2))).toBeCloseTo(1, 11);
    }
  });

  it('I_x(a, b) is symmetric, and elementary for b = 1 and a = 1', () => {
    // Multiples of 2^-30, so that 1 - x is exact.
    const unit = integer({ min: 0, max: 2 ** 30 }).map((n) => n / 2 ** 30);
    const shape = double({ min: 0.5, max: 500, noNaN: true });
    assert(
      property(unit, shape, shape, (x, a, b) => {
        expect(betaRegularized(x, a, b)).toBeCloseTo(1 - betaRegularized(1 - x, b, a), 9);
        expect(betaRegularized(x, a, 1)).toBeCloseTo(x ** a, 10);
        expect(betaRegularized(x, 1, b)).toBeCloseTo(1 - (1 - x) ** b, 10);
      }),
      RUNS,
    );
  });
});

describe('distributions, against published tables', () => {
  // Abramowitz and Stegun, table 26.1: 1 - P(x), doubled.
  it.each([
    [0, 1],
    [1, 0.317310507862914],
    [1.96, 0.04999579029644],
    [2.575829303548901, 0.01],
    [3, 0.00269979606326],
    [5, 5.733031437583892e-7],
  ])('normal: P(|Z| > %d) = %d', (z, p) => {
    expect(normalTwoSided(z)).toBeCloseTo(p, 12);
    expect(normalTwoSided(-z)).toBe(normalTwoSided(z));
  });

  // scipy.stats.f.sf of SciPy 1.17.
  it.each([
    [3.7, 1.5, 20.25, 0.053736046548743754],
    [2, 1, 7.5, 0.1974414811440567],
    [0.3, 4.2, 150_000, 0.8862262599668622],
    [250, 1.7, 38.1, 1.262108958840639e-21],
  ])('F: P(F > %d) with %d and %d degrees is %d', (f, numerator, denominator, p) => {
    // Beyond 100,000 degrees the limit is used: a relative error of 1e-5.
    expect(fisherUpper(f, numerator, denominator) / p).toBeCloseTo(1, denominator > 100_000 ? 4 : 10);
  });

  // scipy.stats.f.isf of SciPy 1.17.
  it.each([
    [0.05, 1.5, 20.25, 3.8152869694681013],
    [0.05, 1, 10, 4.964602743730711],
    [0.001, 3.3, 77.7, 5.686704074786056],
  ])('F: the critical value at %d with %d and %d degrees is %d', (alpha, numerator, denominator, f) => {
    expect(fisherCritical(alpha, numerator, denominator)).toBeCloseTo(f, 10);
    expect(fisherUpper(f, numerator, denominator)).toBeCloseTo(alpha, 12);
  });

  // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: upper critical values of Student's t.
  it.each([
    [0.05, 1, 12.706],
    [0.05, 2, 4.303],
    [0.05, 5, 2.571],
    [0.05, 10, 2.228],
    [0.05, 30, 2.042],
    [0.05, 100, 1.984],
    [0.01, 10, 3.169],
    [0.002, 20, 3.552],
  ])('t: two-sided %d at %d degrees is %d', (alpha, degrees, critical) => {
    expect(studentCritical(alpha, degrees)).toBeCloseTo(critical, 3);
    expect(Math.abs(studentTwoSided(critical, degrees) / alpha - 1)).toBeLessThan(0.001);
  });

  it('t with very many degrees is the normal distribution, without a jump at the switch', () => {
    // Wichura, AS 241 (Applied Statistics 37, 1988).
    expect(studentCritical(0.05, 1e9)).toBeCloseTo(1.959963984540054, 9);
    const [below, above] = [studentTwoSided(1.96, 99_999), studentTwoSided(1.96, 100_001)];
    expect(Math.abs(below / above - 1)).toBeLessThan(1e-4);
  });

  // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4: upper critical values of χ².
  it.each([
    [0.05, 1, 3.841],
    [0.001, 1, 10.828],
    [0.05, 4, 9.488],
    [0.01, 10, 23.209],
    [0.001, 20, 45.315],
    [0.1, 100, 118.498],
  ])('χ²: upper %d at %d degrees is %d', (alpha, degrees, critical) => {
    expect(Math.abs(chiSquareUpper(critical, degrees) / alpha - 1)).toBeLessThan(0.001);
  });

  it('tails decrease in their argument and stay between 0 and 1', () => {
    const argument = double({ min: 0, max: 60, noNaN: true });
    assert(
      property(argument, argument, integer({ min: 1, max: 200_000 }), (a, b, degrees) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        for (const tail of [studentTwoSided, chiSquareUpper]) {
          expect(tail(more, degrees)).toBeLessThanOrEqual(tail(less, degrees) + 1e-12);
          expect(tail(more, degrees)).toBeGreaterThanOrEqual(0);
          expect(tail(less, degrees)).toBeLessThanOrEqual(1);
        }
      }),
      RUNS,
    );
  });
});
