/** Prints how to send heartbeats to a push monitor, which cannot be probed. */
import type { PushMonitor, ServerSettings } from '../../engine/config/config.ts';
import { durationText } from '../../engine/core/duration.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { TerminalOutput } from '../terminal/output.ts';

/** The command that sends one heartbeat. The token is a variable of the shell. */
export function heartbeatLine({ id, push_token }: PushMonitor, { base_url, bind }: ServerSettings): string {
  const base =
    base_url ?? `http://${bind.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:')}`;
  const url = `${base.replace(/\/$/, '')}/api/push/${id}`;
  const token = push_token === null ? '' : ' -H "X-Push-Token: ${PUSH_TOKEN}"';
  return `curl -fsS -X POST${token} ${/^[\w/:=.,@%+-]+$/.test(url) ? url : `'${url}'`}`;
}

export function pushText(monitor: PushMonitor, server: ServerSettings, { paint }: TerminalOutput): string {
  const { id, name, schedule, timezone, interval_secs, grace_secs } = monitor;
  const due =
    schedule === null
      ? `a heartbeat is due every ${durationText(interval_secs * 1000)}`
      : `a heartbeat is due by the schedule ${cleanLine(schedule)} (${timezone})`;
  const grace = grace_secs === 0 ? '' : `, and may be ${durationText(grace_secs * 1000)} late`;
  return [
    `${paint.bold(cleanLine(id === name ? name : `${name} (${id})`))}  ${paint.dim('push')}`,
    '',
    `It is pushed, not probed: ${due}${grace}.`,
    `  ${paint.dim('$')} ${paint.cyan(cleanLine(heartbeatLine(monitor, server)))}`,
    '',
  ].join('\n');
}

export function pushJson(monitor: PushMonitor, server: ServerSettings) {
  const { id, name, kind, schedule, timezone, interval_secs, grace_secs } = monitor;
  return {
    ok: true,
    id,
    name,
    kind,
    schedule,
    timezone: schedule === null ? null : timezone,
    interval_secs,
    grace_secs,
    curl: heartbeatLine(monitor, server),
  };
}
