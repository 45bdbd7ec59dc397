/** Asks the registry of a domain when its registration expires (RDAP, RFC 9082 and RFC 9083). */
import { withDeadline } from '../net/deadline.ts';
import { type FetchTools, fetchJson } from './domain-fetch.ts';
import { readBootstrap, readExpiry, registryOf, type Service } from './domain-rdap.ts';
import { printable } from '../net/faults.ts';
import type { ProbeContext } from './probe-context.ts';

/** What a registry says of a domain; an unknown expiry says nothing of the domain itself. */
export type DomainExpiry =
  /** Epoch milliseconds. */
  | { readonly kind: 'known'; readonly expiresAt: number }
  /** One sentence. */
  | { readonly kind: 'unknown'; readonly message: string };

export type DomainProbe = (domain: string, ctx: ProbeContext) => Promise<DomainExpiry>;

export interface DomainProbeOptions {
  /** Where the registries of all top-level domains are listed (RFC 9224). */
  readonly bootstrapUrl?: string;
  readonly timeoutMs?: number;
}

const ianaBootstrap = 'https://data.iana.org/rdap/dns.json';
const rememberedMs = 24 * 60 * 60 * 1000;

/**
 * Remembers the list of registries for a day, and for longer while it cannot be had anew. The probe rejects
 * only when `ctx.signal` is aborted, with its reason.
 */
export function createDomainProbe(options: DomainProbeOptions = {}): DomainProbe {
  const { bootstrapUrl = ianaBootstrap, timeoutMs = 30_000 } = options;
  let remembered: { readonly list: readonly Service[]; readonly readAt: number } | null = null;

  const services = async (tools: FetchTools): Promise<readonly Service[]> => {
    const now = tools.deadline.clock.monotonic();
    if (remembered !== null && now - remembered.readAt < rememberedMs) return remembered.list;
    try {
      remembered = { list: readBootstrap(await fetchJson(bootstrapUrl, tools)), readAt: now };
    } catch (error) {
      if (remembered === null || tools.deadline.signal.aborted) throw error;
    }
    return remembered.list;
  };

  return async (domain, ctx) => {
    const { clock, signal } = ctx;
    const name = domain.toLowerCase().replace(/\.$/, '');
    try {
      return await withDeadline({ clock, signal, timeoutMs }, async (deadline) => {
        const tools = { ctx, deadline };
        const base = registryOf(name, await services(tools));
        if (base === null) throw new Error('its registry has no RDAP service');
        const url = new URL(`domain/${name}`, base.endsWith('/') ? base : `${base}/`);
        const expiresAt = readExpiry(await fetchJson(url.href, tools));
        if (expiresAt === null) throw new Error('its registry does not say');
        return { kind: 'known', expiresAt };
      });
    } catch (error) {
      signal.throwIfAborted();
      const why = printable(error instanceof Error ? error.message : String(error), 400);
      return { kind: 'unknown', message: `the expiry date of ${name} is unknown: ${why}` };
    }
  };
}
