import type { AnswerOf } from '../../frame/api.ts';
import { TEXTS } from '../../texts.ts';
import { percentText, pWords, reasonText } from '../figure-texts.ts';
import { metricName } from '../measure.ts';

const texts = TEXTS.experiment.verdict;

export type ExperimentResults = AnswerOf<'GET /v1/experiments/experiments/{key}/results'>;

/** What the results say, in words. `fault`: something is wrong; `found`: a variant differs; `open`: none does yet. */
export interface Verdict {
  kind: 'fault' | 'found' | 'open';
  title: string;
  lines: string[];
}

interface Life {
  isOver: boolean;
  isOverdue: boolean;
}

/** The verdict of results that have players. What makes the others worthless comes first. */
export function verdictOf(results: ExperimentResults, { isOver, isOverdue }: Life): Verdict {
  const lines = linesOf(results);
  const broken = brokenRatio(results);
  if (broken.length > 0) return { kind: 'fault', title: texts.ratio, lines: [...broken, texts.ratioHelp] };
  const harmed = results.guardrails.flatMap((guardrail) =>
    guardrail.variants
      .filter(({ verdict }) => verdict === 'harmful')
      .map(({ variant_key: variant }) => texts.harms(variant, metricName(guardrail))),
  );
  const decided = decidedTexts(results);
  const late = isOverdue ? [texts.overdue] : [];
  if (results.mode === 'aa') {
    const differs = decided.length + harmed.length > 0;
    return { kind: differs ? 'fault' : 'open', title: differs ? texts.aaDiffers : texts.aaSame, lines };
  }
  const [harm, ...harms] = harmed;
  if (harm !== undefined) return { kind: 'fault', title: harm, lines: [...harms, ...decided, ...lines] };
  const [first, ...others] = decided;
  if (first !== undefined) return { kind: 'found', title: first, lines: [...others, ...lines, ...late] };
  return { kind: 'open', title: isOver ? texts.ended : texts.open, lines: [...lines, ...late] };
}

/** The phases and days whose numbers of players do not match the weights. */
function brokenRatio({ phases, sample_ratio_by_day: days }: ExperimentResults): string[] {
  const broken = phases.filter(({ sample_ratio: { mismatch } }) => mismatch).map(({ phase }) => phase);
  const onDays = [...new Set(days.filter(({ mismatch }) => mismatch).map(({ day }) => day))];
  return [
    ...(broken.length === 0 ? [] : [texts.ratioPhases(TEXTS.experiment.phaseNumbers(broken))]),
    ...(onDays.length === 0 ? [] : [texts.ratioDays(onDays.join(', '))]),
  ];
}

/** A sentence for each variant that differs from the control, by the comparison that holds at any time. */
function decidedTexts({ sequential, control, ...metric }: ExperimentResults): string[] {
  return sequential.flatMap(({ variant_key: variant, decision }) =>
    decision === null || decision === 'undecided'
      ? []
      : [texts.decided(variant, texts.directions[decision], control, metricName(metric))],
  );
}

/** The figures of each variant beside the control. */
function linesOf({ variants, sequential, control }: ExperimentResults): string[] {
  return variants
    .filter(({ variant_key: key }) => key !== control)
    .map(({ variant_key: key, lift, too_small: small }) => {
      const anytime = sequential.find(({ variant_key: own }) => own === key);
      const { ci_low: low = null, ci_high: high = null, p_adjusted: p = null } = anytime ?? {};
      const words = p === null ? '' : texts.p(pWords(p));
      if (low === null || high === null) {
        const reason = anytime?.too_small ?? small;
        return texts.noInterval(key, percentText(lift), reason === null ? texts.noBounds : reasonText(reason), words);
      }
      return texts.line(key, percentText(lift), percentText(low), percentText(high), words);
    });
}
