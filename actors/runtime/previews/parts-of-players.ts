import { type Move, NO_PART, type PreviewedChange } from '../../../core/vocabulary/commands/preview.ts';
import type { CampaignDocument, FlagDocument, SegmentDocument } from '../../../core/vocabulary/documents/documents.ts';
import { compileCampaign } from '../../campaigns/define/compile-campaign.ts';
import { compileCondition } from '../../conditions/compile-condition.ts';
import { isMember } from '../../conditions/segments/is-member.ts';
import type { DefinitionLookup, Subject } from '../../decision/targeting.ts';
import { compileRules } from '../../flags/evaluate/compile-rule.ts';
import { withExceptions } from '../../segments/list-condition.ts';

/*
 * Which part of a definition a player is in: the rule of a flag that includes the player first, the players of a
 * segment, the audience of a campaign without its holdout.
 */

type PartOf = (subject: Subject) => number;

/** The parts that a player is in before and after a change. */
export type PlacesOf = (subject: Subject) => readonly [from: number, to: number];

/** `undefined`: a definition does not compile here. */
export function placesIn({ of, before, after }: PreviewedChange, lookup: DefinitionLookup): PlacesOf | undefined {
  const [partBefore, partAfter] = [partIn(of, before, lookup), partIn(of, after, lookup)];
  if (partBefore === undefined || partAfter === undefined) return undefined;
  return (subject) => [partBefore(subject), partAfter(subject)];
}

/** Counts a player who moved. */
export function noteMove(moves: Move[], [from, to]: readonly [number, number]): void {
  if (from === to) return;
  const known = moves.find((move) => move.from === from && move.to === to);
  if (known === undefined) moves.push({ from, to, players: 1 });
  else known.players += 1;
}

function partIn(of: PreviewedChange['of'], text: string | null, lookup: DefinitionLookup): PartOf | undefined {
  if (text === null) return NO_PLAYERS;
  switch (of) {
    case 'flag':
      return ruleOf(JSON.parse(text), lookup);
    case 'segment':
      return ofSegment(JSON.parse(text), lookup);
    case 'campaign':
      return inAudience(JSON.parse(text));
  }
}

const NO_PLAYERS: PartOf = () => NO_PART;

function ruleOf(flag: FlagDocument, lookup: DefinitionLookup): PartOf | undefined {
  const { rules, faults } = compileRules(flag, undefined, lookup);
  if (faults.length > 0) return undefined;
  if (!flag.enabled || flag.archivedAt !== null) return NO_PLAYERS;
  return (subject) => rules.find(({ checks }) => checks.every((check) => check.passes(subject)))?.index ?? NO_PART;
}

function ofSegment(segment: SegmentDocument, lookup: DefinitionLookup): PartOf | undefined {
  const compiled = compileCondition(segment.conditions, { lookup });
  if (compiled.kind === 'invalid') return undefined;
  if (segment.enabled === false) return NO_PLAYERS;
  const condition = withExceptions(compiled.condition, segment);
  return (subject) => (condition.matches(subject) ? 0 : NO_PART);
}

function inAudience(document: CampaignDocument): PartOf | undefined {
  const compiled = compileCampaign(document);
  if (compiled.kind === 'invalid') return undefined;
  const { enabled, audience } = document;
  if (!enabled) return NO_PLAYERS;
  const { campaign } = compiled;
  return (subject) =>
    (audience === null || isMember(subject, audience)) && !campaign.isHeldOut(subject.player.id) ? 0 : NO_PART;
}
