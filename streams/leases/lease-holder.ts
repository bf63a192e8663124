/**
 * The name that a process writes into its leases: its node, and an id of this run of the process, which has no dot.
 * Everything that makes or reads such a name uses this file.
 */
export function leaseHolder(node: string, run: string): string {
  return `${node}.${run}`;
}

/** The node of a holder. A name of another form, which a newer version may write, is returned unchanged. */
export function nodeOfHolder(holder: string): string {
  const end = holder.lastIndexOf('.');
  return end > 0 ? holder.slice(0, end) : holder;
}
