/** Several nodes make the checks: real daemons, a real PostgreSQL, targets on loopback. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Daemon } from '../support/daemon.ts';
import { startHttp } from '../support/http-target.ts';
import { openNodeFleet } from '../support/node-fleet.ts';
import { skipWithoutPostgres } from '../support/postgres.ts';

/** By series: what /metrics says of checks by nodes. */
async function measured(daemon: Daemon): Promise<Map<string, number>> {
  const headers = { authorization: 'Bearer of-the-operators' };
  const text = await (await fetch(`${daemon.url}metrics`, { headers })).text();
  const lines = [...text.matchAll(/^(statusd_node\S+) (\S+)$/gm)];
  return new Map(lines.map(([, series = '', value]) => [series, Number(value)]));
}

// Side by side, each with nodes and a database of its own: both mostly wait.
describe('checks of ten monitors', { skip: skipWithoutPostgres, concurrency: true }, () => {
  describe('by two nodes', { concurrency: false }, () => {
    const { daemons, startBoth, said, allAskedSince, alarms, alerts, outageIsSeen } = openNodeFleet();

    it('are shared by two nodes, which confirm an outage together and notify once', async () => {
      const { a } = await startBoth();
      await outageIsSeen('m7');
      const reason = JSON.stringify(alerts('down')[0]);
      assert.match(reason, /seen from (a and b|b and a)/);
      await allAskedSince(Date.now());
      assert.deepEqual(alarms(), ['down m7', 'recovered m7']);
      const series = await measured(a);
      for (const node of ['a', 'b']) {
        assert.ok((series.get(`statusd_node_checks_total{node="${node}",outcome="result"}`) ?? 0) > 10);
        assert.equal(series.get(`statusd_node_left_out{node="${node}"}`), 0);
      }
      assert.equal(series.get('statusd_node_fallback_checks_total'), 0);
    });

    it('go on when a node is killed, without a false alert, and an outage is still seen', async () => {
      const { a, b } = await startBoth();
      daemons.delete('b');
      const killedAt = Date.now();
      await b.end('SIGKILL');
      await allAskedSince(killedAt);
      assert.equal(said(a, 'node.left_out').length, 1);
      assert.deepEqual(alarms(), []);
      const series = await measured(a);
      assert.equal(series.get('statusd_node_left_out{node="b"}'), 1);
      assert.ok((series.get('statusd_node_fallback_checks_total') ?? 0) > 0);
      await outageIsSeen('m3');
    });

    it('go on when a node stands still, without a false alert, and an outage is still seen', async () => {
      const { a, b } = await startBoth();
      b.child.kill('SIGSTOP');
      const stoppedAt = Date.now();
      await a.says('node.left_out');
      await allAskedSince(stoppedAt);
      assert.deepEqual(alarms(), []);
      await outageIsSeen('m3');
      b.child.kill('SIGCONT');
      await a.says('node.back');
    });
  });

  describe('by a node and something else at the address of the other', { concurrency: false }, () => {
    const { start, query, said, allAskedSince, alarms, outageIsSeen } = openNodeFleet();

    const impostors = {
      'answers garbage': (end: (status: number, text: string) => void) => {
        end(200, '<html>');
      },
      'refuses the token': (end: (status: number, text: string) => void) => {
        end(401, '{}');
      },
      'never answers': () => undefined,
    };
    for (const [what, answer] of Object.entries(impostors))
      it(`go on when what is at the address of a node ${what}, and an outage is still seen`, async () => {
        const asked: string[] = [];
        const impostor = await startHttp((request, response) => {
          asked.push(String(request.headers.authorization));
          answer((status, text) => response.writeHead(status).end(text));
        });
        try {
          const a = await start('a');
          await a.says('node.leads');
          await query(
            `INSERT INTO statusd.node (id, url, version, config, is_probing, seen)
           SELECT 'b', $1, version, config, true, clock_timestamp() + interval '1 hour' FROM statusd.node WHERE id = 'a'`,
            [impostor.origin],
          );
          const sinceAt = Date.now();
          await a.says('node.left_out');
          await allAskedSince(sinceAt);
          assert.deepEqual(new Set(asked), new Set(['Bearer of-the-nodes']));
          assert.deepEqual(alarms(), []);
          await outageIsSeen('m3');
          assert.ok(said(a, 'node.left_out').length === 1, 'it is said more than once');
        } finally {
          await impostor.close();
        }
      });
  });
});
