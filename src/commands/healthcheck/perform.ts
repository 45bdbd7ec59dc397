/** Requests the health of a daemon and prints its answer. */
import { usualBind } from '../../engine/config/rows/server.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { trustOf } from '../http-request.ts';
import { bindOfBroken, openConfig } from '../open-config.ts';
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
  const { url, fault } = run.url === null ? await configuredUrl(run, context) : typedUrl(run.url);
  const answer = await askHealth(url, patienceMs, trustOf(context)).catch(async (error: unknown) => {
    throw withFault(error, await fault());
  });
  const { isOk, message, body } = readHealth(answer, url);
  if (run.isJson)
    context.stdout.write(`${toJson({ ok: isOk, url: url.origin + url.pathname, health: body })}\n`);
  else if (!run.isQuiet || !isOk) context.stdout.write(`${cleanLine(message)}\n`);
  return isOk ? exitCodes.ok : exitCodes.wrong;
}

interface Asked {
  readonly url: URL;
  /** What keeps the configuration from being used; null: nothing, or none is needed. */
  readonly fault: () => Promise<StatusdError | null>;
}

function typedUrl(typed: string): Asked {
  return { url: readUrl(typed), fault: () => Promise.resolve(null) };
}

/**
 * A daemon runs on when its configuration is broken by an edit, so that keeps nobody from asking it: what is known of its
 * address counts.
 */
async function configuredUrl({ configFile }: HealthcheckRun, context: Context): Promise<Asked> {
  const bind = context.env['STATUSD_BIND'] ?? '';
  const loading = () =>
    openConfig(configFile, context).catch((error: unknown) => {
      if (error instanceof StatusdError) return error;
      throw error;
    });
  const fault = async () => {
    const outcome = await loading();
    return outcome instanceof StatusdError ? outcome : null;
  };
  if (bind !== '') return { url: healthUrlOfBind(bind, '$STATUSD_BIND'), fault };
  const outcome = await loading();
  if (!(outcome instanceof StatusdError))
    return { url: healthUrlOfBind(outcome.config.server.bind), fault: () => Promise.resolve(null) };
  const written = await bindOfBroken(configFile, context);
  return { url: healthUrlOfBind(written ?? usualBind), fault: () => Promise.resolve(outcome) };
}

/** The error of asking, with what is wrong beside it. */
function withFault(error: unknown, fault: StatusdError | null): unknown {
  if (!(error instanceof StatusdError) || fault === null) return error;
  const hints = [error.hint, `Besides, ${fault.message}`, fault.hint].filter((hint) => hint !== null);
  return new StatusdError(error.code, error.message, { hint: hints.join('\n'), cause: error });
}
