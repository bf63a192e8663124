/** The id of a simulated player, counted from 1. Of two partitions, players with an even number are in the second. */
export function playerIdOf(number: number): string {
  return `00000000-0000-5000-8000-0000000000${number}1`;
}

/** The id of a player who is not registered yet, counted from 1. */
export function strangerIdOf(number: number): string {
  return `00000000-0000-5000-8000-${String(number).padStart(6, '0')}000000`;
}
