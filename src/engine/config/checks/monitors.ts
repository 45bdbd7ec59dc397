/** What must hold between the settings of one monitor. */
import { isIP } from 'node:net';
import { durationText } from '../../core/duration.ts';
import { reachableSlo, unreachableRules } from '../../core/slo.ts';
import type { HttpDraft, MonitorDraft } from '../draft.ts';
import { failure, warning, type ConfigFinding } from '../finding.ts';
import { parseHostPort } from '../types/address.ts';
import type { Path } from '../types/value.ts';
import { parseUrl } from '../types/url.ts';

export function* checkMonitor(monitor: MonitorDraft, path: Path): Generator<ConfigFinding> {
  if (monitor.kind !== 'push') yield* checkSpans(monitor, path);
  yield* checkSlo(monitor, path);
  yield* checkDualStack(monitor, path);
  if (monitor.kind === 'http') yield* checkHttp(monitor, path);
  if (monitor.kind === 'tcp' && monitor.starttls === null && typeof monitor.cert_pin === 'string') {
    const message = 'has no effect: no certificate is read without starttls';
    yield warning([...path, 'cert_pin'], message, 'set starttls');
  }
  if (monitor.kind === 'tcp' && monitor.starttls !== 'smtp' && typeof monitor.ehlo_name === 'string') {
    const message = 'is never sent: it is for starttls = "smtp"';
    yield warning([...path, 'ehlo_name'], message, 'set starttls, or remove it');
  }
  if (monitor.kind === 'push' && monitor.push_token === null) {
    yield warning(path, 'has no push_token: anyone can send its heartbeats', 'set push_token');
  }
  if (monitor.kind === 'exec') yield* checkCommand(monitor.command, path);
}

/** A probe has to end before the next one is due. */
function* checkSpans(monitor: MonitorDraft, path: Path): Generator<ConfigFinding> {
  const { timeout_secs: timeout, interval_secs: interval, degraded_over_ms: limit } = monitor;
  if (timeout === undefined) return;
  if (interval !== undefined && timeout > interval) {
    const message = `is longer than interval_secs (${interval}): a slow probe delays the next one`;
    yield warning([...path, 'timeout_secs'], message, 'lower it, or raise interval_secs');
  }
  if (typeof limit === 'number' && limit >= timeout * 1000) {
    const message = `is never reached: a probe fails after timeout_secs (${timeout})`;
    yield warning([...path, 'degraded_over_ms'], message, 'lower it');
  }
}

/** An SLO that allows so much downtime that its budget never burns fast enough for an alert. */
function* checkSlo(
  { slo_uptime: uptimePercent, slo_window_days: windowDays }: MonitorDraft,
  path: Path,
): Generator<ConfigFinding> {
  if (typeof uptimePercent !== 'number' || windowDays === undefined) return;
  const slo = { uptimePercent, windowDays };
  const missed = unreachableRules(slo);
  const [hardest] = missed;
  const longest = missed.at(-1);
  if (hardest === undefined || longest === undefined) return;
  const paces = missed.map(({ pace }) => pace).join(' and the ');
  const { longSecs, budgetShare } = longest;
  const message = `is too low for the ${paces} burn alert: ${durationText(longSecs * 1000)} of downtime use less than ${budgetShare * 100} % of the error budget`;
  const cure = reachableSlo(hardest, slo);
  yield warning(
    [...path, 'slo_uptime'],
    message,
    `raise it to ${cure.uptimePercent}, or lower slo_window_days to ${cure.windowDays}`,
  );
}

export function* checkCommand(command: readonly string[] | undefined, path: Path): Generator<ConfigFinding> {
  if (command === undefined || isInsidePath(command[0] ?? '')) return;
  const message = 'must be a program in the folder of plugins, see exec_dir of [probes]';
  yield failure([...path, 'command', 0], message, 'write its name, without / before it and without ..');
}

function isInsidePath(word: string): boolean {
  return word !== '' && word !== '.' && !word.startsWith('/') && !word.split('/').includes('..');
}

/** Both families can only be asked of a name, and not through a proxy, which resolves it on its own. */
function* checkDualStack(monitor: MonitorDraft, path: Path): Generator<ConfigFinding> {
  if (!('dual_stack' in monitor && monitor.dual_stack)) return;
  const at = [...path, 'dual_stack'];
  if (monitor.kind === 'http' && typeof monitor.proxy === 'string') {
    yield failure(at, 'cannot go with proxy', 'remove one of the two');
  }
  const host = hostOf(monitor);
  if (host !== null && isIP(host) !== 0) {
    yield failure(
      at,
      'needs a host name: an address is of one family only',
      'remove it, or name the host in target',
    );
  }
}

function hostOf(monitor: MonitorDraft): string | null {
  if (!('target' in monitor)) return null;
  if (monitor.kind === 'icmp') return monitor.target;
  if (monitor.kind === 'tcp') return parseHostPort(monitor.target)?.host ?? null;
  return parseUrl(monitor.target)?.hostname.replace(/^\[|\]$/g, '') ?? null;
}

function* checkHttp(monitor: HttpDraft, path: Path): Generator<ConfigFinding> {
  const at = (key: keyof HttpDraft) => [...path, key];
  if (monitor.keyword === null && monitor.keyword_invert === true) {
    yield failure(at('keyword_invert'), 'needs a keyword', 'set keyword, or remove keyword_invert');
  }
  if (monitor.json_query === null && isGiven(monitor.json_expected)) {
    yield warning(
      at('json_expected'),
      'has no effect: there is no json_query',
      'for example json_query = "$.status"',
    );
  }
  if (monitor.number_regex === null) {
    for (const key of ['number_min', 'number_max'] as const) {
      if (isGiven(monitor[key]))
        yield failure(at(key), 'needs a number_regex', "for example number_regex = 'load: ([0-9.]+)'");
    }
  }
  const { number_min: least, number_max: most } = monitor;
  if (typeof least === 'number' && typeof most === 'number' && least > most) {
    yield failure(at('number_min'), `must not be over number_max (${most})`, 'swap the two');
  }
  if (typeof monitor.cert_pin === 'string' && monitor.target?.toLowerCase().startsWith('http:') === true) {
    yield warning(at('cert_pin'), 'has no effect: the target is not https', 'use https in target');
  }
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined;
}
