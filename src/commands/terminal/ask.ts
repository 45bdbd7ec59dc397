/** Asks a person at a terminal a question that is answered with yes or no. */
import { createInterface } from 'node:readline/promises';
import type { Context } from '../context.ts';
import { isTerminal } from './output.ts';

/** Whether somebody sits at a terminal who can be asked. */
export function canAsk({ stdin, stdout }: Pick<Context, 'stdin' | 'stdout'>): boolean {
  return 'isTTY' in stdin && stdin.isTTY === true && isTerminal(stdout);
}

/**
 * Resolves with the answer: `default` for an empty line, no for the end of the input and for any other word. Rejects with
 * the reason of the interrupt.
 */
export async function isYes(
  question: string,
  { stdin, stdout, interrupt }: Pick<Context, 'stdin' | 'stdout' | 'interrupt'>,
  { default: isDefault }: { readonly default: boolean },
): Promise<boolean> {
  // Lines are left to the terminal, so that Ctrl-C interrupts as everywhere else.
  const asking = createInterface({ input: stdin, output: stdout, terminal: false });
  const end = new Promise<string>((resolve) =>
    asking.once('close', () => {
      resolve('no');
    }),
  );
  try {
    const line = await Promise.race([
      asking.question(`${question} ${isDefault ? '[Y/n]' : '[y/N]'} `, { signal: interrupt }),
      end,
    ]);
    const answer = line.trim();
    return answer === '' ? isDefault : /^(y|yes)$/i.test(answer);
  } finally {
    asking.close();
    interrupt.throwIfAborted();
  }
}
