import { Command } from 'commander';
import { codec } from './codec.ts';
import { computed } from './targeting/computed.ts';
import { conditions } from './targeting/conditions.ts';
import { cost } from './cost.ts';
import { evaluator } from './targeting/evaluator.ts';
import { flags } from './targeting/flags.ts';
import { game } from './game.ts';
import { importCase } from './import.ts';
import { productImportsCase } from './product-imports.ts';
import { ingest } from './ingest.ts';
import { lists } from './targeting/lists.ts';
import { localFlags } from './targeting/local-flags.ts';
import { outputs } from './outputs/outputs.ts';
import { profile } from './profile.ts';
import { propertiesCost } from './targeting/properties-cost.ts';
import { properties } from './targeting/properties.ts';
import { queries } from './queries.ts';
import { rebuild } from './rebuild.ts';
import { rows } from './rows.ts';
import { scoring } from './scoring.ts';
import { segments } from './targeting/segments.ts';
import { validation } from './targeting/validation.ts';
import { viewsCase } from './views.ts';

/* A case is a file of this folder; `lib` holds the parts that cases share. */

const program = new Command('bench')
  .description('Measure the service beside a reference in the same run. A run ends all it starts.')
  .showHelpAfterError();
for (const command of [
  cost,
  ingest,
  flags,
  game,
  scoring,
  outputs,
  queries,
  rebuild,
  importCase,
  productImportsCase,
  lists,
  viewsCase,
  properties,
  propertiesCost,
  profile,
])
  program.addCommand(command);
// One step of the service each, in process.
for (const command of [codec, validation, rows, conditions, segments, computed, evaluator, localFlags])
  program.addCommand(command);
await program.parseAsync();
process.exit(process.exitCode ?? 0);
