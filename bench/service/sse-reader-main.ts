import { setTimeout as sleep } from 'node:timers/promises';
import { helperSpec, onAsked, tellParent } from '../helpers/helper-process.ts';

/** What the reader is told at its start. */
export interface SseReaderSpec {
  url: string;
  key: string;
}

/** What it says whenever it is asked. */
export interface SseReaderReport {
  messages: number;
  /** Times the service ended the stream, or refused it. */
  interruptions: number;
}

const RECONNECT_MS = 200;
const NEWLINE = 10;

/** One reader of the whole event stream, as a dashboard would be: reads everything, parses nothing. */
async function readStream({ url, key }: SseReaderSpec): Promise<void> {
  const seen: SseReaderReport = { messages: 0, interruptions: 0 };
  let told = false;
  onAsked(() => tellParent(seen));
  for (;;) {
    try {
      const response = await fetch(url, { headers: { 'X-API-Key': key, Accept: 'text/event-stream' } });
      if (!response.ok || response.body === null) throw new Error(`the stream was answered ${response.status}`);
      let last = 0;
      for await (const chunk of response.body) {
        if (!told) tellParent({ connected: true });
        told = true;
        seen.messages += endsIn(chunk, last);
        last = chunk.at(-1) ?? 0;
      }
    } catch {
      // Ended or refused: both are counted, and it tries again as a browser does.
    }
    seen.interruptions += 1;
    await sleep(RECONNECT_MS);
  }
}

/** Blank lines, each the end of a message. @param last the byte before the chunk */
function endsIn(chunk: Uint8Array, last: number): number {
  let ends = last === NEWLINE && chunk[0] === NEWLINE ? 1 : 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) {
    if (chunk[at + 1] === NEWLINE) ends += 1;
  }
  return ends;
}

const spec: SseReaderSpec = JSON.parse(helperSpec());
await readStream(spec);
