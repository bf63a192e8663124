import { describe } from 'vitest';
import { appendContract } from './log-append.contract.ts';
import { bucketContract } from './log-bucket.contract.ts';
import { outageContract } from './log-outage.contract.ts';
import { readContract } from './log-read.contract.ts';
import { setUpLog, type LogHarness } from './log-suite.ts';
import { workContract } from './log-work.contract.ts';

/** Everything in `streams/log/log.ts` that a caller may rely on, whatever the form. */
export function logContract(form: string, makeHarness: () => Promise<LogHarness>): void {
  describe(`the log (${form})`, () => {
    const suite = setUpLog(makeHarness);
    appendContract(suite);
    readContract(suite);
    workContract(suite);
    bucketContract(suite);
    outageContract(suite);
  });
}
