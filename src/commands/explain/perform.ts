/** Explains a monitor or an incident, for people or for programs. */
import { explain } from '../../engine/views/explain.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { askedAtOf } from './asked-at.ts';
import { gatherFacts } from './gather.ts';
import { explanationJson } from './json.ts';
import { explanationText, textsOf } from './render.ts';

export interface ExplainRun extends RunOptions {
  readonly subject: string;
  /** As typed; null: the present. */
  readonly at: string | null;
}

export function performExplain(run: ExplainRun, context: Context): Promise<ExitCode> {
  const askedAt = run.at === null ? null : askedAtOf(run.at, context.clock.now());
  return withStore({ configFile: run.configFile, access: 'read' }, context, async (openedStore) => {
    const facts = gatherFacts(run.subject, askedAt, openedStore);
    const explanation = explain(facts);
    if (run.isJson) {
      context.stdout.write(`${toJson(explanationJson(facts, explanation))}\n`);
    } else {
      const output = await openTerminalOutput(context, run.isColourRefused, textsOf(explanation));
      const listing = { nowAt: openedStore.nowAt, isQuiet: run.isQuiet };
      context.stdout.write(explanationText(explanation, listing, output));
    }
    return exitCodes.ok;
  });
}
