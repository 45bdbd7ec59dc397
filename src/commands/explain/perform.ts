/** Explains a monitor or an incident, as text or JSON. */
import { explain, type Explanation } from '../../engine/views/explain.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { withStore } from '../open-store.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { gatherFactsAt } from './gather.ts';
import { explanationText, textsOf } from './render.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { messageJson, momentJson } from '../../engine/views/explain-json.ts';
import { criticalAmong, wholeIncident } from '../../engine/views/incident.ts';
import { pastArgument } from '../../engine/operations/arguments.ts';
import type { ExplainFacts } from '../../engine/views/explain-facts.ts';

export interface ExplainRun extends RunOptions {
  readonly subject: string;
  /** As typed; null: the present. */
  readonly at: string | null;
}

export function performExplain(run: ExplainRun, context: Context): Promise<ExitCode> {
  const askedAt = run.at === null ? null : pastArgument(run.at, context.clock.now());
  return withStore({ configFile: run.configFile, access: 'read' }, context, async (openedStore) => {
    const facts = await gatherFactsAt(run.subject, { at: run.at, askedAt }, openedStore);
    const explanation = explain(facts);
    if (run.isJson) {
      const isCritical = criticalAmong(openedStore.config.monitors);
      const json = explanationJson(facts, explanation, isCritical);
      context.stdout.write(`${toJson(json)}\n`);
    } else {
      const output = await openTerminalOutput(context, run.isColourRefused, textsOf(explanation));
      const listing = { nowAt: openedStore.nowAt, isQuiet: run.isQuiet };
      context.stdout.write(explanationText(explanation, listing, output));
    }
    return exitCodes.ok;
  });
}

/** Renders an explanation for programs. */
function explanationJson(
  facts: ExplainFacts,
  explanation: Explanation,
  isCritical: (monitor: string) => boolean,
) {
  const { monitor, peer, incident, askedAt, nowAt, state } = facts;
  return {
    monitor: monitor.id,
    name: monitor.name,
    at: rfc3339(askedAt ?? nowAt),
    status: peer?.state ?? state?.status ?? 'unknown',
    summary: explanation.headline,
    incident: incident === null ? null : wholeIncident(incident, { nowAt, isCritical }, facts.updates),
    timeline: explanation.timeline.map(momentJson),
    messages: explanation.messages.map(messageJson),
    next: explanation.next,
  };
}
