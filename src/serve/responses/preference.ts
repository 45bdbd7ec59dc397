/** Reads the Accept headers of a request (RFC 9110, section 12.5). */
import type { IncomingHttpHeaders } from 'node:http';

/** How much a client likes a media type, 0 to 1; the most specific range counts. No header: anything. */
function likingOf(accept: string | undefined, type: string): number {
  if (accept === undefined || accept.trim() === '') return 1;
  const [kind = ''] = type.split('/');
  const ranges = readList(accept);
  for (const name of [type, `${kind}/*`, '*/*']) {
    const weight = ranges.get(name);
    if (weight !== undefined) return weight;
  }
  return 0;
}

/** The names of a list with their weights (`;q=`); what is no number counts in full. */
function readList(header: string): ReadonlyMap<string, number> {
  return new Map(
    header.split(',').map((entry) => {
      const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
      const value = Number(weight);
      return [name, Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 1];
    }),
  );
}

const terminals = /^(?:curl|wget|httpie)\//i;

/**
 * Plain text for programs of the terminal and for clients that take text/plain and not text/html; everybody else gets
 * HTML. A program of the terminal that names text/html gets it.
 */
export function formFor({ accept, 'user-agent': agent = '' }: IncomingHttpHeaders): ChosenForm {
  // What browsers send needs no reading.
  if (accept?.startsWith('text/html,') === true || accept === 'text/html') return htmlByAccept;
  const names = readList(accept ?? '');
  if ((names.get('text/html') ?? 0) > 0) return htmlByAccept;
  if (likingOf(accept, 'text/html') === 0 && likingOf(accept, 'text/plain') > 0)
    return { form: 'text', isByAgent: false };
  return { form: terminals.test(agent) ? 'text' : 'html', isByAgent: true };
}

/** `isByAgent`: it depends on the name of the program, too, since it takes both. */
export interface ChosenForm {
  readonly form: 'text' | 'html';
  readonly isByAgent: boolean;
}

const htmlByAccept: ChosenForm = { form: 'html', isByAgent: false };

/** Whether an error is better shown as a page: the client names HTML, which programs do not. */
export function prefersPage({ accept = '' }: IncomingHttpHeaders): boolean {
  const names = readList(accept);
  const html = Math.max(names.get('text/html') ?? 0, names.get('application/xhtml+xml') ?? 0);
  const json = Math.max(names.get('application/problem+json') ?? 0, names.get('application/json') ?? 0);
  return html > 0 && html >= json;
}

/** Whether OpenMetrics is named, and not less liked than the plain exposition format. */
export function prefersOpenMetrics({ accept = '' }: IncomingHttpHeaders): boolean {
  const names = readList(accept);
  const open = names.get('application/openmetrics-text') ?? 0;
  return open > 0 && open >= (names.get('text/plain') ?? 0);
}

/** Without the header, nothing is packed: a client that can unpack says so. */
export function takesGzip({ 'accept-encoding': header }: IncomingHttpHeaders): boolean {
  if (typeof header !== 'string') return false;
  // The values that nearly all clients send need no parsing.
  if (!header.includes(';') && /(?:^|,) *gzip *(?:,|$)/.test(header)) return true;
  const names = readList(header);
  return (names.get('gzip') ?? names.get('x-gzip') ?? names.get('*') ?? 0) > 0;
}
