import { CliError } from '../../cli-error.ts';

export function tooMuch(what: string): CliError {
  return new CliError(
    `The files have more than ${what}, which is the maximum of one command. Nothing is imported. Import the export in ` +
      'parts, by time: name the files of some months in each command.',
  );
}
