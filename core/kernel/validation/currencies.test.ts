import { describe, expect, it } from 'vitest';
import { isCurrency } from './currencies.ts';

describe('currencies of ISO 4217', () => {
  it.each(['USD', 'EUR', 'JPY', 'GBP', 'CHF', 'BRL', 'INR', 'KWD', 'XOF', 'XCG', 'ZWG'])('%s exists', (code) => {
    expect(isCurrency(code)).toBe(true);
  });

  it.each(['XYZ', 'ZZZ', 'XXX', 'XTS', 'XAU', 'DEM', 'BTC', 'usd', 'US', 'USDT', '', ' USD', 'toString'])(
    '"%s" is none',
    (code) => {
      expect(isCurrency(code)).toBe(false);
    },
  );

  it("are those of the runtime's language data, which also has historical currencies", () => {
    // A slip of the pen in our list would be missed here: it has 158, of which one or another is newer than that data.
    const known = Intl.supportedValuesOf('currency').filter(isCurrency);
    expect(known.length).toBeGreaterThanOrEqual(155);
    expect(known.length).toBeLessThanOrEqual(158);
  });
});
