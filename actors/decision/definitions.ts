import type { LifecycleThresholds } from '../../core/vocabulary/documents/documents.ts';
import type { CampaignSet } from '../campaigns/define/campaign-set.ts';
import type { SegmentSet } from '../segments/segment-set.ts';
import type { Environment } from '../../core/vocabulary/documents/scope.ts';
import type { Targeting } from './targeting.ts';

/** The definitions of one config revision. */
export interface Definitions {
  readonly revision: number;
  of(game: string, environment: Environment): Targeting;
  segments(game: string, environment: Environment): SegmentSet;
  campaigns(game: string, environment: Environment): CampaignSet;
  settings(game: string): GameSettings;
}

/** The settings of a game, with defaults filled in. */
export interface GameSettings {
  lifecycle: LifecycleThresholds;
}
