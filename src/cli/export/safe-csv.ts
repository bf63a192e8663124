import { csvFields } from '../../../core/kernel/text/csv-fields.ts';
import { csvRecord } from '../../../core/kernel/text/csv-text.ts';
import { CLI_LIMITS } from '../limits.ts';
import { splitRecords } from '../../../core/kernel/text/split-records.ts';
import { CliError } from '../cli-error.ts';

/** ClickHouse's CSV without formulas, as every CSV of this service. */
export async function* safeCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const records of splitRecords(chunks, { quoted: true, maxBytes: CLI_LIMITS.exportRecordBytes })) {
    const lines = records.map(({ line, bytes, fault }) => {
      const fields = fault === undefined ? csvFields(withoutNulls(bytes.toString('utf8'))) : { fault };
      if ('fault' in fields) throw new CliError(`Line ${line} of ClickHouse's answer ${fields.fault}.`);
      return `${csvRecord(fields)}\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}

/** ClickHouse writes NULL without quotes, and every text with them. */
function withoutNulls(record: string): string {
  const parts = record.split('"');
  return parts.map((part, place) => (place % 2 === 0 ? part.replaceAll('\\N', '') : part)).join('"');
}
