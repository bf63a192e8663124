import type { Platform } from '../platform.ts';

/** More than the flags of any game and a sync's messages. */
const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

/** Does not read an answer past a bound: whatever answers in place of the service must not fill the memory. */
export function boundedAnswers(fetch: Platform['fetch']): Platform['fetch'] {
  return async (url, request) => {
    const answer = await fetch(url, request);
    const body: unknown = Object(answer).body;
    if (!(body instanceof ReadableStream)) return answer;
    return { status: answer.status, headers: answer.headers, text: () => textOf(body) };
  };
}

async function textOf(body: ReadableStream<unknown>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('A body consists of bytes.');
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > MOST_ANSWER_BYTES) throw new Error(`The answer has more than ${MOST_ANSWER_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
