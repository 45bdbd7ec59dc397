/** Says what a reload would change to a program. */
import { rfc3339 } from '../../engine/core/instant.ts';
import type { Altered, SettingChange } from './difference.ts';
import { isHidden } from './fingerprint.ts';
import type { Ground, PlanOutcome } from './outcome.ts';
import { plain } from './value-text.ts';

export function planJson({ file, ground, difference, impact, keptDays }: PlanOutcome) {
  const { started, stopped, restarted, unchanged, channels, peers, settings, waiting } = difference;
  return {
    config: file,
    compared_with: groundJson(ground),
    start: started.map((id) => ({ id, has_history: impact.known.has(id) })),
    stop: stopped.map((id) => ({
      id,
      open_incident: impact.open.get(id) ?? null,
      undelivered: impact.waitingOf.get(id) ?? 0,
      history_kept_days: impact.known.has(id) ? keptDays : 0,
      renamed_to: impact.renamedMonitors.get(id) ?? null,
    })),
    restart: restarted.map(({ id, changes }) => ({ id, changes: changes.map(changeJson) })),
    unchanged,
    channels: {
      add: channels.added.map((name) => ({ name })),
      remove: channels.removed.map((name) => ({
        name,
        undelivered: impact.waitingFor.get(name) ?? 0,
        renamed_to: impact.renamedChannels.get(name) ?? null,
      })),
      change: channels.changed.map(({ id: name, changes }) => ({ name, changes: changes.map(changeJson) })),
    },
    peers: {
      add: peers.added.map((id) => ({ id })),
      remove: peers.removed.map((id) => ({ id })),
      change: peers.changed.map(({ id, changes }: Altered) => ({ id, changes: changes.map(changeJson) })),
    },
    settings: settings.map(changeJson),
    needs_restart: waiting.map(changeJson),
  };
}

function groundJson(ground: Ground) {
  switch (ground.kind) {
    case 'file':
      return { kind: ground.kind, file: ground.file };
    case 'daemon':
      return { kind: ground.kind, since: rfc3339(ground.sinceAt), pid: ground.pid };
    case 'monitors':
      return { kind: ground.kind };
  }
}

function changeJson({ key, before, after }: SettingChange) {
  return { key, before: plain(before), after: plain(after), secret: isHidden(before) || isHidden(after) };
}
