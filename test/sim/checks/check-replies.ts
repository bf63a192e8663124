import { isDeepStrictEqual } from 'node:util';
import type { Command, EvaluateFlags } from '../../../core/vocabulary/commands/commands.ts';
import type { PlayerReply, Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { FlagHistory } from '../model/flags/flag-history.ts';
import { NO_DEFINITIONS } from '../model/model-definitions.ts';
import type { ConfigHistory } from '../model/model-segments.ts';
import { type Attempt, commandKey } from '../history.ts';
import { predict, predictRead } from '../model/model.ts';
import { sameReply } from '../model/same-reply.ts';
import { predictEvaluations, sameEvaluations } from '../model/flags/model-flags.ts';
import { valueNow } from '../model/players/model-computed.ts';
import type { World } from '../world.ts';
import type { PartitionLog } from './partition-log.ts';
import { isQuery } from '../clients/operation.ts';

/**
 * Checks every reply of one partition against the model (linearizability, as in Herlihy and Wing). A reply to a command
 * that changed something must equal the model's reply at the command's place, which must be stored before the reply.
 * Any other reply must be the model's reply at some place between what was acknowledged before the request and what was
 * stored before the reply. Each reply gets the earliest possible place, in the order of arrival: if any order explains
 * all replies, this one does.
 */
export function checkReplies(
  world: World,
  attempts: readonly Attempt[],
  log: PartitionLog,
  definitions: FlagHistory,
  config: Pick<ConfigHistory, 'segmentsSince' | 'namedSince'>,
): void {
  const moments = attempts.flatMap((attempt) => [
    { tick: attempt.invokedTick, attempt, isReply: false },
    ...(attempt.outcome === undefined ? [] : [{ tick: attempt.outcome.tick, attempt, isReply: true }]),
  ]);
  moments.sort((a, b) => a.tick - b.tick);
  /** The step that every new request must see at least, and its value when each request was sent. */
  let floor = 0;
  const floors = new Map<Attempt, number>();

  for (const { attempt, isReply } of moments) {
    if (!isReply) floors.set(attempt, floor);
    else floor = Math.max(floor, placeOf(attempt));
  }

  /** The step after which the reply is true; 0 if the reply promises nothing. */
  function placeOf(attempt: Attempt): number {
    const { outcome, command } = attempt;
    const placed = command === undefined ? undefined : log.placements.get(commandKey(command));
    if (outcome === undefined || outcome.reply === 'lost') return 0;
    const { reply, tick } = outcome;
    if (reply.kind === 'failure' && reply.code === 'SERVICE_UNAVAILABLE') return 0;
    if (placed !== undefined) {
      if (placed.tick > tick) wrong('acknowledged-is-stored', attempt, `acknowledged before it was stored`);
      if (!sameReply(reply, placed.reply)) wrong('reply', attempt, `the model answers ${show(placed.reply)}`);
      return placed.step;
    }
    return findPlace(attempt, reply, tick);
  }

  function findPlace(attempt: Attempt, reply: Reply, tick: number): number {
    const least = floors.get(attempt) ?? 0;
    let last = log.timeline.steps.length;
    while (last > 0 && (log.timeline.steps[last - 1]?.tick ?? 0) > tick) last -= 1;
    for (let step = least; step <= last; step++) if (answers(attempt, reply, step)) return step;
    for (let step = least - 1; step >= 0; step--) {
      if (!answers(attempt, reply, step)) continue;
      wrong(
        'no-stale-answer',
        attempt,
        `true only after step ${step}, but step ${least} was acknowledged before the request`,
      );
      return least;
    }
    const invariant = isQuery(attempt.body) ? 'read' : 'acknowledged-is-stored';
    wrong(invariant, attempt, `the model does not give this reply at any step from ${least} to ${last}`);
    return least;
  }

  function answers(attempt: Attempt, reply: Reply, step: number): boolean {
    const { body, origin, command } = attempt;
    const view = log.timeline.at(step);
    if (body.kind === 'GetPlayer') {
      const state = view(body.playerId);
      return (
        log.timeline.ends.has(step) &&
        sameReply(reply, predictRead(view, origin, body)) &&
        (reply.kind !== 'player' || state?.kind !== 'player' || showsComputed(reply, state, attempt.configRevision))
      );
    }
    if (body.kind === 'EvaluateFlags') return log.timeline.ends.has(step) && serves(attempt, body, reply, step);
    if (command === undefined) return false;
    // Of commands without facts, only those about lists depend on definitions.
    const segments = body.kind === 'ListPlayers' ? config.segmentsSince(attempt.configRevision) : [[]];
    return [command, datedAsAnswered(command, reply)].some((dated) =>
      segments.some((some) => {
        const expected = predict(view, dated, { ...NO_DEFINITIONS, segments: some });
        return expected.facts.length === 0 && sameReply(reply, expected.reply);
      }),
    );
  }

  /**
   * Whether the definitions at its gateway, or newer ones, serve that: a definition is in effect once its change is
   * answered.
   */
  function serves({ origin, configRevision, outcome }: Attempt, query: EvaluateFlags, reply: Reply, step: number) {
    const state = log.timeline.at(step)(query.playerId);
    const read = predictRead(() => state, origin, { kind: 'GetPlayer', playerId: query.playerId });
    if (read.kind === 'failure' || state?.kind !== 'player') return sameReply(reply, read);
    return [...definitions.between(configRevision, outcome?.tick ?? Infinity)].some((flags) =>
      sameEvaluations(reply, predictEvaluations(state, query, flags)),
    );
  }

  /** Whether the values are those of the gateway's definitions or newer ones. Values of windows change with time. */
  function showsComputed({ computed }: PlayerReply, state: PlayerState, configRevision: number): boolean {
    const shown = new Map<string, unknown>(Object.entries(JSON.parse(computed ?? '{}')));
    return config.namedSince(configRevision).some(
      (named) =>
        named.size === shown.size &&
        [...named.values()].every(({ key, id, spec }) => {
          if (spec.days !== 0) return shown.has(key);
          return isDeepStrictEqual(shown.get(key), valueNow(state, id, spec, 0));
        }),
    );
  }

  function wrong(invariant: string, attempt: Attempt, message: string): void {
    world.violate(
      invariant,
      `#${attempt.id} ${show(attempt.body)} was answered ${show(attempt.outcome?.reply)}: ${message}`,
    );
  }
}

/** As the owner dated it, whose clock decides for a gateway whose clock is ahead: no record holds the time. */
function datedAsAnswered(command: Command, reply: Reply): Command {
  if (reply.kind !== 'tracked') return command;
  const received = reply.results.map(({ receivedAt }) => receivedAt).filter((ms) => ms < command.receivedAt);
  return received.length === 0 ? command : { ...command, receivedAt: Math.max(...received) };
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 500);
}
