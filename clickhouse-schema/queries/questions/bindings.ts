type BoundType = 'String' | 'Int64' | 'UInt32' | 'Array(String)' | 'Array(UInt32)';

/** The parameters of one statement. */
export interface Bindings {
  readonly parameters: Record<string, unknown>;
  /** Binds a value. @returns the placeholder for the text */
  readonly bind: (type: BoundType, value: unknown) => string;
}

export function createBindings(): Bindings {
  const parameters: Record<string, unknown> = {};
  let count = 0;
  return {
    parameters,
    bind(type, value) {
      const name = `p${count}`;
      count += 1;
      parameters[name] = value;
      return `{${name}:${type}}`;
    },
  };
}

/** A statement and its parameters. */
export interface Statement {
  sql: string;
  parameters: Record<string, unknown>;
}

/** `received_at` of a scope, and its game and environment: the start of every table's primary key. */
export function inScope(
  { bind }: Bindings,
  { game, environment, fromMs, toMs }: { game: string; environment: string; fromMs: number; toMs: number },
): string {
  return `game_id = ${bind('String', game)} AND environment = ${bind('String', environment)}
    AND received_at >= fromUnixTimestamp64Milli(${bind('Int64', fromMs)})
    AND received_at < fromUnixTimestamp64Milli(${bind('Int64', toMs)})`;
}
