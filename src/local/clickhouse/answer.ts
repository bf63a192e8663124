import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { once } from 'node:events';
import type { EngineConnection } from './engine/engine.ts';
import { failureOf } from '../../../clickhouse-schema/queries/statements/exceptions.ts';
import type { StatementPlan } from './engine/plan-statement.ts';
import { compressor, type Compression } from './wire/encodings.ts';
import { atRevision, emptyBlock, hidesZone } from './wire/native-revision.ts';
import { withoutLines, type ResultFormat } from './result-format.ts';

export interface AnswerOptions {
  response: ServerResponse;
  version: string;
  compression: Compression;
  /** The revision of the Native format that the client reads. */
  revision: number;
  headers: Readonly<Record<string, string>>;
  /** Opens one more connection for the statement: the first one is taken while it streams. */
  connect: () => Promise<EngineConnection>;
}

/**
 * Runs a plan on its connection and writes the response. Throws for a failure before the first byte. A later failure is
 * written into the body like ClickHouse does, and the client's connection is closed, so the client notices that the
 * result is incomplete.
 */
export async function answer(plan: StatementPlan, connection: EngineConnection, options: AnswerOptions): Promise<void> {
  if (plan.kind === 'insert') {
    const written = await connection.insert(plan);
    options.response.writeHead(200, {
      ...options.headers,
      'Content-Type': 'text/plain; charset=UTF-8',
      'X-ClickHouse-Summary': summary(written.rows, written.sizeBytes),
    });
    options.response.end();
    return;
  }
  const chunks =
    plan.format.name === 'Native' ? nativeChunks(plan, connection, options) : resultChunks(plan, connection);
  // The first chunk determines the status.
  const first = await chunks.next();
  const tag = randomBytes(8).toString('hex');
  const out = begin(plan.format, tag, options);
  try {
    if (first.done !== true) await write(out, first.value, options.response);
    for await (const chunk of chunks) await write(out, chunk, options.response);
  } catch (error) {
    if (options.response.destroyed) return;
    out.write(exceptionBlock(failureOf(error, options.version).text, tag), () => options.response.destroy());
    if (out !== options.response) out.end();
    return;
  }
  out.end();
}

type QueryPlan = Extract<StatementPlan, { kind: 'query' }>;

/** The result as blocks of the client's revision, which has a block without rows for a result without rows. */
async function* nativeChunks(
  plan: QueryPlan,
  connection: EngineConnection,
  { revision, connect }: AnswerOptions,
): AsyncGenerator<Uint8Array> {
  let types: readonly string[] | undefined;
  let isFirst = true;
  for await (const chunk of resultChunks(plan, connection)) {
    const block = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    if (isFirst && block.length === 0) break;
    if (isFirst && revision > 0 && plan.select && hidesZone(block)) {
      types = (await columnsOf(plan, connect)).map(({ type }) => type);
    }
    isFirst = false;
    yield revision > 0 ? atRevision(block, revision, types) : block;
  }
  if (isFirst && plan.select) yield emptyBlock(await columnsOf(plan, connect), revision);
}

async function columnsOf({ sql }: QueryPlan, connect: AnswerOptions['connect']): Promise<Column[]> {
  const connection = await connect();
  try {
    const described = await connection.run(`DESCRIBE TABLE (${sql})`, 'JSONEachRow');
    const lines = Buffer.from(described).toString('utf8').trimEnd().split('\n');
    return lines.map((line): Column => JSON.parse(line));
  } finally {
    connection.close();
  }
}

interface Column {
  name: string;
  type: string;
}

/** Yields the result in chunks that together form one document of the plan's format. */
async function* resultChunks(plan: QueryPlan, connection: EngineConnection): AsyncGenerator<Uint8Array> {
  const { headerLines, name } = plan.format;
  if (!plan.select || headerLines === undefined) {
    yield await connection.run(plan.sql, name);
    return;
  }
  let count = 0;
  for await (const chunk of connection.stream(plan.sql, name)) {
    count += 1;
    yield count === 1 ? chunk : withoutLines(chunk, headerLines);
  }
  // A stream without rows has no header, so the statement runs again as a whole; without rows that is cheap.
  if (count === 0 && headerLines > 0) yield await connection.run(plan.sql, name);
}

function begin(format: ResultFormat, tag: string, options: AnswerOptions): Writable {
  const { response, compression } = options;
  response.writeHead(200, {
    ...options.headers,
    'Content-Type': format.contentType,
    'X-ClickHouse-Format': format.name,
    'X-ClickHouse-Exception-Tag': tag,
    'X-ClickHouse-Summary': summary(0, 0),
    ...(compression === 'none' || compression === 'blocks' ? {} : { 'Content-Encoding': compression }),
  });
  const packed = compressor(compression);
  packed?.pipe(response);
  return packed ?? response;
}

/** Writes and waits until the buffer has space. Throws if the client disconnected. */
async function write(out: Writable, chunk: Uint8Array, response: ServerResponse): Promise<void> {
  if (response.destroyed) throw new Error('the client disconnected');
  if (chunk.length === 0 || out.write(chunk)) return;
  const gone = new AbortController();
  const onClose = () => gone.abort();
  response.once('close', onClose);
  try {
    await once(out, 'drain', { signal: gone.signal });
  } finally {
    response.off('close', onClose);
  }
}

/** ClickHouse's end of a body that failed half-way; the length counts the message and its line feed. */
function exceptionBlock(text: string, tag: string): string {
  const message = text.trimEnd();
  return `\r\n__exception__\r\n${tag}\r\n${message}\n${Buffer.byteLength(message) + 1} ${tag}\r\n__exception__\r\n`;
}

function summary(rows: number, sizeBytes: number): string {
  return JSON.stringify({
    read_rows: '0',
    read_bytes: '0',
    written_rows: String(rows),
    written_bytes: String(sizeBytes),
    total_rows_to_read: '0',
    result_rows: String(rows),
    result_bytes: String(sizeBytes),
  });
}
