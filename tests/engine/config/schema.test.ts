import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'smol-toml';
import { exampleConfig } from '../../../src/engine/config/example.ts';
import { jsonSchema } from '../../../src/engine/config/schema.ts';
import { allSections, tablesOf } from '../../../src/engine/config/sections.ts';
import { authorityFiles, load } from '../../support/config.ts';
import { validate } from '../../support/json-schema.ts';

/** What an editor makes of the file: JSON, in which a date-time is a string. */
function faults(toml: string): readonly string[] {
  return validate(jsonSchema(), JSON.parse(JSON.stringify(parse(toml))));
}

const http = '[[monitors]]\nid = "web"\ntarget = "https://example.com"\n';

describe('the JSON Schema', () => {
  const good: readonly string[] = [
    exampleConfig(),
    exampleConfig().replace(/^#(?=[^ \n#])/gm, ''),
    '',
    `${http}expected_status = [200, "300-399"]\nheaders = { A = "b" }`,
    '[[monitors]]\nid = "web"\ntarget = "${TARGET:-https://example.com}"',
    '[[monitors]]\nid = "db"\nkind = "tcp"\ntarget = "db:1"',
    '[[maintenance]]\ntitle = "x"\nstart = 2026-01-01T00:00:00Z\nend = "2026-01-02T00:00:00Z"',
    '[[channels]]\nname = "m"\ntype = "email"\nhost = "h"\nfrom = "a@b.c"\nto = ["a@b.c"]',
    '[[channels]]\nname = "d"\ntype = "discord"\nwebhook_url = ""',
    'include = ["conf.d/*.toml", "${MORE:-further}/?.toml"]',
  ];
  for (const [index, toml] of good.entries()) {
    it(`takes what the loader takes (${index})`, async () => {
      const names = [...toml.matchAll(/\$\{(\w+)\}/g)].map(
        ([, name = '']) => [name, 'https://example.com/x'] as const,
      );
      await load(toml, { env: Object.fromEntries(names), files: authorityFiles });
      assert.deepEqual(faults(toml), []);
    });
  }

  const bad: readonly string[] = [
    '[pages]\ntitle = "x"',
    '[page]\ntitel = "x"',
    '[page]\nhistory_days = 0',
    '[page]\nhistory_days = "90"',
    '[[monitors]]\nid = "web"',
    '[[monitors]]\nid = "a b"\ntarget = "https://example.com"',
    '[[monitors]]\nid = "a"\ntarget = "example.com"',
    `${http}intervl_secs = 5`,
    `${http}expected_status = ["2xx"]`,
    `${http}headers = { A = 1 }`,
    `${http}slo_uptime = 100`,
    '[[monitors]]\nid = "a"\nkind = "htpp"\ntarget = "https://example.com"',
    '[[monitors]]\nid = "a"\nkind = "tcp"\ntarget = "db:1"\nkeyword = "x"',
    '[[monitors]]\nid = "a"\nkind = "exec"\ncommand = []',
    '[[channels]]\nname = "x"',
    '[[channels]]\nname = "x"\ntype = "telegram"\nchat_id = "1"',
    '[[channels]]\nname = "x"\ntype = "discord"\nwebhook_url = "https://a.b/c"\nwebhook_url_file = "x"',
    '[[incidents]]\ntitle = "x"\nseverity = "warn"',
    '[server]\nbind_file = "x"',
    'include = "conf.d/*.toml"',
    'include = [1]',
    '[server.group_tokens]\na = 1',
  ];
  for (const toml of bad) {
    it(`refuses what the loader refuses: ${toml.replaceAll('\n', ' ')}`, async () => {
      await assert.rejects(load(toml), { code: 'config_invalid' });
      assert.notDeepEqual(faults(toml), []);
    });
  }

  it('has every key with its description, and its twin when it is a secret', () => {
    for (const section of allSections) {
      for (const [variant, rows] of tablesOf(section)) {
        const properties = propertiesOf(section.name, variant);
        const keys = Object.entries(rows).flatMap(([key, { type }]) =>
          type.isSecret ? [key, `${key}_file`] : [key],
        );
        assert.deepEqual(Object.keys(properties), keys);
        for (const [key, row] of Object.entries(rows)) {
          assert.ok(properties[key]?.description.startsWith(row.doc), `${section.name}.${key}`);
        }
      }
    }
  });
});

interface TableSchema {
  readonly properties: Readonly<Record<string, { readonly description: string }>>;
}

/** The properties that the schema has for a table of a section, by the variant of the table. */
function propertiesOf(section: string, variant: string | null): TableSchema['properties'] {
  interface SectionSchema extends TableSchema {
    readonly items?: TableSchema & {
      readonly allOf?: readonly { readonly if: unknown; readonly then: TableSchema }[];
    };
  }
  const { properties } = jsonSchema() as unknown as { properties: Readonly<Record<string, SectionSchema>> };
  const schema = properties[section];
  assert.ok(schema !== undefined);
  const branch = schema.items?.allOf?.find((part) => JSON.stringify(part.if).includes(`"${variant ?? ''}"`));
  return (branch?.then ?? schema.items ?? schema).properties;
}
