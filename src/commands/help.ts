/** Help of every command as one script of dist/, compiled ahead. */
import { main as printHelp } from './cli.ts';
import { isHelpWanted, type WholeCommandLine } from './run-process.ts';

export async function main(args: readonly string[], wholeCommandLine: WholeCommandLine): Promise<void> {
  if (isHelpWanted(args)) {
    await printHelp(args);
    return;
  }
  const { main: run } = await wholeCommandLine();
  await run(args, wholeCommandLine);
}
