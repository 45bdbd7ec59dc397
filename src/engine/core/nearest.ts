/** Finds the known word that another one was most likely meant to be. */

/** Protocols that statusd does not speak; a connection to their port is checked. */
const protocolsOverTcp =
  `amqp ftp ftps imap imaps kafka ldap ldaps mariadb memcached mongo mongodb mqtt mssql mysql pop3
  pop3s port postgres postgresql rabbitmq redis sftp smtps socket ssh submission telnet tls`.split(/\s+/);

/** Words of other programs, and the words for them here. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(protocolsOverTcp.map((protocol) => [protocol, ['tcp']])),
  address: ['target'],
  endpoint: ['target'],
  every: ['interval_secs'],
  frequency: ['interval_secs'],
  heartbeat: ['push'],
  host: ['target'],
  hostname: ['target'],
  https: ['http'],
  keyword: ['http'],
  kind: ['type'],
  mail: ['email'],
  msteams: ['teams'],
  period: ['interval_secs'],
  ping: ['icmp'],
  script: ['exec'],
  sms: ['twilio'],
  smtp: ['email', 'tcp'],
  type: ['kind'],
  url: ['target'],
};

/** Whether people who write `word` may mean `known`. */
export function mayMean(word: string, known: string): boolean {
  return Object.hasOwn(otherWords, word) && otherWords[word]?.includes(known) === true;
}

/**
 * The known word that other programs call `word`, else the one nearest to `word`, or null when none is near enough to suggest: at most a third of the
 * letters may differ, counting insertions, deletions, replacements and swapped neighbours. Of equally near
 * words the first wins. Failing that, the first whose beginning it is, up to an underscore: `timeout` for `timeout_secs`.
 */
export function nearest(word: string, known: readonly string[]): string | null {
  const meant = known.find((candidate) => mayMean(word, candidate));
  if (meant !== undefined) return meant;
  let best: string | null = null;
  let bestDistance = Infinity;
  for (const candidate of known) {
    const limit = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
    if (Math.abs(word.length - candidate.length) > limit) continue;
    const steps = distance(word, candidate);
    if (steps <= limit && steps < bestDistance) {
      best = candidate;
      bestDistance = steps;
    }
  }
  return best ?? known.find((candidate) => word.length >= 3 && candidate.startsWith(`${word}_`)) ?? null;
}

/** Optimal string alignment: the Levenshtein distance, with swapped neighbours as one step. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let steps = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + cost,
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        steps = Math.min(steps, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(steps);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
