import { aFlag, aRule, aSplitFlag } from '../../actors/flags/evaluate/testing-flag.ts';
import { aRunning, type Weights } from '../../actors/flags/experiment/testing-experiment.ts';
import type { ExperimentDocument } from '../../core/vocabulary/documents/experiments.ts';
import type { FlagDocument } from '../../core/vocabulary/documents/documents.ts';

/** An experiment on a flag, and how it is edited between the waves of its players. */
export interface TriedCase {
  what: string;
  flag: FlagDocument;
  experiment: ExperimentDocument;
  /** One after the other; a wave of newcomers follows each. */
  edits: readonly Partial<ExperimentDocument>[];
  /** After the first edit players of a quarter, who buy more often, get this value by an override. */
  forced?: string;
  /** Players of both variants that count at least in each phase. */
  least: readonly number[];
}

const some = { key: 'shop', periods: [{ period: 1, version: 1, since: Date.UTC(2026, 0, 20) }] };
/** Its own weights are those of another draw than the experiment's. */
const SPLIT = aSplitFlag({ a: 1, b: 1, c: 1 }, { ...some, rules: [aRule()] });
const HALF = aFlag({ ...some, rules: [aRule({ percentage: 50 })] });
const QUARTER = { audience: { segmentId: null, conditions: { 'attributes.quarter': 0 } } };
const ALL = { audience: { segmentId: null } };

const on = (weights: Weights, experiment: Partial<ExperimentDocument> = {}) => aRunning([weights], experiment);
/** Begins a phase. */
const reweighted = (...weights: Weights[]) => {
  const { phases, variants } = aRunning(weights);
  return { phases, variants };
};

export const TRIED_CASES: readonly TriedCase[] = [
  {
    what: 'traffic from 20 to 50 to 100 %',
    flag: SPLIT,
    experiment: on({ a: 1, b: 1 }, { traffic: 20 }),
    edits: [{ traffic: 50 }, { traffic: 100 }],
    least: [500],
  },
  {
    what: 'traffic from 100 to 10 %',
    flag: SPLIT,
    experiment: on({ a: 1, b: 1 }),
    edits: [{ traffic: 10 }],
    least: [250],
  },
  {
    what: 'weights from 90/10 to 50/50',
    flag: SPLIT,
    experiment: on({ a: 9, b: 1 }),
    edits: [reweighted({ a: 9, b: 1 }, { a: 1, b: 1 })],
    least: [200, 120],
  },
  {
    what: 'weights from 50/50 to 40/60, and less traffic',
    flag: HALF,
    experiment: on({ false: 1, true: 1 }),
    edits: [{ ...reweighted({ false: 1, true: 1 }, { false: 2, true: 3 }), traffic: 80 }],
    least: [200, 80],
  },
  {
    what: 'an audience from a quarter to all',
    flag: SPLIT,
    experiment: on({ a: 1, b: 1 }, QUARTER),
    edits: [ALL],
    least: [340],
  },
  {
    what: 'an audience from all to payers',
    flag: SPLIT,
    experiment: on({ a: 1, b: 1 }),
    edits: [{ audience: { segmentId: null, conditions: { is_payer: true } } }],
    least: [250],
  },
  {
    what: 'a pause, and newcomers in it',
    flag: HALF,
    experiment: on({ false: 1, true: 1 }),
    edits: [{ state: 'paused' }, { state: 'running' }],
    least: [450],
  },
  {
    what: 'a pause, a reweight and a narrower range of the layer',
    flag: SPLIT,
    experiment: on({ a: 1, b: 3 }, { layer: { key: 'shops', from: 0, to: 90 } }),
    edits: [
      { state: 'paused' },
      { ...reweighted({ a: 1, b: 3 }, { a: 2, b: 1 }), state: 'running', layer: { key: 'shops', from: 20, to: 80 } },
    ],
    least: [180, 120],
  },
  {
    what: 'draws by device, and guests who sign in',
    flag: SPLIT,
    experiment: on({ a: 1, b: 1 }, { bucketBy: 'device' }),
    edits: [{ traffic: 100 }],
    least: [400],
  },
  {
    what: 'draws by player in A/A mode, and guests who sign in',
    flag: SPLIT,
    experiment: on({ a: 2, b: 1 }, { mode: 'aa' }),
    edits: [reweighted({ a: 2, b: 1 }, { a: 1, b: 1 })],
    least: [200, 120],
  },
  {
    what: 'an override of the best players',
    flag: SPLIT,
    experiment: on({ a: 1, b: 1 }),
    edits: [{ traffic: 90 }],
    forced: '"b"',
    least: [250],
  },
];
