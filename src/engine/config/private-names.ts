/** Finds in a text what strangers are not shown: names of private monitors and channels, hosts of targets. */
import { hostOf, isLoopback } from '../core/hosts.ts';
import type { MonitorKind } from '../core/probe.ts';
import { cleanLines, foldCase } from '../core/text.ts';

/** The settings that say what strangers are shown, and what they are not. */
export interface NamedThings {
  readonly monitors: readonly NamedMonitor[];
  readonly channels: readonly { readonly name: string }[];
  readonly rotations: readonly { readonly name: string }[];
  readonly page: { readonly title: string; readonly footer: string | null };
  readonly server: { readonly base_url: string | null };
}

interface NamedMonitor {
  readonly id: string;
  readonly name: string;
  readonly kind: MonitorKind;
  /** Absent: the kind has none. */
  readonly target?: string;
  readonly group: string | null;
  readonly description: string | null;
  readonly url: string | null;
  readonly public: boolean;
  readonly public_error_detail: boolean;
}

interface PrivateName {
  readonly kind: 'private monitor' | 'private group' | 'channel' | 'target host';
  readonly name: string;
  readonly pattern: RegExp;
}

/** A line of a text that names something private. */
export interface PrivateMention extends Pick<PrivateName, 'kind' | 'name'> {
  /** From 1. */
  readonly line: number;
}

/**
 * The private names in a text, in the order of its lines, each once a line. A name is found as a whole, whatever the case of
 * its letters. One plain word that may just as well be a common one (`api`, `database`) counts only where it is written
 * as a name: in quotes, in code, behind `monitor` or `channel`, as a channel behind `sent … on`. A name that strangers
 * are shown anyway, as that of a public monitor or in its description, is not private. All names and addresses of this
 * machine are one host, which is private only with the port or the path of a target.
 */
export function privateMentions(text: string, config: NamedThings): readonly PrivateMention[] {
  const lines = cleanLines(text).map(folded);
  const whole = lines.join('\n').replace(/\s+/g, ' ');
  let shown: readonly string[] | null = null;
  const isShown = ({ name }: PrivateName) => {
    shown ??= shownTexts(config);
    const word = wholeWord(name);
    return shown.some((each) => word.test(folded(each)));
  };
  const found = [...namesIn(whole, config)].filter((name) => lines.some((line) => name.pattern.test(line)));
  const hidden = found.filter((name) => !isShown(name));
  return lines.flatMap((line, index) => {
    const seen = new Set<string>();
    return hidden.flatMap(({ kind, name, pattern }) => {
      const key = normal(name);
      if (seen.has(key) || !pattern.test(line)) return [];
      seen.add(key);
      return [{ kind, name, line: index + 1 }];
    });
  });
}

/** The private names that occur anywhere in a text in lower case: patterns are made for these alone. */
function* namesIn(whole: string, { monitors, channels, rotations }: NamedThings): Generator<PrivateName> {
  const occurs = (name: string) => whole.includes(normal(name));
  const publicGroups = new Set(
    monitors.flatMap((one) => (one.public && one.group !== null ? [one.group] : [])),
  );
  const groups = new Set<string>();
  for (const monitor of monitors) {
    if (!monitor.public) {
      for (const name of new Set([monitor.id, monitor.name]))
        if (occurs(name))
          yield { kind: 'private monitor', name, pattern: nameIn(name, 'monitor|service|check') };
      if (monitor.group !== null && !publicGroups.has(monitor.group)) groups.add(monitor.group);
    }
    const host = hostToHide(monitor);
    if (host !== null && occurs(host)) yield { kind: 'target host', name: host, pattern: hostIn(host) };
  }
  for (const name of groups)
    if (occurs(name)) yield { kind: 'private group', name, pattern: nameIn(name, 'group') };
  for (const { name } of [...channels, ...rotations])
    if (occurs(name)) yield { kind: 'channel', name, pattern: channelIn(name) };
}

/** The host of a target without its zone; that of this machine says something only with the port or the path of the target. */
function hostToHide(monitor: NamedMonitor): string | null {
  const host = hostOfMonitor(monitor);
  if (host === null || !isOwnHost(host)) return host?.replace(/%.*$/, '') ?? null;
  const [, authority = '', path = ''] =
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#]*@)?([^/?#]*)([^?#]*)/iu.exec(monitor.target ?? '') ?? [];
  if (/:\d+$/.test(authority)) return authority;
  const bare = path.replace(/\/+$/, '');
  return bare === '' ? null : authority + bare;
}

/** Linux connects 0.0.0.0 to this machine, too. */
function isOwnHost(host: string): boolean {
  return isLoopback(host) || host === '0.0.0.0';
}

function hostOfMonitor(monitor: NamedMonitor): string | null {
  return monitor.target === undefined ? null : hostOf(monitor.kind, monitor.target);
}

/** What strangers are shown of the configuration. */
function shownTexts({ monitors, page, server }: NamedThings): readonly string[] {
  const pageHost = hostOf('http', server.base_url ?? '') ?? '';
  // The domain that the page is under is known to its readers.
  const labels = pageHost.split('.');
  const parents = labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
  const isDomain = !/^[\d.]+$|:/.test(pageHost);
  return [
    page.title,
    page.footer ?? '',
    // A page on this machine shows its port as well.
    (server.base_url ?? '').replace(/^[a-z]+:\/\//i, ''),
    ...(isDomain ? parents.flatMap((domain) => [domain, `www.${domain}`]) : []),
    ...monitors.flatMap((monitor) => {
      if (!monitor.public) return [];
      const { id, name, group, description, url } = monitor;
      // Reasons of failures name the host.
      const host = monitor.public_error_detail ? hostToHide(monitor) : null;
      return [id, name, group, description, url === null ? null : hostOf('http', url), host].filter(
        (text) => text !== null,
      );
    }),
  ];
}

/** Scripts that put no spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

function normal(name: string): string {
  return folded(name).trim().replace(/\s+/g, ' ');
}

/** One spelling for all that read alike: case, compatible characters, IPv6 addresses, and this machine with a port or a path. */
function folded(text: string): string {
  return foldCase(text)
    .replace(/(?<![\p{L}\p{N}:])[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:.]*[0-9a-f]/gu, shortAddress)
    .replace(placedHost, (host) => (isOwnHost(host.replace(/^\[|\]$/g, '')) ? 'localhost' : host));
}

/** A host before a port or a path. Programs write `::1:9900` without brackets, too. */
const placedHost = /(?<![\p{L}\p{N}_.-])(?:\[[0-9a-f:.]+\]|(?<!:)::1|[\p{L}\p{N}_.-]+)(?=:\d|\/\S)/gu;

/** `fd00:0:0::12` as `fd00::12`; what is no address of IPv6 stays. */
function shortAddress(word: string): string {
  if (!URL.canParse(`http://[${word}]/`)) return word;
  const short = new URL(`http://[${word}]/`).hostname.slice(1, -1);
  const [, high = '', low = ''] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(short) ?? [];
  if (high === '') return short;
  const value = [parseInt(high, 16), parseInt(low, 16)];
  return value.flatMap((each) => [each >> 8, each & 255]).join('.');
}

function escaped(name: string): string {
  return normal(name)
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    .replaceAll(' ', '\\s+');
}

function wholeWord(name: string): RegExp {
  const [before, after] = edges(name);
  return new RegExp(`${before}${escaped(name)}${after}`, 'iu');
}

function edges(name: string): readonly [before: string, after: string] {
  const word = '[\\p{L}\\p{N}_]';
  const isBound = (character: string) => /[\p{L}\p{N}_]/u.test(character) && !unspaced.test(character);
  const characters = Array.from(normal(name));
  return [
    isBound(characters[0] ?? '') ? `(?<!${word})` : '',
    isBound(characters.at(-1) ?? '') ? `(?!${word})` : '',
  ];
}

/** Words that texts about services use without meaning a monitor or a channel. */
const commonWords = new Set(
  `account accounts admin alert alerts archive auth backend backup backups billing blog build cache cdn chat checkout cloud
  cluster config console core customer customers dashboard data database databases deploy discord dns docs domain edge
  email emails events exchange external failover files frontend gateway google health home host hosting images infra
  internal internet intranet ipv4 ipv6 jobs login logs mail mails main matrix media messages metrics mobile monitor
  monitoring network news notifications oncall operations ops orders pager partner partners payment payments phone portal
  postgres postgresql private prod production proxy public pushover queue redis release reports router search server
  servers service services shop signup slack sms staging staff status storage store stripe support switch system systems
  team telegram test testing ticket tickets tools traffic upload uploads users video vpn web webhook website wiki worker
  workers`.split(/\s+/),
);

/** Whether a name can be nothing but a name: several words, digits or signs in it, or a long and uncommon word. */
function isDistinctive(name: string): boolean {
  const plain = name.trim().toLowerCase();
  if (unspaced.test(plain)) return Array.from(plain).length >= 2;
  if (/[^\p{L}]/u.test(plain)) return plain.length >= 4 && !commonWords.has(plain);
  return plain.length >= 5 && !commonWords.has(plain);
}

function nameIn(name: string, noun: string): RegExp {
  return isDistinctive(name) ? wholeWord(name) : new RegExp(markedAs(name, noun).join('|'), 'iu');
}

function markedAs(name: string, noun: string): readonly string[] {
  const [before, after] = edges(name);
  const word = escaped(name);
  return [
    `["'\`„“‘«»]${word}["'\`“”’«»]`,
    `\\b(?:${noun})s?:?\\s+${word}${after}`,
    `${before}${word}\\s+(?:monitor|channel)\\b`,
  ];
}

/** A channel is named where a delivery is spoken of, too: `sent … on phone`, `phone (down): …`. */
function channelIn(name: string): RegExp {
  if (isDistinctive(name)) return wholeWord(name);
  const [before, after] = edges(name);
  const word = escaped(name);
  return new RegExp(
    [
      ...markedAs(name, 'channel|rotation'),
      `\\b(?:sent|notified|notification|alert|alerted|message|paged|queued)\\b.{0,200}\\b(?:on|to)\\s+${word}${after}(?=\\s*(?:[,.;:)]|$))`,
      `${before}${word}\\s+\\([a-z_]+\\):`,
    ].join('|'),
    'iu',
  );
}

/** A host of one label that is a common word counts only with a port, in an address or in code. */
function hostIn(host: string): RegExp {
  const word = escaped(host);
  const whole = `(?<![\\p{L}\\p{N}_.-])${word}(?!\\.?[\\p{L}\\p{N}_-])`;
  if (isDistinctive(host)) return new RegExp(whole, 'iu');
  return new RegExp(`(?:://|\`)${word}(?!\\.?[\\p{L}\\p{N}_-])|${whole}:\\d`, 'iu');
}
