import { countedPlayers } from '../../counted-players.ts';
import { LATE_MS } from '../../event-time.ts';

type BoundType = 'String' | 'Float64' | 'Int64' | 'UInt32' | 'Array(String)' | 'Array(UInt32)';

/** The parameters of one statement. */
export interface Bindings {
  readonly parameters: Record<string, unknown>;
  /** Binds a value. @returns the placeholder for the text */
  readonly bind: (type: BoundType, value: unknown) => string;
  /** Binds a time in epoch milliseconds. @returns an expression of the type DateTime64 */
  readonly moment: (ms: number) => string;
}

export function createBindings(): Bindings {
  const parameters: Record<string, unknown> = {};
  let count = 0;
  const bind = (type: BoundType, value: unknown): string => {
    const name = `p${count}`;
    count += 1;
    parameters[name] = value;
    return `{${name}:${type}}`;
  };
  return { parameters, bind, moment: (ms) => `fromUnixTimestamp64Milli(${bind('Int64', ms)})` };
}

/** Writes values into the text instead, for people who run a statement themselves. */
export function createLiterals(): Bindings {
  return {
    parameters: {},
    bind: (type, value) => (type === 'Int64' ? `toInt64(${literal(value)})` : literal(value)),
    moment: (ms) => `toDateTime64('${new Date(ms).toISOString().replace('T', ' ').replace('Z', '')}', 3, 'UTC')`,
  };
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return typeof value === 'number' ? String(value) : quoted(String(value));
}

/** As ClickHouse reads a string: a backslash escapes what follows. */
function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return `'${escaped}'`;
}

/** A statement and its parameters. */
export interface Statement {
  sql: string;
  parameters: Record<string, unknown>;
}

/** Rows of a game and environment. */
export function ofGame({ bind }: Bindings, { game, environment }: { game: string; environment: string }): string {
  return `game_id = ${bind('String', game)} AND environment = ${bind('String', environment)}`;
}

/**
 * Rows of players who count, of a game and environment, that happened in a range. They were received in it or up to
 * `LATE_DAYS` later, by which the engine finds them: tables are partitioned and ordered by the receipt.
 */
export function inScope(
  bindings: Bindings,
  scope: { game: string; environment: string; fromMs: number; toMs: number },
): string {
  const { moment } = bindings;
  const { fromMs, toMs } = scope;
  const own = ofGame(bindings, scope);
  return `${own}
    AND received_at >= ${moment(fromMs)}
    AND received_at < ${moment(toMs + LATE_MS)}
    AND happened_at >= ${moment(fromMs)}
    AND happened_at < ${moment(toMs)}
    AND ${countedPlayers('', own)}`;
}

/** The day of a time by a zone's clock, a Date. */
export const dayOf = ({ bind }: Bindings, time: string, zone: string): string =>
  `toDate(${time}, ${bind('String', zone)})`;
