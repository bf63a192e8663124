/** What `bench -- game` was asked for. */
export interface GameOptions {
  /** Numbers of known players to measure at, ascending. */
  known: readonly number[];
  /** Players who play at the same time; all that are known where those are fewer. */
  players: number;
  syncsPerSecond: number;
  syncsPerLife: number;
  /** Length of one open loop, and rounds of them at each number of known players; medians are told. */
  seconds: number;
  rounds: number;
  /** Length of the closed loop: as many as are answered. */
  mostSeconds: number;
  /** Players in memory when memory is read. */
  hot: number;
  connections: number;
  /** Where the service's folder is made. */
  folder: string | undefined;
}
