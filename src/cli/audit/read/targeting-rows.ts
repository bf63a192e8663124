import { time, type Cell } from './cells.ts';
import type { ExpectedRow, Of, RowOf } from './fact-rows.ts';

/** What segments, flags and campaigns did to a player. */
export function rowsOfTargeting(
  fact: Of<
    | 'SegmentEntered'
    | 'SegmentExited'
    | 'FlagExposed'
    | 'FlagsServed'
    | `Intervention${'Triggered' | 'Suppressed' | 'Offered' | 'Shown' | 'Clicked' | 'Dismissed'}`
  >,
  scope: readonly Cell[],
  player: readonly string[],
  row: RowOf,
): ExpectedRow[] {
  switch (fact.kind) {
    case 'SegmentEntered':
    case 'SegmentExited': {
      const transition = fact.kind === 'SegmentEntered' ? 'entered' : 'exited';
      const cells = [...scope, fact.segmentId, fact.segmentKey, ...player, transition, time(fact.at)];
      return [row('segment_transitions', cells)];
    }
    case 'FlagExposed': {
      const { flagKey, flagVersion, period, value, reason, stratum = 0, cluster = 0, attribution, trial } = fact;
      const seen = [trial?.experiment ?? '', period, trial?.variant ?? fact.variantKey, value];
      const flag = [flagKey, flagVersion, ...seen, reason, stratum, cluster, attribution];
      return [row('flag_exposures', [...scope, ...flag, ...player, time(fact.at)])];
    }
    case 'FlagsServed':
      return fact.mixed.map((key, place) => {
        const { flagVersion = 0, period = 0, trial } = fact.flags.find(({ flagKey }) => flagKey === key) ?? {};
        const shown = [flagVersion, trial?.experiment ?? '', period];
        return row('flag_mixed_players', [...scope, key, ...shown, ...player, time(fact.at)], place);
      });
    case 'InterventionTriggered':
    case 'InterventionSuppressed':
    case 'InterventionOffered':
    case 'InterventionShown':
    case 'InterventionClicked':
    case 'InterventionDismissed': {
      const campaign = [fact.campaignId, fact.campaignKey, fact.campaignVersion];
      const event = fact.kind.slice('Intervention'.length).toLowerCase();
      const why = [fact.kind === 'InterventionSuppressed' ? fact.reason : '', 'cause' in fact ? fact.cause : ''];
      const what = 'interventionId' in fact ? fact.interventionId : null;
      const session = 'sessionId' in fact ? fact.sessionId : null;
      const message = [fact.variant ?? '', ('button' in fact ? fact.button : undefined) ?? ''];
      const cells = [...scope, ...campaign, ...player, event, ...why, what, session, ...message, time(fact.at)];
      return [row('campaign_events', cells)];
    }
  }
}
