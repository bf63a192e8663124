import { createGathering } from '../../core/kernel/flow/gathering.ts';
import { OWNER_LIMITS } from './limits.ts';
import { leaseHolder } from '../../streams/leases/lease-holder.ts';
import { type Contender, type ContenderOptions, createContender } from './membership/contender.ts';
import { joinMembers } from './membership/membership.ts';
import { createRebuildSlot } from './rebuild/rebuild-slot.ts';

export interface ActorsOptions extends Omit<
  ContenderOptions,
  'partition' | 'holder' | 'members' | 'rebuilds' | 'commits'
> {
  /** Identifies this start of the process, as opposed to the node's earlier ones. */
  incarnation: string;
  /** What is wrong with this process's clock; `undefined`: nothing. */
  clockFault: () => string | undefined;
}

/** The partitions of one process: contends for its share of them and runs an owner for each lease it holds. */
export interface Actors {
  /** The number of partitions that this process owns now. */
  readonly led: number;
  /** Stops every owner, then releases the leases. */
  stop(): Promise<void>;
}

export function startActors(options: ActorsOptions): Actors {
  const { partitions, node, incarnation, log, clock, metrics, clockFault } = options;
  const holder = leaseHolder(node, incarnation);
  const contenders: Contender[] = [];
  const rebuilds = createRebuildSlot();
  const commits = createGathering(clock, OWNER_LIMITS.commitSpacingMs);
  const members = joinMembers({
    bucket: log.bucket('OWNERS'),
    node,
    holder,
    clock,
    onChange(partition) {
      const fault = clockFault();
      members.setClockWrong(fault);
      metrics.refusedPartitions.set({ reason: 'clock' }, fault === undefined ? 0 : partitions);
      if (partition !== undefined) contenders[partition]?.leaseChanged();
      else for (const contender of contenders) contender.review();
    },
  });
  for (let partition = 0; partition < partitions; partition++) {
    contenders.push(createContender({ ...options, partition, holder, members, rebuilds, commits }));
  }
  return {
    get led() {
      return contenders.filter((contender) => contender.leads).length;
    },
    async stop() {
      await Promise.all(contenders.map((contender) => contender.stop()));
      await members.leave();
    },
  };
}
