/** Reads what a daemon says of its health. */
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { HealthAnswer } from './ask.ts';

export interface HealthReport {
  readonly isOk: boolean;
  /** One line for people. */
  readonly message: string;
  /** The document as it came. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Throws `daemon_unreachable` when that is not how statusd answers. */
export function readHealth({ status, text }: HealthAnswer, url: URL): HealthReport {
  const body = documentOf(text);
  if (body === null || (status !== 200 && status !== 503)) {
    throw new StatusdError('daemon_unreachable', `${url.origin} answers with ${status}, not like statusd`, {
      hint: 'Does another program listen there?',
    });
  }
  const faults = faultsOf(body);
  const isOk = status === 200;
  const words = faults.length > 0 ? `: ${faults.join('; ')}` : '';
  const { status: said, reason } = body;
  const but = said === 'degraded' && typeof reason === 'string' ? `, but ${cleanLine(reason)}` : '';
  return { isOk, message: isOk ? `ok${but}${lastTick(body)}` : `not healthy${words}${lastTick(body)}`, body };
}

function documentOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'scheduler_ok' in value ? { ...value } : null;
  } catch {
    return null;
  }
}

function faultsOf(body: Readonly<Record<string, unknown>>): readonly string[] {
  return [
    ...(body['scheduler_ok'] === false ? ['the scheduler is stalled'] : []),
    ...(body['db_ok'] === false ? ['the database is not written'] : []),
  ];
}

function lastTick({ last_tick_age: age }: Readonly<Record<string, unknown>>): string {
  return typeof age === 'number' ? `, last tick ${Math.round(age)} s ago` : '';
}
