import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { configDocument, rangeOf } from '../../../src/commands/init/document.ts';
import { propose, type TargetObservation } from '../../../src/commands/init/proposal.ts';
import { parseConfig } from '../../../src/engine/config/load.ts';
import { readSmallFile } from '../../../src/engine/config/read-file.ts';

const seen = (parts: Partial<TargetObservation>): TargetObservation => ({
  kind: 'http',
  target: 'https://example.com/',
  shown: 'https://example.com/',
  host: 'example.com',
  name: 'example.com',
  probes: 4,
  latenciesMs: [81.4, 93.6],
  degradedOverMs: 300,
  timeoutSecs: null,
  certificateEndsAt: Date.UTC(2027, 0, 3),
  error: null,
  cure: null,
  isUnknown: false,
  ...parts,
});

const silent = { latenciesMs: [], degradedOverMs: null, certificateEndsAt: null, probes: 2 };

const load = (text: string, env: Record<string, string> = {}) =>
  parseConfig(text, { file: 'statusd.toml', env, readFile: readSmallFile });

/** The file with the # taken off every line that is a heading or a setting. */
const uncommented = (text: string) => text.replace(/^# (?=\[|[a-z_]+ = )/gm, '');

describe('configDocument', () => {
  it('says what was seen above each monitor', () => {
    const text = configDocument(
      propose([
        seen({}),
        seen({
          ...silent,
          target: 'https://b/',
          host: 'b',
          error: 'answered 503',
          cure: 'expected_status = 503',
        }),
        seen({
          ...silent,
          kind: 'icmp',
          target: 'c',
          host: 'c',
          error: 'there is no ping.',
          isUnknown: true,
        }),
        seen({ kind: 'tcp', target: 'd:1', host: 'd', timeoutSecs: 12, error: 'only IPv4 answered' }),
      ]),
    );
    assert.match(
      text,
      /\n# Answered 2 of 4 probes in 81 to 94 ms\.\n# Its certificate ends on 2027-01-03\.\n\[\[mon/,
    );
    assert.match(text, /\n# Did not answer as expected: answered 503\.\n/);
    assert.match(text, /\n# If that is as it should be:\n# expected_status = 503\n/);
    assert.match(text, /\n# Could not be asked from here: there is no ping\.\n/);
    assert.match(text, /\n# It warned: only IPv4 answered\.\n/);
    assert.match(text, /\ntimeout_secs = 12\n/);
    assert.match(
      text.replaceAll('\n# ', ' '),
      /three times the slowest answer that `statusd init` saw, at least 250 ms\./,
    );
  });

  it('loads without an error or a warning, with these monitors', async () => {
    const proposals = propose([
      seen({}),
      seen({ ...silent, kind: 'tcp', target: 'db.example.com:5432', error: 'refused' }),
      seen({ kind: 'icmp', target: '192.0.2.1', host: '192.0.2.1', timeoutSecs: 20 }),
      seen({ kind: 'dns', target: 'example.com' }),
    ]);
    const { config, warnings } = await load(configDocument(proposals));
    assert.deepEqual(warnings, []);
    assert.deepEqual(
      config.monitors.map((monitor) => [monitor.id, monitor.kind, 'target' in monitor && monitor.target]),
      proposals.map(({ id, kind, target }) => [id, kind, target]),
    );
    assert.deepEqual(
      config.monitors.map(({ degraded_over_ms, timeout_secs }) => [degraded_over_ms, timeout_secs]),
      [
        [300, 10],
        [null, 10],
        [300, 20],
        [300, 10],
      ],
    );
  });

  it('loads without an error when there is nothing to watch yet', async () => {
    const { config } = await load(configDocument([]));
    assert.deepEqual(config.monitors, []);
  });

  it('holds examples that load once the # is taken off', async () => {
    const env = {
      NTFY_TOKEN: 'n'.repeat(20),
      SLACK_WEBHOOK_URL: 'https://hooks.example/x',
      BACKUP_TOKEN: 'b'.repeat(20),
    };
    const { config, warnings } = await load(uncommented(configDocument([])), env);
    assert.deepEqual(warnings, []);
    assert.deepEqual(
      config.monitors.map(({ id }) => id),
      ['website', 'database', 'backup'],
    );
    assert.deepEqual(
      config.channels.map(({ type }) => type),
      ['ntfy', 'slack'],
    );
  });

  it('cannot be made to say anything else by a hostile server', async () => {
    const evil = 'x"\n[[channels]]\nname = "evil" # \u001b]0;owned\u0007 \u202e ${HOME} """ \\';
    const text = configDocument(
      propose([seen({ name: '"]\\ # ${HOME}', error: evil, target: 'https://a/?q=${HOME}$$' })]),
    );
    const { config } = await load(text, { HOME: 'expanded' });
    assert.equal(config.channels.length, 0);
    assert.deepEqual(
      config.monitors.map((monitor) => [monitor.name, 'target' in monitor && monitor.target]),
      [['"]\\ # ${HOME}', 'https://a/?q=${HOME}$$']],
    );

    assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('explains every key once, and stays small', () => {
    const text = configDocument(
      propose(Array.from({ length: 10 }, (_, n) => seen({ target: `https://a${n}/` }))),
    );
    assert.equal(text.split('Display name.').length, 2);
    const lines = text.split('\n');
    assert.ok(lines.length < 130, String(lines.length));
    assert.deepEqual(
      lines.filter((line) => line.length > 90),
      [],
    );
  });
});

describe('rangeOf', () => {
  it('is short', () => {
    assert.equal(rangeOf([81.4, 93.6]), '81 to 94 ms');
    assert.equal(rangeOf([5]), '5 ms');
    assert.equal(rangeOf([0.1, 0.2]), 'less than 1 ms');
  });
});
