/** A commented configuration that shows every setting. */
import { defaultText, tomlText } from './default-text.ts';
import type { ConfigRow } from './row.ts';
import { topRows } from './rows/top.ts';
import {
  allSections,
  heading,
  tablesOf,
  type PlainSection,
  type ConfigSection,
  type VariedSection,
} from './sections.ts';

/** What stands in the example without a comment sign, by kind of monitor: it is what the example watches. */
const live: Readonly<Record<string, readonly string[]>> = {
  http: ['id', 'name', 'target'],
  dns: ['id', 'name', 'kind', 'target'],
};

/** Ids and names in the example. Other rows of it refer to `database` and to the channel `ops`. */
const monitorNames: Readonly<Record<string, readonly [id: string, name: string]>> = {
  http: ['website', 'Website'],
  tcp: ['database', 'Database'],
  icmp: ['gateway', 'Gateway'],
  dns: ['domain', 'Domain'],
  push: ['nightly-backup', 'Nightly backup'],
  exec: ['disk', 'Disk'],
};

const introduction = [
  'The configuration of statusd.',
  '',
  'Settings after a # are commented out: they show their default, or an example if they have none.',
  '`statusd check --config-only` checks this file; statusd.toml(5) describes every setting.',
  '',
  'In strings, ${NAME} is the value of an environment variable, ${NAME:-text} has a default, $$ is a literal $.',
  'Variables may also be set in statusd.env and .env beside this file; the environment takes precedence.',
  'A setting that holds a secret can be read from a file: auth_token_file = "/run/secrets/token".',
];

/** The text of the example. It loads as it is; with every `#` before a setting removed it loads, too. */
export function exampleConfig(): string {
  const parts = allSections.flatMap((section) =>
    'by' in section ? variedParts(section) : [plainPart(section)],
  );
  return `${[prose(introduction), ...topParts(), ...parts].join('\n\n')}\n`;
}

/** What stands above all tables. */
function topParts(): readonly string[] {
  return Object.entries(topRows).map(([key, row]) => `${explain(row)}\n#${key} = ${sample(row)}`);
}

function plainPart(section: PlainSection): string {
  // A heading alone would switch something on, or be a table without its required keys.
  const isLive = !section.isList && section.isSwitch !== true;
  return [
    title(section.name),
    prose([section.doc]),
    `${isLive ? '' : '#'}${heading(section)}`,
    ...Object.entries(section.rows).map(([key, row]) => `${explain(row)}\n#${key} = ${sample(row)}`),
  ].join('\n');
}

/** The first table documents what all share; the others only what is their own. */
function variedParts(section: VariedSection): readonly string[] {
  const seen = new Set<ConfigRow<unknown, unknown>>();
  const tables = tablesOf(section);
  const isEverywhere = (key: string) => tables.every(([, rows]) => Object.hasOwn(rows, key));
  const isExplained = (key: string, { doc }: ConfigRow<unknown, unknown>) =>
    isEverywhere(key) && tables[0]?.[1][key]?.doc === doc;
  const parts = tables.map(([name, rows], index) => {
    const variant = name ?? '';
    const entries = Object.entries(rows);
    const news = entries.filter(([key, row]) => !seen.has(row) || key === 'id' || key === 'name');
    const known = entries.filter(([key, row]) => seen.has(row) && !isEverywhere(key)).map(([key]) => key);
    for (const [, row] of entries) seen.add(row);
    const shown = section.name === 'monitors' ? (live[variant] ?? []) : [];
    const lines = news.map(([key, row]) => {
      const value = nameIn(section, variant, key) ?? sample(row);
      const line = `${shown.includes(key) ? '' : '#'}${key} = ${value}`;
      return isExplained(key, row) && index > 0 ? line : `${explain(row)}\n${line}`;
    });
    return [
      prose([
        `${section.by} ${variant}`,
        ...(known.length === 0 ? [] : [`Also available, as described above: ${known.join(', ')}.`]),
      ]),
      `${shown.length > 0 ? '' : '#'}${heading(section)}`,
      ...lines,
    ].join('\n');
  });
  return [[title(section.name), prose([section.doc])].join('\n'), ...parts];
}

function nameIn(section: ConfigSection, variant: string, key: string): string | null {
  if (section.name === 'monitors') {
    const [id, name] = monitorNames[variant] ?? [variant, variant];
    return key === 'id' ? tomlText(id) : key === 'name' ? tomlText(name) : null;
  }
  if (key !== 'name') return null;
  if (section.name === 'outputs') return tomlText(variant);
  return tablesOf(section)[0]?.[0] === variant ? '"ops"' : tomlText(`ops-${variant}`);
}

/** The default where it is a value that says something, else the example. */
function sample({ fallback, example }: ConfigRow<unknown, unknown>): string {
  if (fallback.kind !== 'value') return example;
  const text = defaultText(fallback);
  return ['none', '[]', '{}', '""'].includes(text) ? example : text;
}

function explain({ doc, fallback }: ConfigRow<unknown, unknown>): string {
  switch (fallback.kind) {
    case 'required':
      return prose([`${doc} Required.`]);
    case 'inherited':
    case 'computed':
      return prose([`${doc} Default: ${defaultText(fallback)}.`]);
    case 'value':
      return prose([doc]);
  }
}

function title(name: string): string {
  return `# ${`-- ${name} `.padEnd(76, '-')}`;
}

/** Comment lines of at most 100 columns. */
function prose(paragraphs: readonly string[]): string {
  return paragraphs.flatMap((paragraph) => wrap(paragraph).map((line) => `# ${line}`.trimEnd())).join('\n');
}

function wrap(paragraph: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(' ')) {
    if (line !== '' && line.length + word.length > 97) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
