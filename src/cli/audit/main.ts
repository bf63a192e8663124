import { parseArgs } from 'node:util';
import { addressesOf } from './read/addresses.ts';
import { audit } from './audit.ts';
import { AuditError } from './audit-error.ts';
import { reportOf } from './report.ts';

/*
 * `npm run audit`: compares ClickHouse with a replay of the log. Exit code 0: they agree; 1: they differ, and standard
 * output says where; 2: they could not be compared, or not all of them.
 */

const { values } = parseArgs({
  options: {
    /** How long ClickHouse may take to catch up with the log. */
    'wait-seconds': { type: 'string', default: '300' },
  },
});

const note = (line: string): void => void process.stderr.write(`${line}\n`);

try {
  const waitMs = Number(values['wait-seconds']) * 1_000;
  if (!(waitMs >= 0)) throw new AuditError('`--wait-seconds` must be a number of seconds.');
  const result = await audit({ addresses: addressesOf(process.env), waitMs, note });
  process.stdout.write(`${reportOf(result)}\n`);
  process.exit(result.differences.total > 0 ? 1 : result.skipped.length > 0 ? 2 : 0);
} catch (error) {
  note(error instanceof AuditError ? error.message : error instanceof Error ? (error.stack ?? '') : String(error));
  process.exit(2);
}
