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
      '.Ss Where it is looked for',
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
  The configuration of statusd is a TOML file of at most 64 MiB. It says what is watched, who is notified, and
  when. Every setting has a default or is named as required here; a file with one monitor is enough.

  A key that is not on this page is an error, as is a value that does not fit. All errors of a file are reported
  at once, each with its line and the nearest known key. \`statusd check --config-only\` looks for them,
  \`statusd init\` writes a file to begin with, and \`statusd schema\` prints a schema for editors.
`;

const places = `
  The first that applies is read: the file that \`--config\` names, the file that \`STATUSD_CONFIG\` names,
  \`statusd.toml\` in the working directory, \`statusd/statusd.toml\` in \`$XDG_CONFIG_HOME\` or else in
  \`~/.config\`, and \`/etc/statusd/statusd.toml\`.
`;

const secrets = `
  In strings, and only there, \`\${NAME}\` stands for the environment variable NAME and \`\${NAME:-text}\` for
  the same with a default for when it is unset or empty. \`$$\` is a plain \`$\`, and so is any other \`$\` that
  no brace follows. Variables are put in after the file was parsed, so that no value can add a setting.

  Where a variable is not set in the environment, it is looked for in \`statusd.env\` and then in \`.env\`, both in the
  folder of the configuration: lines of \`NAME=value\`, where a value may stand in quotation marks. \`statusd import\`
  writes secrets to \`statusd.env\`, with mode 0600. A change of these files is taken up like one of the configuration.

  An unset variable is the empty text. In the secret of a channel that switches the channel off, with a
  warning; where a token protects something it is an error.

  A setting that holds a secret has a twin with \`_file\` at the end of its name, which reads the secret from a
  file instead: \`auth_token_file = "/run/secrets/token"\`. The path starts from the folder of the
  configuration, and only one of the two can be given. Secrets are never printed, logged or shown in an error.
`;

const files = `
  One file is enough. Where several people or programs each keep a part, the main file names further files above its
  first table: \`include = ["conf.d/*.toml"]\`. They may have \`[[monitors]]\`, \`[[channels]]\` and
  \`[[maintenance]]\`; everything else, \`include\` too, is for the main file alone. The order is that of
  \`include\`, behind the main file, and files that a pattern matches are sorted by name. A file is read once, however
  often it is named, and a pattern leaves out the main file.

  A path without \`*\` and \`?\` must exist; a pattern may match nothing, and matches no name that begins with a dot.
  Ids and names are unique among all files. Variables, \`statusd.env\` and paths mean the same in all of them: relative
  paths start from the folder of the main file. All files together have at most 64 MiB. A running daemon takes up a change
  of any of them, a new file and one that is gone, as a whole; while one of them has an error, everything stays as it was.
`;

const reading = `
  Each setting is followed by the values that it takes, an example where its form needs one, its default if it has
  one, and its twin if it is a secret. Settings of \`[[monitors]]\` depend on \`kind\` and settings of \`[[channels]]\` on \`type\`: those
  that all of them have come first.

  Durations are numbers whose unit is in the name of the key: \`_secs\`, \`_ms\`, \`_days\`. Dates and times are
  strings in the form of RFC 3339, or TOML date-times, with an offset.
`;

const environment = [
  ['STATUSD_CONFIG', 'The configuration file, when `--config` does not name it.'],
  ['STATUSD_BIND', 'Takes precedence over `bind` in `[server]`.'],
  ['STATUSD_DATABASE', 'Takes precedence over `database_path` in `[server]`.'],
  ['STATUSD_STORAGE_URL', 'Takes precedence over `url` in `[storage]`, and is enough without that table.'],
  ['STATUSD_NODE', 'Takes precedence over `id` in `[node]`.'],
  [
    'STATUSD_EXEC_DIR',
    'The folder of the plugins that monitors of kind exec and channels of type exec run. Without it none is run.',
  ],
] as const;

const examples = `
  The least there can be:

      [[monitors]]
      id = "website"
      target = "https://example.com"

  An API with a database behind it. When the database is down, only its own message is sent, and it names
  the API. Messages go to a private ntfy topic, whose token is kept out of the file:

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

  A nightly job that must report by 03:30 UTC:

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
