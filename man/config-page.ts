/** Writes statusd.toml(5), the page about the configuration. */
import {
  configReference,
  type SectionReference,
  type SettingReference,
  topReference,
} from '../src/engine/config/reference.ts';
import { eventSection } from './events.ts';
import { head, sectionOf, seeAlso } from './frame.ts';
import { mdocArgument, mdocParagraph, mdocProse } from './mdoc.ts';

export function configPage(): string {
  return `${[
    ...head({ name: 'statusd.toml', section: 5, phrase: 'configuration of statusd' }),
    ...sectionOf('DESCRIPTION', [
      ...mdocProse(about),
      '.Ss Location',
      ...mdocProse(places),
      '.Ss Variables and secrets',
      ...mdocProse(secrets),
      '.Ss Several files',
      ...mdocProse(files),
      ...settingList(topReference()),
      '.Ss Reading this page',
      ...mdocProse(reading),
    ]),
    ...configReference().flatMap((section) =>
      sectionOf(`${section.name.toUpperCase()} SECTION`, sectionLines(section)),
    ),
    ...eventSection(),
    ...sectionOf('ENVIRONMENT', [
      '.Bl -tag -width Ds',
      ...environment.flatMap(([name, text]) => [`.It Ev ${name}`, ...mdocParagraph(text)]),
      '.El',
    ]),
    ...sectionOf('EXAMPLES', mdocProse(examples)),
    ...seeAlso([
      ['statusd', 1],
      ['statusd-check', 1],
      ['statusd-init', 1],
      ['statusd-schema', 1],
    ]),
  ].join('\n')}\n`;
}

const about = `
  The configuration of statusd is a TOML file of at most 64 MiB. It defines what is monitored, who is notified, and
  when. Every setting is either optional or marked as required here; a file with one monitor is enough.

  A key that is not on this page is an error, as is an invalid value. All errors of a file are reported
  at once, each with its line and the nearest known key. \`statusd check --config-only\` checks a file,
  \`statusd init\` creates one, and \`statusd schema\` prints a schema for editors.
`;

const places = `
  The first of these is read: the file given with \`--config\`, the file named by \`STATUSD_CONFIG\`,
  \`statusd.toml\` in the working directory, \`statusd/statusd.toml\` in \`$XDG_CONFIG_HOME\` (by default
  \`~/.config\`), and \`/etc/statusd/statusd.toml\`.
`;

const secrets = `
  In strings, and only there, \`\${NAME}\` is replaced by the environment variable NAME; \`\${NAME:-text}\` has a
  default for a variable that is unset or empty. \`$$\` is a literal \`$\`, as is any \`$\` without a brace after
  it. Variables are replaced after the file is parsed, so a value cannot add settings.

  A variable that is not set in the environment is read from \`statusd.env\`, then from \`.env\`, both in the
  folder of the configuration: lines of \`NAME=value\`, where the value may be quoted. \`statusd import\`
  writes secrets to \`statusd.env\`, with mode 0600. When one of these files changes, the daemon reloads the configuration.
  \`STATUSD_BIND\`, \`STATUSD_DATABASE\`, \`STATUSD_STORAGE_URL\`, \`STATUSD_NODE\` and
  \`STATUSD_EXEC_DIR\` may be set there, too; \`STATUSD_CONFIG\` and \`STATUSD_TOKEN\` only in the environment.

  An unset variable is an empty string. A secret that is empty or blank disables its channel, with a warning;
  such an access token is an error.

  Every setting that holds a secret has a twin ending in \`_file\`, which reads the secret from a
  file instead: \`auth_token_file = "/run/secrets/token"\`. A relative path starts from the folder of the
  configuration, and only one of the two can be set. Secrets are never printed, logged or shown in an error.
`;

const files = `
  To split the configuration, for example between teams, list further files in the main file, above its
  first table: \`include = ["conf.d/*.toml"]\`. They may contain \`[[monitors]]\`, \`[[channels]]\` and
  \`[[maintenance]]\`; everything else, including \`include\`, belongs in the main file. The main file is read first, then
  the others in the order of \`include\`; files that match a pattern are sorted by name. A file is read once, even if it
  is listed several times, and a pattern skips the main file.

  A path without \`*\` and \`?\` must exist; a pattern may match nothing, and does not match names that begin with a dot.
  Ids and names must be unique across all files. Variables, \`statusd.env\` and paths work alike in all of them: relative
  paths start from the folder of the main file. All files together may have at most 64 MiB. The daemon reloads the
  configuration as a whole when one of the files changes, appears or disappears; while one of them has an error, the
  previous configuration stays in effect.
`;

const reading = `
  Each setting is followed by its possible values, an example if the format needs one, its default if it has
  one, and its twin if it is a secret. Settings of \`[[monitors]]\` depend on \`kind\` and settings of \`[[channels]]\` on
  \`type\`; those common to all come first.

  Durations are numbers with their unit in the name of the key: \`_secs\`, \`_ms\`, \`_days\`. Dates and times are
  RFC 3339 strings, or TOML date-times, with an offset.
`;

const environment = [
  ['STATUSD_CONFIG', 'The configuration file, when `--config` does not name it.'],
  ['STATUSD_BIND', 'Takes precedence over `bind` in `[server]`.'],
  ['STATUSD_DATABASE', 'Takes precedence over `database_path` in `[server]`.'],
  ['STATUSD_STORAGE_URL', 'Takes precedence over `url` in `[storage]`, and works without that table.'],
  ['STATUSD_NODE', 'Takes precedence over `id` in `[node]`.'],
  [
    'STATUSD_EXEC_DIR',
    'Takes precedence over `exec_dir` in `[probes]`: the folder of the plugins for monitors and channels of type exec.',
  ],
] as const;

const examples = `
  A minimal configuration:

      [[monitors]]
      id = "website"
      target = "https://example.com"

  An API that depends on a database. When the database is down, one message is sent, about the database, and it lists
  the API as impacted. Messages go to a private ntfy topic; its token comes from the environment:

      [[channels]]
      name = "phone"
      type = "ntfy"
      url = "https://ntfy.example.com/alerts"
      token = "\${NTFY_TOKEN}"

      [[monitors]]
      id = "database"
      kind = "tcp"
      target = "db.example.com:5432"

      [[monitors]]
      id = "api"
      target = "https://api.example.com/health"
      headers = { Authorization = "Bearer \${API_TOKEN}" }
      json_query = "$.status"
      json_expected = "ok"
      degraded_over_ms = 800
      depends_on = ["database"]

  A nightly job that must send its heartbeat by 03:30 UTC:

      [[monitors]]
      id = "backup"
      kind = "push"
      push_token = "\${BACKUP_TOKEN}"
      schedule = "0 3 * * *"
      grace_secs = 1800

  A weekly digest, and a maintenance window:

      [digest]
      schedule = "0 8 * * 1"

      [[maintenance]]
      title = "Database upgrade"
      start = 2026-12-01T22:00:00Z
      end = 2026-12-01T23:00:00Z
      monitors = ["database", "api"]
`;

function sectionLines(section: SectionReference): string[] {
  const { by, heading, settings, doc } = section;
  const shared = settings.filter(({ fits }) => fits === null);
  return [
    ...mdocParagraph(`\`${heading}\`: ${doc}`),
    ...settingList(shared),
    ...byFit(settings).flatMap(([fits, own]) => [
      `.Ss ${[heading, 'of', by ?? '', ...fits].map(mdocArgument).join(' ')}`,
      ...settingList(own),
    ]),
  ];
}

/** Settings that do not fit every variant, by the variants that they fit: \`http\`, \`http, tcp\`. */
function byFit(settings: readonly SettingReference[]): [fits: string[], settings: SettingReference[]][] {
  const groups = new Map<string, SettingReference[]>();
  for (const setting of settings) {
    if (setting.fits === null) continue;
    const name = listed(setting.fits);
    groups.set(name, [...(groups.get(name) ?? []), setting]);
  }
  return [...groups].map(([name, own]) => [name.split(' '), own]);
}

function settingList(settings: readonly SettingReference[]): string[] {
  return [
    '.Bl -tag -width Ds',
    ...settings.flatMap((setting) => [
      `.It Cm ${mdocArgument(setting.key)}`,
      ...mdocParagraph(sentence(setting)),
    ]),
    '.El',
  ];
}

function sentence(setting: SettingReference): string {
  const { key, doc, type, default: fallback, isSecret } = setting;
  const twin = isSecret ? [`Twin: \`${key}_file\`.`] : [];
  return [doc, `Value: ${type}.`, ...exampleSentence(setting), ...defaultSentence(fallback), ...twin].join(
    ' ',
  );
}

/** What these are is written as everybody expects. */
const plainType =
  /^(?:text$|text or|text,|true or false|an integer|a number|one of|a path$|an id$|host:port$|a URL with http or https$)/;

function exampleSentence({ type, example, default: fallback }: SettingReference): string[] {
  return plainType.test(type) || example === fallback ? [] : [`Example: \`${example}\`.`];
}

function defaultSentence(fallback: string): string[] {
  if (fallback === 'required') return ['Required.'];
  if (fallback === 'none') return [];
  const isValue = /^(?:["{]|\[(?!alerts|health)|-?\d+(?:\.\d+)?$|true$|false$)/.test(fallback);
  return [`Default: ${isValue ? `\`${fallback}\`` : fallback}.`];
}

function listed(words: readonly string[]): string {
  if (words.length === 1) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}
