import { createHash } from 'node:crypto';
import { spread } from '../../actors/runtime/membership/rendezvous.ts';

/** Names are tried until the shares are even, which takes a few hundred tries; beyond these they are nearly even. */
const TRIES = 5_000;

/**
 * The node names of several processes on one machine, the first one given. Rendezvous hashing ranks processes by their
 * names, so with random names one of ten processes could own five of twenty partitions and another none. These names
 * give each process its share. They follow from the arguments alone: each process finds the same ones, and a process
 * that starts again has its former name and takes its leases back at once.
 */
export function processNames(first: string, count: number, partitions: number): readonly string[] {
  const named = (place: number, attempt: number): Named => {
    if (place === 0) return { name: first, scores: scoresOf(first, partitions) };
    const digest = createHash('sha256').update(`${first} ${count} ${partitions} ${place} ${attempt}`).digest('hex');
    const name = `n-${digest.slice(0, 12)}`;
    return { name, scores: scoresOf(name, partitions) };
  };
  if (count === 1) return [first];
  let processes = Array.from({ length: count }, (_, place) => named(place, 0));
  let unevenness = unevennessOf(processes, partitions);
  for (let attempt = 1; attempt <= TRIES && unevenness > 0; attempt++) {
    const place = 1 + (attempt % (count - 1));
    const other = processes.with(place, named(place, attempt));
    const found = unevennessOf(other, partitions);
    if (found > unevenness) continue;
    processes = other;
    unevenness = found;
  }
  return processes.map(({ name }) => name);
}

interface Named {
  name: string;
  /** Its score for each partition; the process with the highest owns it. */
  scores: readonly number[];
}

const scoresOf = (name: string, partitions: number): number[] =>
  Array.from({ length: partitions }, (_, partition) => spread(`${name}/${partition}`));

/** 0 when the numbers of partitions that the processes own differ by at most one; larger with each one too many. */
function unevennessOf(processes: readonly Named[], partitions: number): number {
  const owned = processes.map(() => 0);
  for (let partition = 0; partition < partitions; partition++) {
    let best = 0;
    let bestScore = -1;
    for (const [place, { scores }] of processes.entries()) {
      const score = scores[partition] ?? 0;
      if (score <= bestScore) continue;
      best = place;
      bestScore = score;
    }
    owned[best] = (owned[best] ?? 0) + 1;
  }
  const least = Math.floor(partitions / processes.length);
  const most = Math.ceil(partitions / processes.length);
  return owned.reduce((sum, number) => sum + Math.max(0, number - most) + Math.max(0, least - number), 0);
}
