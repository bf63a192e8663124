import { Command } from 'commander';
import { count, duration } from '../cli-options.ts';
import { figure, table } from '../report/table.ts';
import { codecPairs } from './codec-pairs.ts';
import { conditionPairs } from './condition-pairs.ts';
import { evaluatorPairs } from './evaluator-pairs.ts';
import { measurePairs, type Pair } from './measure-pairs.ts';
import { rowPairs } from './row-pairs.ts';
import { segmentPairs } from './segment-pairs.ts';
import { validationPairs } from './validation-pairs.ts';

/** The small benches, each of one step of the service beside the least that such a step could do. They start nothing. */
const MICRO: Readonly<Record<string, { description: string; pairs: () => Pair[] }>> = {
  codec: { description: 'Encode and decode messages of the log, beside JSON: per command or fact.', pairs: codecPairs },
  validation: { description: 'Read and validate bodies, beside JSON.parse: per event.', pairs: validationPairs },
  rows: { description: "Make ClickHouse's rows of facts, beside JSON.stringify: per row.", pairs: rowPairs },
  conditions: {
    description: 'Ask conditions of players, and count events: per question or event.',
    pairs: conditionPairs,
  },
  segments: { description: 'Keep segments up to date, beside having none: per event.', pairs: segmentPairs },
  evaluator: { description: 'Evaluate flags in process, beside one hash: per flag.', pairs: evaluatorPairs },
};

export function microCommands(report: (line: string) => void): Command[] {
  return Object.entries(MICRO).map(([name, { description, pairs }]) =>
    new Command(name)
      .description(description)
      .option('--rounds <n>', 'rounds on each; medians are told', count, 7)
      .option('--round <time>', 'time given to each in one round', duration, 0.2)
      .action(({ rounds, round }: { rounds: number; round: number }) => {
        const figures = measurePairs(pairs(), { rounds, roundMs: round * 1000 });
        report(
          table(
            ['', 'ns', 'reference ns', 'ratio', 'reference'],
            figures.map((one) => [
              one.name,
              figure(one.workNs),
              figure(one.referenceNs),
              one.ratio.toFixed(2),
              one.referenceName,
            ]),
          ),
        );
      }),
  );
}
