/** Help of every command as one script of dist/, compiled ahead. */
import { main as printHelp } from './cli.ts';
import { isHelpWanted, type ProcessStart } from './run-process.ts';

export async function main(args: readonly string[], start: ProcessStart): Promise<void> {
  if (isHelpWanted(args)) {
    await printHelp(args, start);
    return;
  }
  const { main: run } = await start.wholeCommandLine();
  await run(args, start);
}
