/** `unavailable`: ClickHouse is down, or the statement exceeded its bounds. Other errors are bugs and are thrown. */
export type QueryResult<T> = { kind: 'answered'; value: T } | { kind: 'unavailable' };
