import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { createProgram } from '../../../src/cli/program.ts';

/** Runs a command. @returns what it printed, and its exit code */
export async function runCli(...words: string[]): Promise<{ lines: string[]; code: number; error: string }> {
  const lines: string[] = [];
  process.exitCode = undefined;
  const never = () => Promise.reject(new Error('the commands use HTTP only'));
  const program = await createProgram(
    {
      clock: systemClock,
      ids: systemIds,
      print: (line) => void lines.push(line),
      note: (line) => void lines.push(line),
      dataDir: '',
      modelPath: '',
      withConfigStore: never,
      withDeployment: never,
      baseUrl: () => undefined,
      clickhouse: () => ({ url: '', user: '', password: '', database: '' }),
    },
    words[0],
  );
  try {
    await program.parseAsync(['node', 'cli', ...words]);
    return { lines, code: exitCode(), error: '' };
  } catch (error) {
    return { lines, code: 1, error: error instanceof Error ? error.message : String(error) };
  } finally {
    process.exitCode = undefined;
  }
}

const exitCode = (): number => Number(process.exitCode ?? 0);
