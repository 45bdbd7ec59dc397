/** Every page and every answer of a server, as each class of its readers asks for it. */

export interface Ask {
  /** What is asked for, and who asks. */
  readonly what: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const accessToken = 'a-token-of-the-benchmark';
export const groupToken = 'a-token-of-a-group';
export const groupName = 'Group 1';

const monitor = 'monitor-60';
const html = { accept: 'text/html,application/xhtml+xml' };
const text = { 'user-agent': 'curl/8.5.0', accept: '*/*' };
const json = { accept: 'application/json' };
const group = encodeURIComponent(groupName);

interface Place {
  readonly target: string;
  readonly forms: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const page = { html, text };

/** `months`: as they stand in addresses. */
function placesOf(months: readonly string[]): readonly Place[] {
  return [
    { target: '/', forms: page },
    { target: `/status/${group}`, forms: page },
    { target: '/history', forms: page },
    { target: `/history?monitor=${monitor}`, forms: page },
    { target: '/history.atom', forms: { atom: {} } },
    ...months.map((month) => ({ target: `/report/${month}`, forms: page })),
    { target: `/report/${months[0] ?? ''}?group=${group}`, forms: { html } },
    { target: '/favicon.svg', forms: { svg: {} } },
    { target: '/healthz', forms: { json } },
    { target: '/metrics', forms: { text: {}, openmetrics: { accept: 'application/openmetrics-text' } } },
    { target: '/api/summary', forms: { json } },
    { target: '/api/incidents', forms: { json } },
    { target: '/api/incidents?limit=200&open=false', forms: { json } },
    { target: `/api/incidents?monitor=${monitor}`, forms: { json } },
    { target: `/api/monitors/${monitor}/latency`, forms: { json } },
    { target: `/api/monitors/${monitor}/latency?hours=720`, forms: { json } },
    { target: `/api/monitors/${monitor}/heatmap.svg`, forms: { svg: {} } },
    { target: `/api/badge/${monitor}/status`, forms: { svg: {} } },
    { target: `/api/badge/${monitor}/uptime`, forms: { svg: {} } },
    { target: '/api/openapi.json', forms: { json } },
  ];
}

const readers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  stranger: {},
  operator: { authorization: `Bearer ${accessToken}` },
};

export function asksOf(months: readonly string[]): readonly Ask[] {
  const places = placesOf(months);
  const all = Object.entries(readers).flatMap(([reader, own]) =>
    places.flatMap((place) => asksAt(place, { reader, own })),
  );
  const ofGroup = places.filter(({ target }) => target.startsWith('/status/'));
  const own = { authorization: `Bearer ${groupToken}` };
  return [
    ...all,
    ...ofGroup.flatMap((place) => asksAt(place, { reader: 'group', own })),
    // Whoever has the token in the address is a class of readers of its own.
    ...asksAt({ target: `/?token=${accessToken}`, forms: { html } }, { reader: 'operator', own: {} }),
  ];
}

function asksAt(
  { target, forms }: Place,
  { reader, own }: { readonly reader: string; readonly own: Readonly<Record<string, string>> },
): readonly Ask[] {
  return Object.entries(forms).map(([form, headers]) => ({
    what: `${target.replace(accessToken, '…')} ${form}, ${reader}`,
    target,
    headers: { 'accept-encoding': 'gzip', ...headers, ...own },
  }));
}
