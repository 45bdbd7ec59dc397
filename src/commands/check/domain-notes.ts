/** Looks up the domains whose expiry monitors watch (`domain_expiry`). */
import type { Config, Monitor } from '../../engine/config/config.ts';
import type { DomainExpiry } from '../../engine/probes/domain.ts';
import { domainNote } from './assemble.ts';
import type { Note } from './report.ts';

export interface DomainLookup {
  readonly alerts: Pick<Config['alerts'], 'domain_expiry_days'>;
  readonly now: number;
  /** Rejects when the lookup is called off. */
  readonly probe: (domain: string) => Promise<DomainExpiry>;
}

/**
 * A note for each domain that expires within `alerts.domain_expiry_days` or whose registry does not say. Each
 * domain is asked for once, whatever the number of monitors on it; none when the lookup is called off.
 */
export async function domainNotes(monitors: readonly Monitor[], lookup: DomainLookup): Promise<Note[]> {
  const byDomain = new Map<string, Monitor>();
  for (const monitor of monitors) {
    const domain = 'domain_expiry' in monitor ? monitor.domain_expiry : null;
    if (domain !== null && !byDomain.has(domain)) byDomain.set(domain, monitor);
  }
  const notes = await Promise.all(
    [...byDomain].map(async ([domain, { id, name }]): Promise<Note[]> => {
      const text = await noteOn(domain, lookup).catch(() => null);
      return text === null ? [] : [{ id, name, text, position: null }];
    }),
  );
  return notes.flat();
}

async function noteOn(domain: string, { alerts, now, probe }: DomainLookup): Promise<string | null> {
  const expiry = await probe(domain);
  if (expiry.kind === 'unknown') return expiry.message;
  return domainNote(domain, { expiresAt: expiry.expiresAt, now, withinDays: alerts.domain_expiry_days });
}
