import { fixedPValue, type Sample } from '../../src/analysis/comparison.ts';
import { compare } from '../../src/analysis/pooled.ts';
import { ALPHA } from '../../src/analysis/experiment-results.ts';

/** How often experiments between variants that are the same found a difference. */
export interface Tally {
  add(control: Sample, treatment: Sample): void;
  readonly compared: number;
  /** The share that found one, of those with a p-value. */
  share(): number;
  /** The standard deviation of that share if the test holds its level. */
  deviation(): number;
  /** By how many standard deviations more were found on one side. */
  oneSided(): number;
  words(): string;
}

export function createTally(): Tally {
  let [better, worse, same, unknown] = [0, 0, 0, 0];
  const tally: Tally = {
    add(control, treatment) {
      const compared = compare(control, treatment);
      if (typeof compared === 'string') unknown += 1;
      else if (fixedPValue(compared) >= ALPHA) same += 1;
      else if (compared.z > 0) better += 1;
      else worse += 1;
    },
    get compared() {
      return better + worse + same;
    },
    share: () => (better + worse) / tally.compared,
    deviation: () => Math.sqrt((ALPHA * (1 - ALPHA)) / tally.compared),
    oneSided: () => Math.abs(better - worse) / Math.sqrt(Math.max(1, better + worse)),
    words() {
      const percent = (count: number): string => ((100 * count) / tally.compared).toFixed(2);
      return (
        `${percent(better + worse)} % of ${tally.compared} (${percent(better)} better, ${percent(worse)} worse), ` +
        `${unknown} too small`
      );
    },
  };
  return tally;
}
