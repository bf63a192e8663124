/** What `bench -- queries` was asked for. */
export interface QueriesOptions {
  /** Events in the table, spread evenly over the months up to now. */
  rows: number;
  months: number;
  players: number;
  /** Queries of each kind. */
  rounds: number;
  /** Where ClickHouse's folder is made. */
  folder: string | undefined;
}
