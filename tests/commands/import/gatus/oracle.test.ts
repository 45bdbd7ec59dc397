/**
 * Compares imported monitors with Gatus. golden/oracle.json holds pairs of conditions and an answer, with what Gatus
 * itself says of them.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { convertGatus } from '../../../../src/commands/import/gatus/convert.ts';
import { readGatus } from '../../../../src/commands/import/gatus/folder.ts';
import { fitToLoad } from '../../../../src/commands/import/fit.ts';
import { outcomeOf, type Item } from '../../../../src/commands/import/item.ts';
import { createSecrets } from '../../../../src/commands/import/variables.ts';
import type { HttpMonitor } from '../../../../src/engine/config/config.ts';
import { parseConfig } from '../../../../src/engine/config/load.ts';
import { readSmallFile } from '../../../../src/engine/config/read-file.ts';
import { probeHttp } from '../../../../src/engine/probes/http/probe.ts';
import { toJson } from '../../../../src/commands/terminal/json.ts';
import { assertGolden } from '../../../support/golden.ts';
import { startHttp, type Target } from '../../../support/http-target.ts';
import { probeContext } from '../../../support/probing.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** In ms. */
  readonly delay?: number;
}

interface Pair {
  readonly conditions: readonly string[];
  readonly ignore_redirect?: true;
  readonly answer: Answer;
  /** `panics`: it ended, so nothing can agree with it. */
  readonly gatus: 'up' | 'down' | 'panics';
}

const golden = (name: string) => new URL(`golden/${name}`, import.meta.url);
const pairs = JSON.parse(readFileSync(golden('oracle.json'), 'utf8')) as readonly Pair[];

const env = { CLUSTER_DOMAIN: 'cluster.example' };

describe('an endpoint of Gatus, imported', () => {
  let target: Target;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'statusd-oracle-'));
    target = await startHttp((request, response) => {
      const [, place = ''] = (request.url ?? '').split('/');
      const fixed: Readonly<Record<string, Answer>> = { ok: { body: 'ok' }, nf: { status: 404, body: '' } };
      const answer = fixed[place] ?? pairs[Number(place)]?.answer ?? assert.fail(place);
      void sleep(answer.delay ?? 0).then(() => {
        response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
      });
    });
  });
  after(async () => {
    await target.close();
    rmSync(folder, { recursive: true });
  });

  /** The item of the one endpoint with these conditions, and its monitor; null: it was left out. */
  const imported = async (pair: Pair): Promise<{ item: Item; monitor: HttpMonitor | null }> => {
    const file = join(folder, 'config.yaml');
    const client = pair.ignore_redirect === true ? '\n    client: { ignore-redirect: true }' : '';
    const conditions = pair.conditions.map((text) => `\n      - '${text.replaceAll("'", "''")}'`).join('');
    writeFileSync(
      file,
      `endpoints:\n  - name: one\n    url: ${target.origin}/\n    interval: 30s${client}\n    conditions:${conditions}\n`,
    );
    const found = convertGatus(await readGatus(file), createSecrets('env'));
    const { imported: fitted, text } = await fitToLoad(found, { file: join(folder, 'statusd.toml'), env });
    const { config } = await parseConfig(text, { file: 'statusd.toml', env, readFile: readSmallFile });
    const [monitor = null] = config.monitors;
    assert.ok(monitor === null || monitor.kind === 'http');
    const item = fitted.items.find(({ kind }) => kind === 'monitor') ?? assert.fail();
    return { item, monitor: monitor as HttpMonitor | null };
  };

  it('judges as Gatus does where it is called exact, and says how it does not elsewhere', async () => {
    const byEndpoint = new Map<string, { pair: Pair; index: number }[]>();
    pairs.forEach((pair, index) => {
      const key = JSON.stringify([pair.conditions, pair.ignore_redirect]);
      byEndpoint.set(key, [...(byEndpoint.get(key) ?? []), { pair, index }]);
    });
    const wrong: string[] = [];
    const report: string[] = [];
    for (const all of byEndpoint.values()) {
      const [{ pair: first } = assert.fail()] = all;
      const { item, monitor } = await imported(first);
      const outcome = outcomeOf(item);
      const differences = await Promise.all(
        all.map(async ({ pair, index }) => {
          if (monitor === null || pair.gatus === 'panics') return [];
          const of = { ...monitor, target: `${target.origin}/${index}` };
          const isUp = (await probeHttp(of, probeContext())).outcome === 'healthy';
          const shown = toJson(pair.answer, 0);
          return isUp === (pair.gatus === 'up') ? [] : [`  Gatus says ${pair.gatus}: ${shown}`];
        }),
      );
      const name = `${first.conditions.join(' && ')}${first.ignore_redirect === true ? ', ignoring redirects' : ''}`;
      if (outcome === 'exact') wrong.push(...differences.flat().map((text) => `${name}${text}`));
      report.push(
        `${outcome}: ${name}`,
        ...item.remarks.map(({ level, text }) => `  ${level}: ${text}`),
        ...new Set(differences.flat()),
      );
    }
    assert.deepEqual(wrong, []);
    assert.ok(pairs.length >= 687);
    assertGolden(golden('oracle.txt'), `${report.join('\n')}\n`);
  });
});
