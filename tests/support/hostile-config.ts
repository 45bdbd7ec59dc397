/** A configuration that says hostile things wherever it may say anything. */
import { hasControlCode } from '../../src/engine/config/types/text.ts';
import { pageCount, type HostileServers } from './hostile-servers.ts';
import { volleys } from './hostile-text.ts';
import type { FakePeer } from './fake-peer.ts';

/** What the loader takes: bidi, invisible characters, separators and tabs, but no control codes. */
export const isTaken = (text: string) => !hasControlCode(text) && !/\p{Cs}/u.test(text);

/** As a TOML string: JSON's escapes are TOML's too, but for halves of pairs. DEL has to be escaped. */
export const toml = (text: string) =>
  JSON.stringify(text.replace(/\p{Cs}/gu, '')).replaceAll('\u007f', '\\u007f');

const named = (mark: string) => volleys(mark, 60, isTaken);
export const names = named('name');
const groups = named('group');

export const operatorToken = 'the-token-of-the-operator';
export const pushToken = 'the-token-of-the-job';

/** Ids of the push monitors, which say what they are told to. */
export const jobs = ['job', 'job-2', 'job-3'] as const;

/** `database` is relative to the file. Nothing in it waits longer than two seconds. */
export function hostileConfig(servers: HostileServers, peers: readonly FakePeer[]): string {
  const { web, secure, mail, dns } = servers;
  const pages = Array.from({ length: pageCount }, (_, index) => index);
  const probed = [
    ...pages.map((page) => `target = "${web.origin}/reason/${page}"`),
    ...pages.map((page) => `target = "${web.origin}/header/${page}"\nkeyword = ${toml(names[0] ?? '')}`),
    `target = "${web.origin}/bytes"`,
    `target = "${web.origin}/away/0"`,
    `target = "${web.origin}/api/x"\njson_query = "$.x"\njson_expected = ${toml(names[0] ?? '')}`,
    `target = "https://127.0.0.1:${secure.port}/"\ntls_ca_file = "ca.pem"`,
    `target = "https://127.0.0.1:${secure.port}/"\nheaders = { X-Said = "word" }\nbody = ${toml(names[0] ?? '')}`,
    `kind = "tcp"\ntarget = "127.0.0.1:${mail.port}"\nstarttls = "smtp"`,
    `kind = "dns"\ntarget = "txt.example.com"\ndns_record = "TXT"\ndns_expected = "other"\ndns_resolver = "${dns}"`,
    `kind = "dns"\ntarget = "alias.example.com"\ndns_record = "CNAME"\ndns_expected = "other"\ndns_resolver = "${dns}"`,
    `kind = "exec"\ncommand = ["say", ${toml(names[0] ?? '')}]`,
  ].map((lines, index) => monitor(`m${index}`, `${lines}\ninterval_secs = 2`, index));
  return [
    '[server]\nbind = "127.0.0.1:0"\ndatabase_path = "statusd.db"\nrate_limit_burst = 10000',
    `auth_token = "${operatorToken}"`,
    `[page]\ntitle = ${toml(names[1 % names.length] ?? '')}`,
    '[alerts]\nfail_threshold = 1\ngroup_window_secs = 0',
    '[health]\nid = "here"',
    `[digest]\nnotify = [${toml(channelName(0))}]`,
    ...turns(),
    ...channels(web.origin),
    ...notices(),
    ...peers.map(peer),
    ...probed,
    ...jobs.map((id, index) =>
      monitor(id, `kind = "push"\npush_token = "${pushToken}"\ninterval_secs = 300`, index),
    ),
  ].join('\n');
}

function channelName(index: number): string {
  return `channel${index} ${names[index % names.length] ?? ''}`;
}

function channels(origin: string): string[] {
  const lines = [
    `type = "webhook"\nurl = "${origin}/problem/0"`,
    `type = "telegram"\ntoken = "123:telegram"\nchat_id = "1"\napi_url = "${origin}/problem/1"`,
    `type = "slack"\nwebhook_url = "${origin}/problem/2"`,
  ];
  return lines.map((more, index) => `[[channels]]\nname = ${toml(channelName(index))}\n${more}`);
}

function turns(): string[] {
  return names.map((name, index) => {
    const members = `[${toml(channelName(0))}, ${toml(channelName(1))}]`;
    return `[[rotations]]\nname = ${toml(`turns${index} ${name}`.slice(0, 190))}\nmembers = ${members}\nevery = "7d"\nfrom = "2026-01-05T09:00:00Z"`;
  });
}

function notices(): string[] {
  return names.flatMap((name) => [
    `[[incidents]]\ntitle = ${toml(`notice ${name}`.slice(0, 190))}\nbody = ${toml(name)}`,
    `[[maintenance]]\ntitle = ${toml(`window ${name}`.slice(0, 190))}\nstart = "2020-01-01T00:00:00Z"\nend = "2020-01-02T00:00:00Z"`,
  ]);
}

function peer({ origin }: FakePeer, index: number): string {
  const name = toml(`peer ${names[index % names.length] ?? ''}`.slice(0, 190));
  return (
    `[[peers]]\nid = "peer${index}"\nname = ${name}\nping_url = "${origin}/api/push/here"\n` +
    `ping_token = "the-token-of-peers"\nlisten_token = "${pushToken}"\nexpect_every_secs = 60`
  );
}

function monitor(id: string, lines: string, index: number): string {
  const name = toml(names[index % names.length] ?? '');
  const group = toml(groups[index % groups.length] ?? '');
  return (
    `[[monitors]]\nid = "${id}"\nname = ${name}\ngroup = ${group}\n${lines}\n` +
    `timeout_secs = 20\nprobe_retries = 0\nslo_uptime = 99`
  );
}
