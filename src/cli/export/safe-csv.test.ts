import { describe, expect, it } from 'vitest';
import { safeCsv } from './safe-csv.ts';

async function read(...chunks: string[]): Promise<string> {
  async function* sent(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const written: Uint8Array[] = [];
  for await (const chunk of safeCsv(sent())) written.push(chunk);
  return Buffer.concat(written).toString();
}

describe('CSV of ClickHouse', () => {
  it('has no formulas, and numbers stay numbers', async () => {
    expect(await read('"event_id","n"\n"=cmd|x",-5\n', '";=cmd","-5"\n"a\n=b",\\N\n')).toBe(
      `event_id,n\n'=cmd|x,-5\n";'=cmd",-5\n"a\n'=b",\n`,
    );
  });

  it('has nothing for NULL, and the text of that spelling', async () => {
    expect(await read('\\N,"\\N","a,\\N,""b"""\n')).toBe(',\\N,"a,\\N,""b"""\n');
  });
});
