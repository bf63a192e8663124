import { join } from 'node:path';
import { Command } from 'commander';
import { loadModel, type LoadOutcome } from '../../scoring/load-model.ts';
import { CHALLENGER_FOLDER } from '../../scoring/models.ts';
import { PREVIOUS_FOLDER, promoteModel } from '../../scoring/promote-model.ts';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';
import { table } from '../table.ts';

/** `model list|verify|promote` */
export function modelCommand({ modelPath, print, note }: Pick<CliContext, 'modelPath' | 'print' | 'note'>): Command {
  const challenger = join(modelPath, CHALLENGER_FOLDER);
  const command = new Command('model').description(
    'Manage the scoring model in MODEL_PATH. A running service loads changes within seconds.',
  );
  command
    .command('list')
    .description('List the current model, its challenger and the previous model.')
    .action(async () => {
      const rows = [];
      for (const [role, folder] of [
        ['current', modelPath],
        ['challenger', challenger],
        ['previous', join(modelPath, PREVIOUS_FOLDER)],
      ] as const) {
        rows.push([role, ...columns(await loadModel(folder)), folder]);
      }
      print(table(['role', 'version', 'learned from', 'thresholds', 'state', 'folder'], rows));
    });
  command
    .command('verify')
    .description(
      'Load a package as the service would: check its digest, thresholds and golden rows. Prints its version.',
    )
    .argument('[folder]', 'folder of the package', modelPath)
    .action(async (folder: string) => {
      const outcome = await loadModel(folder);
      if (outcome.kind === 'absent') throw new CliError(`There is no model in ${folder}.`);
      if (outcome.kind === 'refused') throw new CliError(`${folder}: ${outcome.reason}`);
      note(`Digest, thresholds and ${outcome.model.manifest.golden_rows.length} golden rows are correct.`);
      print(outcome.model.version);
    });
  command
    .command('promote')
    .description(
      'Verify a package and make it the current model. Promote the previous model to go back. Prints the version.',
    )
    .argument('[folder]', 'folder of the package', challenger)
    .action(async (folder: string) => {
      const outcome = await promoteModel(folder, modelPath);
      if (outcome.kind === 'refused') throw new CliError(`The model was not promoted: ${outcome.reason}`);
      print(outcome.version);
    });
  return command;
}

function columns(outcome: LoadOutcome): string[] {
  switch (outcome.kind) {
    case 'absent':
      return ['', '', '', 'none'];
    case 'refused':
      return ['', '', '', `refused: ${outcome.reason}`];
    case 'loaded': {
      const { version, manifest, thresholds } = outcome.model;
      const cutoffs = [thresholds.top_1pct, thresholds.top_5pct, thresholds.top_10pct];
      return [version, manifest.training.data, cutoffs.map((cutoff) => cutoff.toFixed(4)).join(' '), 'good'];
    }
  }
}
