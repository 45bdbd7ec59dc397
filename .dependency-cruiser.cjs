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
    only('core-stands-alone', 'src/engine/core', [], 'Deciding needs nothing but values and now.'),
    only(
      'views-are-pure',
      'src/engine/views',
      ['src/engine/core', 'src/engine/config'],
      'Views shape facts.',
    ),
    only('config-knows-values', 'src/engine/config', ['src/engine/core'], 'Config is text to values.'),
    only(
      'probes-ask',
      'src/engine/probes',
      ['src/engine/core', 'src/engine/config'],
      'Probes never judge or store.',
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
    only('tui-draws', 'src/tui', ['src/engine/core', 'src/engine/views'], 'The terminal draws views.'),
    {
      name: 'loop-drives',
      comment: 'The engine is driven from outside: it knows no reader of its results.',
      severity: 'error',
      from: { path: '^src/engine/' },
      to: { path: '^src/(commands|serve|tui)/' },
    },
    {
      name: 'core-is-pure',
      comment: 'No clock, network, file or library in core and views; what they need is a parameter.',
      severity: 'error',
      from: { path: '^src/engine/(core|views)/' },
      to: {
        dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
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
