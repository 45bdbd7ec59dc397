/**
 * The commands that start as fast as they can: dist/ has them in one file with all they need. Help, and a command line
 * with a mistake in it, is the work of cli.ts.
 */
import { Cli } from 'clipanion';
import { StatusdCommand } from './base.ts';
import { CheckCommand } from './check.ts';
import { HealthcheckCommand } from './healthcheck.ts';
import type { Context } from './context.ts';
import { isHelpWanted, runProcess } from './run-process.ts';

const quickCommands = [CheckCommand, HealthcheckCommand];

export async function main(args: readonly string[]): Promise<void> {
  const command = isHelpWanted(args) ? null : parse(args);
  if (command === null) {
    const cli = await import('./cli.js');
    await cli.main(args);
    return;
  }
  const isYesOrNo = command instanceof HealthcheckCommand;
  await runProcess(args, { begin: () => Promise.resolve(command), isYesOrNo });
}

/** Null: it is no call of one of these. */
function parse(args: readonly string[]): StatusdCommand | null {
  const cli = new Cli<Context>({ binaryName: 'statusd' });
  for (const command of quickCommands) cli.register(command);
  try {
    // It is given its context when it runs.
    const command = cli.process([...args], {} as Context);
    return command instanceof StatusdCommand ? command : null;
  } catch {
    return null;
  }
}
