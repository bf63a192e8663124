import type { Clock } from '../../../core/kernel/clock.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { OWNER_LIMITS } from '../limits.ts';
import { compileCondition } from '../../conditions/compile-condition.ts';
import { metered } from '../../conditions/steps.ts';
import { withExceptions } from '../../segments/list-condition.ts';
import type { Definitions } from '../../decision/definitions.ts';
import type { Condition, DefinitionLookup } from '../../decision/targeting.ts';
import { noteMove, placesIn, type PlacesOf } from '../previews/parts-of-players.ts';
import type { StateHead } from '../../../core/vocabulary/state/state-outline.ts';
import type { PreviewSegment, PreviewedReply } from '../../../core/vocabulary/commands/preview.ts';
import type { Query } from '../../../core/vocabulary/commands/commands.ts';
import type { Entities } from './entities.ts';
import { tenantOf } from '../store/player-counts.ts';
import type { PartitionStore } from '../store/store.ts';

/** Evaluates a condition for some players of the partition, and returns where the next query goes on. */
export interface SegmentPreviews {
  preview(query: Query, body: PreviewSegment): PreviewedReply | Failure;
}

export interface SegmentPreviewsOptions {
  entities: Pick<Entities, 'held'>;
  store: Pick<PartitionStore, 'idsAfter' | 'forConditions' | 'get' | 'players'>;
  definitions: Pick<Definitions, 'of'>;
  clock: Pick<Clock, 'wallMs' | 'monotonicMs'>;
  /** Time of one query. */
  sliceMs?: number;
}

interface Compiled {
  text: string;
  condition: Condition;
  readsWhole: boolean;
  changes: readonly (PlacesOf | undefined)[];
  /** Counts the evaluations that exceeded their steps. */
  budget: { exceeded: number };
}

/**
 * Reads the local store, which is a fraction of a second behind, and players in memory as they are. Changes nothing.
 * Player ids are hashes, so players in the order of their ids are a random sample.
 */
export function createSegmentPreviews(options: SegmentPreviewsOptions): SegmentPreviews {
  const { entities, store, definitions, clock, sliceMs = OWNER_LIMITS.previewSliceMs } = options;
  /** The latest conditions: a preview is many queries. */
  const held: Compiled[] = [];

  function compiled(
    { game, environment }: Query,
    { conditions, includes, excludes, changes = [] }: PreviewSegment,
  ): Compiled | undefined {
    const text = [game, environment, conditions, ...includes, '', ...excludes, JSON.stringify(changes)].join('\n');
    const known = held.find((one) => one.text === text);
    if (known !== undefined) return known;
    const parsed: JsonObject = JSON.parse(conditions);
    const budget = { exceeded: 0 };
    const lookup: DefinitionLookup = {
      computed: (key) => definitions.of(game, environment).computed?.get(key),
      hasSegment: (id) => definitions.of(game, environment).segment(id) !== undefined,
    };
    const result = compileCondition(parsed, {
      lookup,
      onOverBudget: () => void (budget.exceeded += 1),
    });
    if (result.kind === 'invalid') return undefined;
    const condition = withExceptions(result.condition, { includes, excludes });
    // Rules read memberships and devices.
    const readsWhole = result.readsWhole || changes.length > 0;
    const places = changes.map((change) => placesIn(change, lookup));
    const made = { text, condition, readsWhole, changes: places, budget };
    held.unshift(made);
    held.splice(OWNER_LIMITS.previewsHeld);
    return made;
  }

  return {
    preview(query, body) {
      const one = compiled(query, body);
      if (one === undefined)
        return failure('VALIDATION_ERROR', 'The owner of a partition does not know the condition.');
      const tenant = tenantOf(query);
      const reply: PreviewedReply = {
        kind: 'previewed',
        total: store.players().get(tenant) ?? 0,
        evaluated: 0,
        matched: 0,
        overBudget: 0,
        examples: [],
        next: body.after,
        tookMs: 0,
        ...(one.changes.length === 0
          ? {}
          : { moves: one.changes.map((placesOf) => (placesOf === undefined ? null : [])) }),
      };
      const isOfTenant = (state: StateHead): boolean => state.kind === 'player' && tenantOf(state) === tenant;
      const beganMs = clock.monotonicMs();
      const nowMs = clock.wallMs();
      while (reply.next !== null) {
        const ids = store.idsAfter(reply.next === '' ? undefined : reply.next, OWNER_LIMITS.sweepEntities);
        if (ids.length === 0) reply.next = null;
        for (const id of ids) {
          reply.tookMs = clock.monotonicMs() - beganMs;
          if (reply.tookMs > sliceMs) return reply;
          reply.next = id;
          const player =
            entities.held(id) ?? (one.readsWhole ? store.get(id)?.state : store.forConditions(id, isOfTenant));
          if (player?.kind !== 'player' || !isOfTenant(player)) continue;
          reply.evaluated += 1;
          const before = one.budget.exceeded;
          // Counters are as of `lastSeenAt`, so no earlier time may be used.
          const subject = { player, nowMs: Math.max(nowMs, player.lastSeenAt) };
          if (metered(() => one.condition.matches(subject))) {
            reply.matched += 1;
            if (reply.examples.length < body.examples) {
              reply.examples.push({ playerId: id, externalId: player.externalId });
            }
          }
          for (const [place, placesOf] of one.changes.entries()) {
            const moved = reply.moves?.[place];
            if (placesOf !== undefined && moved)
              noteMove(
                moved,
                metered(() => placesOf(subject)),
              );
          }
          reply.overBudget += one.budget.exceeded - before;
        }
      }
      return reply;
    },
  };
}
