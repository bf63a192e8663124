import { SESSION_LIMITS } from './limits.ts';
import type { JsonText } from '../../core/kernel/text/json.ts';
import type { TrackItem } from '../../core/vocabulary/commands/commands.ts';
import type { Context, Draft } from '../decision/decision.ts';
import { trackEvent } from '../events/track.ts';
import type { Targeting } from '../decision/targeting.ts';

/** What the events of one call add to their session. */
export interface Tally {
  /** Accepted events; a repeated event_id is not accepted again. */
  eventCount: number;
  /** Achievements that these events unlock for the first time in the session. */
  achievements: string[];
  interventionsShown: number;
  interventionsClicked: number;
}

/**
 * Tracks the events of a call by timestamp; equal timestamps keep the caller's order.
 * @param unlocked the session's achievements so far
 */
export function trackItems(
  draft: Draft,
  items: readonly TrackItem[],
  unlocked: readonly string[],
  context: Context,
  targeting: () => Targeting,
): Tally {
  const tally: Tally = { eventCount: 0, achievements: [], interventionsShown: 0, interventionsClicked: 0 };
  for (const item of items.toSorted((a, b) => a.timestamp - b.timestamp)) {
    if (trackEvent(draft, item, context, targeting).status !== 'accepted') continue;
    tally.eventCount += 1;
    count(tally, item, unlocked);
  }
  return tally;
}

function count(tally: Tally, { eventName, properties }: TrackItem, unlocked: readonly string[]): void {
  switch (eventName) {
    case 'achievement_unlocked': {
      const achievement = achievementOf(properties);
      if (achievement === undefined || unlocked.includes(achievement) || tally.achievements.includes(achievement))
        return;
      if (unlocked.length + tally.achievements.length < SESSION_LIMITS.sessionAchievements)
        tally.achievements.push(achievement);
      return;
    }
    case 'intervention_shown':
      if (namesIntervention(properties)) tally.interventionsShown += 1;
      return;
    case 'intervention_clicked':
      if (namesIntervention(properties)) tally.interventionsClicked += 1;
      return;
  }
}

/** `achievement_id` or `achievement`: a name, or a number as text. */
function achievementOf(properties: JsonText): string | undefined {
  const parsed: { achievement_id?: unknown; achievement?: unknown } = JSON.parse(properties);
  const named = parsed.achievement_id ?? parsed.achievement;
  const text = typeof named === 'number' ? String(named) : named;
  return typeof text === 'string' && text !== '' && text.length <= SESSION_LIMITS.achievementLength ? text : undefined;
}

function namesIntervention(properties: JsonText): boolean {
  const parsed: { intervention_id?: unknown } = JSON.parse(properties);
  return typeof parsed.intervention_id === 'string' && parsed.intervention_id !== '';
}
