/** Asks a daemon for its health and says what it answered. */
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { trustOf } from '../http-request.ts';
import { openConfig } from '../open-config.ts';
import { toJson } from '../terminal/json.ts';
import { askHealth, healthUrlOfBind, readHealth, readUrl } from './health.ts';

export interface HealthcheckRun {
  /** Null: that of the configuration. */
  readonly url: string | null;
  readonly configFile: string | null;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

const patienceMs = 5000;

export async function performHealthcheck(run: HealthcheckRun, context: Context): Promise<ExitCode> {
  const url = run.url === null ? await configuredUrl(run, context) : readUrl(run.url);
  const answer = await askHealth(url, patienceMs, trustOf(context));
  const { isOk, message, body } = readHealth(answer, url);
  if (run.isJson)
    context.stdout.write(`${toJson({ ok: isOk, url: url.origin + url.pathname, health: body })}\n`);
  else if (!run.isQuiet || !isOk) context.stdout.write(`${cleanLine(message)}\n`);
  return isOk ? exitCodes.ok : exitCodes.wrong;
}

async function configuredUrl({ configFile }: HealthcheckRun, context: Context): Promise<URL> {
  const { config } = await openConfig(configFile, context);
  return healthUrlOfBind(config.server.bind);
}
