/** Writes statusd(1), the page about the whole program. */
import { exitCodes, type ExitName } from '../src/commands/exit.ts';
import { exitMeanings } from '../src/commands/help/describe.ts';
import type { Manual } from '../src/commands/help/page.ts';
import { categoriesOf } from '../src/commands/help/root-help.ts';
import { exitList, optionList } from './command-page.ts';
import { head, sectionOf, seeAlso } from './frame.ts';
import { mdocArgument, mdocParagraph, mdocProse } from './mdoc.ts';

export function overview(manual: Manual): string {
  const words = [...new Set(manual.pages.map(({ words: [first = ''] }) => first))];
  return `${[
    ...head({ name: 'statusd', section: 1, phrase: 'uptime monitor and public status page' }),
    ...sectionOf('SYNOPSIS', [
      '.Nm',
      '.Op Ar command',
      '.Op Ar options',
      '.Nm',
      '.Cm help',
      '.Op Ar command',
      '.Nm',
      '.Fl \\-version',
    ]),
    ...sectionOf('DESCRIPTION', [...mdocProse(about), '.Pp', 'The commands are:', ...commandList(manual)]),
    ...optionSection(manual),
    ...sectionOf('ENVIRONMENT', tagged('Ev', environment)),
    ...sectionOf('FILES', tagged('Pa', files)),
    ...sectionOf('EXIT STATUS', [...exitList({ exits: allExits() })]),
    ...sectionOf('EXAMPLES', mdocProse(examples)),
    ...seeAlso([...words.map((word): [string, number] => [`statusd-${word}`, 1]), ['statusd.toml', 5]]),
  ].join('\n')}\n`;
}

const about = `
  statusd watches web sites, ports, hosts, name servers and jobs, and says which of them are down and why. A
  failed probe is tried again before it counts, and what this host could not find out, through a fault of its
  own, is unknown and never down.

  What is watched is written in one file, which statusd.toml(5) describes. Results go to standard output and
  messages to standard error, so that the one can be read by a program while the other is read by a person.
  A secret is never the value of an option: it comes from the configuration, from an environment variable or
  from a file.
`;

const environment: readonly Entry[] = [
  ['STATUSD_CONFIG', 'The configuration file, when `--config` does not name it.'],
  ['STATUSD_BIND', 'Takes precedence over `bind` in `[server]`.'],
  ['STATUSD_DATABASE', 'Takes precedence over `database_path` in `[server]`.'],
  ['STATUSD_STORAGE_URL', 'Takes precedence over `url` in `[storage]`, and is enough without that table.'],
  ['STATUSD_NODE', 'Takes precedence over `id` in `[node]`.'],
  [
    'STATUSD_EXEC_DIR',
    'Takes precedence over `exec_dir` in `[probes]`: the folder of the plugins for monitors of kind exec and channels of type exec.',
  ],
  ['STATUSD_TOKEN', 'The access token of the server that `statusd top --url` reads.'],
  [
    'SSL_CERT_FILE',
    'A PEM file of the authorities that are trusted over TLS besides those of Node.js; without it, the bundle of the distribution, such as `/etc/ssl/certs/ca-certificates.crt`. It holds for monitors, channels, peers and registries, and is read once.',
  ],
  ['NODE_EXTRA_CA_CERTS', 'A PEM file of authorities to trust besides all others. It is read once.'],
  ['XDG_CONFIG_HOME', 'Where the configuration of the user is; `~/.config` when it is not set.'],
  ['NO_COLOR', 'When it is not empty, output has no colour.'],
  [
    'FORCE_COLOR',
    'When it is not empty, output has colour even when it does not go to a terminal; `0` and `false` mean the opposite. It beats `NO_COLOR`, and `--no-color` beats both.',
  ],
  [
    'TERM',
    'When it is `dumb`, output has no colour. With `COLORTERM` it says whether `statusd top` has 256 colours or 16.',
  ],
  ['COLUMNS', 'How wide `statusd top` prints its table where there is no terminal; 160 without it.'],
  [
    'LC_ALL',
    'With `LC_CTYPE` and `LANG`: marks are drawn in Unicode where the locale is UTF-8, else in ASCII.',
  ],
];

const files: readonly Entry[] = [
  ['./statusd.toml', 'The configuration, looked for first.'],
  ['$XDG_CONFIG_HOME/statusd/statusd.toml', 'The configuration of the user.'],
  ['/etc/statusd/statusd.toml', 'The configuration of the host, looked for last.'],
];

const examples = `
  Look at a site, write a configuration for it, then probe what it says:

      statusd init https://example.com
      statusd check

  Use it as the last step of a deployment, with annotations on the page of the run:

      statusd check --format github

  Show the options and examples of a command:

      statusd help check
`;

type Entry = readonly [name: string, text: string];

function commandList(manual: Manual): string[] {
  return [
    '.Bl -tag -width Ds',
    ...categoriesOf(manual.pages).flatMap(([, pages]) =>
      pages.flatMap(({ words, summary }) => [
        `.It Cm ${words.map(mdocArgument).join(' ')}`,
        ...mdocParagraph(summary),
        `See`,
        `.Xr statusd-${words[0] ?? ''} 1 .`,
      ]),
    ),
    '.El',
  ];
}

function optionSection({ globalOptions }: Manual): string[] {
  return [
    '.Ss Options of every command',
    ...optionList(globalOptions),
    '.Pp',
    'Without a command,',
    '.Fl \\-version',
    'prints the version.',
  ];
}

function tagged(macro: 'Ev' | 'Pa', entries: readonly Entry[]): string[] {
  return [
    '.Bl -tag -width Ds',
    ...entries.flatMap(([name, text]) => [`.It ${macro} ${mdocArgument(name)}`, ...mdocParagraph(text)]),
    '.El',
  ];
}

function allExits() {
  return (Object.keys(exitCodes) as ExitName[]).map((name) => ({
    code: exitCodes[name],
    meaning: exitMeanings[name],
  }));
}
