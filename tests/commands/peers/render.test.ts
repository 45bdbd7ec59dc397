import { describe, it } from 'node:test';
import type { Matrix, Node, MatrixRow, PeerCell } from '../../../src/commands/peers/matrix.ts';
import { matrixText } from '../../../src/commands/peers/render.ts';
import { assertGolden } from '../../support/golden.ts';
import { outputOf } from '../../support/sheet.ts';

const at = Date.UTC(2026, 10, 21, 12, 0, 0);
const seen = (
  status: 'up' | 'degraded' | 'down' | 'unknown',
  latencyMs: number | null,
  agoMs = 0,
): PeerCell => ({
  kind: 'seen',
  source: agoMs === 0 ? 'live' : 'stored',
  status,
  latencyMs,
  error: null,
  at: at - agoMs,
});
const node = (id: string, given: Partial<Node> = {}): Node => ({
  id,
  name: id,
  heard: { state: 'up', age: 42 },
  isReachable: true,
  error: null,
  skewMs: 300,
  ...given,
});
const nodes: readonly Node[] = [
  node('paris', { name: 'Paris' }),
  node('tokyo', { name: 'Tokyo, second floor of the old building', skewMs: -7400 }),
  node('lima', {
    heard: { state: 'down', age: 754 },
    isReachable: false,
    error: 'nothing listens on 198.51.100.7:8787 \u001b[31m(connection refused)',
    skewMs: null,
  }),
  node('quiet', { heard: null, isReachable: null, skewMs: null }),
];
const row = (id: string, status: MatrixRow['here']['status'], peerCells: readonly PeerCell[]): MatrixRow => ({
  id,
  name: id,
  here: { status, latencyMs: status === 'up' ? 20 : null, at },
  views: new Map(
    nodes.map((each, index) => [
      each.id,
      peerCells[index] ?? (index === 3 ? { kind: 'unasked' } : { kind: 'unknown', error: null }),
    ]),
  ),
});
const matrix: Matrix = {
  node: 'here',
  at,
  nodes,
  rows: [
    row('web', 'up', [seen('up', 23), seen('degraded', 1740), seen('up', 41, 3_600_000)]),
    row('a-monitor-with-a-long-name', 'down', [seen('up', 12), seen('down', null)]),
    row('only-here', 'up', [{ kind: 'unwatched' }, { kind: 'unwatched' }]),
    row(
      'job',
      'unknown',
      Array.from({ length: 4 }, (): PeerCell => ({ kind: 'without_target' })),
    ),
    row('unsure', 'degraded', [seen('unknown', null), seen('unknown', null, 60_000)]),
  ],
};

describe('the comparison of nodes', () => {
  for (const [name, columns, isColoured] of [
    ['80', 80, false],
    ['200', 200, false],
    ['pipe', null, false],
    ['colour', 120, true],
  ] as const) {
    it(`is readable on a terminal of kind ${name}`, () => {
      const listing = { isQuiet: false, redact: (text: string) => text.replace('198.51.100.7', '***') };
      const text = matrixText(matrix, listing, outputOf({ columns, isColoured }));
      assertGolden(new URL(`golden/peers-${name}.txt`, import.meta.url), text);
    });
  }
});
