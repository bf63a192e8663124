/** `unavailable`: ClickHouse is away, or could not answer within the bounds. Anything else it says is a bug, and thrown. */
export type QueryResult<T> = { kind: 'answered'; value: T } | { kind: 'unavailable' };
