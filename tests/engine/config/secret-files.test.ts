import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allSections, tablesOf } from '../../../src/engine/config/sections.ts';
import { load } from '../../support/config.ts';

const file = '/run/secrets/token';

describe('a secret in a file of its own', () => {
  it('is read without the line break at its end', async () => {
    for (const content of ['s3cret', 's3cret\n', 's3cret\r\n', '\ufeffs3cret\n\n']) {
      const { config } = await load(`[server]\nauth_token_file = "${file}"`, { files: { [file]: content } });
      assert.equal(config.server.auth_token?.reveal(), 's3cret');
    }
  });

  it('is read relative to the folder of the configuration, and its path may contain variables', async () => {
    const world = { env: { DIR: 'secrets' }, files: { '/etc/statusd/secrets/t': 'one', '/etc/t': 'two' } };
    const { config } = await load(
      '[[monitors]]\nid = "a"\nkind = "push"\npush_token_file = "${DIR}/t"\n[[peers]]\nid = "b"\nlisten_token_file = "../t"',
      world,
    );
    const [push] = config.monitors;
    assert.equal(push?.kind === 'push' && push.push_token?.reveal(), 'one');
    assert.equal(config.peers[0]?.listen_token?.reveal(), 'two');
  });

  it('is taken as it is: nothing in it expands', async () => {
    const { config } = await load(`[server]\nauth_token_file = "${file}"`, {
      env: { X: 'y' },
      files: { [file]: 'a${X}$$' },
    });
    assert.equal(config.server.auth_token?.reveal(), 'a${X}$$');
  });

  it('may be the tokens of all groups, as TOML', async () => {
    const toml = `[server]\ngroup_tokens_file = "${file}"\n[[monitors]]\nid = "a"\ngroup = "Infra Team"\ntarget = "https://a.example"`;
    const { config } = await load(toml, { files: { [file]: '"Infra Team" = "one"\n' } });
    assert.equal(config.server.group_tokens['Infra Team']?.reveal(), 'one');
  });

  it('switches its channel off when the file is empty', async () => {
    const { config } = await load(
      `[[channels]]\nname = "d"\ntype = "discord"\nwebhook_url_file = "${file}"`,
      {
        files: { [file]: '\n' },
      },
    );
    assert.deepEqual(config.disabled_channels, [{ name: 'd', type: 'discord', key: 'webhook_url' }]);
  });

  it('exists for every key that holds a secret', async () => {
    for (const section of allSections) {
      for (const [variant, rows] of tablesOf(section)) {
        for (const [key, row] of Object.entries(rows)) {
          if (!row.type.isSecret) continue;
          const isTable = row.type.schema['type'] === 'object';
          const kinds = JSON.stringify(row.type.schema);
          const url = kinds.includes('postgres') ? 'postgres://host/path' : 'https://example.com/path';
          const content = isTable ? 'g = "s3cret"' : kinds.includes('://') ? url : 's3cret';
          const others = Object.entries(rows)
            .filter(([other, { fallback }]) => other !== key && fallback.kind === 'required')
            .map(([other, { example }]) => `${other} = ${example}`);
          const by = 'by' in section ? [`${section.by} = "${variant ?? ''}"`] : [];
          const lines = [...new Set([...by, ...others]), `${key}_file = "${file}"`];
          const heading = section.isList ? `[[${section.name}]]` : `[${section.name}]`;
          const { redact } = await load([heading, ...lines].join('\n'), {
            env: { NTFY_TOPIC: 'topic' },
            files: { [file]: content },
          });
          assert.ok(redact(content).includes('***'), `${key} was read`);
        }
      }
    }
  });
});
