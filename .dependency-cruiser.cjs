/**
 * The folder law: data flows one way, and no folder imports from one that stands before it.
 * A folder not listed in a rule's `to` is out of reach for the folders in its `from`.
 */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `^${from}/` },
  to: { path: '^src/', pathNot: `^(${[from, ...allowed].join('|')})/` },
});

module.exports = {
  forbidden: [
    only(
      'core-stands-alone',
      'src/engine/core',
      [],
      'Values and functions that need nothing but their arguments.',
    ),
    only('config-knows-values', 'src/engine/config', ['src/engine/core'], 'Configuration is text to values.'),
    only(
      'net-asks-hosts',
      'src/engine/net',
      ['src/engine/core', 'src/engine/config'],
      'Sockets, names and TLS.',
    ),
    only(
      'probes-ask',
      'src/engine/probes',
      ['src/engine/core', 'src/engine/config', 'src/engine/net'],
      'Probes ask and report; they never judge or store.',
    ),
    only(
      'alerting-decides',
      'src/engine/alerting',
      ['src/engine/core', 'src/engine/config', 'src/engine/monitoring/confirm'],
      'Decisions about alerts are pure.',
    ),
    only(
      'nodes-share-checks',
      'src/engine/nodes',
      [
        'src/engine/core',
        'src/engine/config',
        'src/engine/net',
        'src/engine/probes',
        'src/engine/monitoring',
      ],
      'Who makes a check, and what it comes to; nothing is stored or notified.',
    ),
    only(
      'operations-check-and-write',
      'src/engine/operations',
      ['src/engine/core', 'src/engine/config', 'src/db'],
      'What an operator does, checked once for commands, HTTP and the live view.',
    ),
    only(
      'views-are-pure',
      'src/engine/views',
      [
        'src/engine/core',
        'src/engine/config',
        'src/engine/alerting',
        'src/engine/monitoring/confirm',
        'src/engine/peers/rules',
      ],
      'Views shape facts for a reader.',
    ),
    only(
      'db-knows-no-rule',
      'src/db',
      ['src/engine/core'],
      'The store keeps facts; it may name their types.',
    ),
    only(
      'notify-delivers',
      'src/notify',
      ['src/engine', 'src/db'],
      'Notify never reaches a page or a command.',
    ),
    only('serve-renders', 'src/serve', ['src/engine', 'src/db'], 'Pages and routes never reach a command.'),
    only(
      'tui-draws',
      'src/tui',
      ['src/engine/core', 'src/engine/views', 'src/engine/alerting', 'src/engine/monitoring/confirm'],
      'The terminal draws views.',
    ),
    {
      name: 'engine-is-driven',
      comment: 'The engine is driven from outside: it knows no reader of its results.',
      severity: 'error',
      from: { path: '^src/engine/' },
      to: { path: '^src/(commands|serve|tui|notify)/' },
    },
    {
      name: 'core-is-pure',
      comment:
        'No clock, network, file or library where values become values; typanion alone, which is pure, says their shapes.',
      severity: 'error',
      from: { path: '^src/engine/(core|views|alerting|monitoring/confirm|peers/rules)/' },
      to: {
        dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/typanion/',
      },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.d\\.ts$', '^bin/'] },
      to: {},
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
