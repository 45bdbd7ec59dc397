import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownLabels } from '../../../src/engine/config/rows/outputs.ts';
import { sentence } from '../../../src/engine/config/problem.ts';
import { monitorFamilies, nodeFamilies } from '../../../src/engine/views/metrics/families.ts';
import { labelsOf } from '../../../src/engine/views/metrics/labels.ts';
import { authorityFiles, load, problemsOf } from '../../support/config.ts';

const monitor = '[[monitors]]\nid = "web"\ntarget = "https://example.com"\n';
const output = '[[outputs]]\ntype = "remote_write"\nurl = "https://metrics.example.com/api/v1/write"\n';

describe('[[outputs]]', () => {
  it('are none unless they are written', async () => {
    assert.deepEqual((await load(monitor)).config.outputs, []);
  });

  it('have a name, an interval and a way that can be left out', async () => {
    const { config } = await load(`${monitor}${output}`);
    assert.deepEqual(config.outputs, [
      {
        name: 'remote_write',
        type: 'remote_write',
        url: 'https://metrics.example.com/api/v1/write',
        headers: {},
        interval_secs: 15,
        labels: {},
        timeout_secs: 30,
        ca_file: null,
        tls_verify: true,
        proxy: null,
      },
    ]);
  });

  it('keep the values of headers, and what a URL has of credentials, to themselves', async () => {
    const toml = `[[outputs]]
name = "grafana"
type = "otlp"
url = "https://me:pa55word-in-url@otlp.example.com/\${PLACE}"
headers = { Authorization = "Bearer t0ken-of-the-test", X-Scope-OrgID = "tenant-17" }
`;
    const { config, redact } = await load(monitor + toml, { env: { PLACE: 'a-path-of-secrets' } });
    assert.deepEqual(JSON.parse(JSON.stringify(config.outputs[0]?.headers)), {
      Authorization: '[secret]',
      'X-Scope-OrgID': '[secret]',
    });
    assert.equal(redact('t0ken-of-the-test tenant-17 pa55word-in-url a-path-of-secrets'), '*** *** *** ***');
  });

  it('name an authority relative to the file', async () => {
    const { config } = await load(`${monitor}${output}ca_file = "ca.pem"\n`, { files: authorityFiles });
    assert.equal(config.outputs[0]?.ca_file, '/etc/statusd/ca.pem');
  });

  it('warn of a way without TLS checks', async () => {
    const { warnings } = await load(`${monitor}${output}tls_verify = false\n`);
    assert.match(warnings.map(sentence).join(), /read its metrics and credentials/);
  });

  it('reserve every label that a metric has', () => {
    const probes = {
      results: { up: 1, degraded: 0, down: 0, unknown: 0 },
      buckets: [],
      answered: 0,
      sumMs: 0,
    };
    const measured = {
      id: 'web',
      labels: labelsOf({ id: 'web', name: 'Web', group: '' }),
      status: 'up',
      uptime: 1,
      certExpiresAt: 1,
      isUnstable: false,
      incidents: 0,
      probes,
    } as const;
    const spread = { p50Ms: 0, p99Ms: 0, maxMs: 0 };
    const samples = [
      ...monitorFamilies.flatMap(({ samplesOf }) => samplesOf(measured)),
      ...nodeFamilies(
        { version: '1', lateness: spread, loopLag: spread },
        {
          notifications: [{ channel: 'ops', outcome: 'sent', count: 1 }],
          decisions: [{ verdict: 'spared', reason: 'flap', count: 1 }],
          open: { acknowledged: 0, others: 0 },
          databaseBytes: 1,
          peers: [{ id: 'a', name: 'A', state: 'up', age: 1 }],
          outputs: [{ output: 'x', sent: 0, failed: 0, dropped: 0, queued: 0 }],
          refused: [{ reason: 'no_token', count: 1 }],
          nodes: {
            checks: [{ node: 'a', outcome: 'result', count: 1 }],
            fallbacks: 0,
            standings: [{ node: 'a', isLeftOut: false }],
          },
        },
      ).flatMap((family) => family.samples),
    ];
    const names = samples.flatMap(({ labels, extra }) => [...labels.pairs, ...(extra?.pairs ?? [])]);
    assert.deepEqual([...new Set(names.map(([name]) => name))].sort(), [...ownLabels].sort());
  });

  for (const [toml, says] of [
    ['[[outputs]]\nurl = "https://x.example/"\n', 'outputs[0].type: is required; one of remote_write, otlp'],
    [
      '[[outputs]]\ntype = "remote_writ"\nurl = "https://x.example/"\n',
      'outputs[0].type: must be one of remote_write, otlp; did you mean remote_write?',
    ],
    ['[[outputs]]\ntype = "remote_write"\n', 'outputs[0].url: is required'],
    [`${output}${output}`, 'outputs[1].name: is used by an earlier output: "remote_write"'],
    [`${output}labels = { id = "x" }\n`, 'labels.id: is a label that statusd writes itself; choose another'],
    [`${output}labels = { "a.b" = "x" }\n`, 'labels."a.b": is not the name of a label'],
    [`${output}labels = { __name__ = "x" }\n`, 'labels.__name__: begins with __, which is for Prometheus'],
    [`${output}labels = { site = "" }\n`, 'labels.site: must not be empty'],
    [`${output}headers = { Content-Type = "x" }\n`, 'is a header that statusd sets itself; remove it'],
    [`${output}headers = { Connection = "x" }\n`, 'is a header of the connection; remove it'],
    [`${output}headers = { X-A = "a\\nb" }\n`, 'headers.X-A: must not contain line breaks'],
    [`${output}interval_secs = 4\n`, 'interval_secs: must be an integer from 5 to 300'],
    [`${output}url = "ftp://x"\n`, 'the key url is given twice'],
    [`${output}ca_file = "gone.pem"\n`, 'names "/etc/statusd/gone.pem"'],
  ] as const)
    it(`refuse ${toml.replace(output, '').trim().split('\n').join(' ')}`, async () => {
      const problems = await problemsOf(`${monitor}${toml}`);
      const said = problems.map(sentence).join('\n');
      assert.ok(said.includes(says), said);
    });
});
