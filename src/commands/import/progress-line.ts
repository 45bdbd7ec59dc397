/** Shows on a terminal how far the import has come. */
import { cleanLine } from '../../engine/core/text.ts';
import { cutCells } from '../terminal/cells.ts';
import { isTerminal, openTerminalOutput } from '../terminal/output.ts';
import type { Context } from '../context.ts';

export interface ImportProgress {
  /** The next one is under way. */
  readonly next: (name: string) => void;
  /** Takes the line away for good. */
  readonly end: () => void;
}

/** One line that is written over, narrower than the terminal or it would leave lines behind; nothing where nobody looks. */
export async function showImport(
  names: readonly string[],
  { stderr, env }: Pick<Context, 'stderr' | 'env'>,
): Promise<ImportProgress> {
  if (!isTerminal(stderr)) return { next: () => undefined, end: () => undefined };
  const { cells, columns } = await openTerminalOutput({ stdout: stderr, env }, true, names.map(cleanLine));
  const write = (line: string) => stderr.write(`\r${line}\u001b[K`);
  let done = 0;
  return {
    next: (name) => {
      write(cutCells(`${done}/${names.length} ${cleanLine(name)}`, (columns ?? 80) - 1, cells));
      done += 1;
    },
    end: () => write(''),
  };
}
