/** The daemon as one script of dist/, compiled ahead, without the code of other commands. */
import { makeBlank } from '../db/tables/schema/blank.ts';
import { schema } from '../db/tables/schema/schema.ts';
import { runOneOf, type ProcessStart } from './run-process.ts';
import { ServeCommand } from './serve.ts';

export function main(args: readonly string[], start: ProcessStart): Promise<void> {
  return runOneOf([ServeCommand], args, start);
}

/** For the build, which puts it beside the script. */
export function blankDatabase(): Promise<Uint8Array> {
  return makeBlank(schema);
}
