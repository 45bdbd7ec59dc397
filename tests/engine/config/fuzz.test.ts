import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { exampleConfig } from '../../../src/engine/config/example.ts';
import { loadConfig } from '../../../src/engine/config/load.ts';
import { ConfigError } from '../../../src/engine/config/problem.ts';
import { allSections, knownKeys, tablesOf } from '../../../src/engine/config/sections.ts';
import { StatusdError } from '../../../src/engine/core/errors.ts';
import { fakeFiles } from '../../support/config.ts';
import { anyCharacter, checkAsyncProperty } from '../../support/property.ts';
import { casesOf } from '../../support/random.ts';

const words = allSections.flatMap((section) => [
  section.name,
  ...tablesOf(section).flatMap(([variant, rows]) => [variant ?? 'x', ...knownKeys(rows)]),
]);

const value = fc.oneof(
  fc.constantFrom(
    '1',
    '-1',
    'true',
    '[]',
    '{}',
    '""',
    'nan',
    '1e400',
    '99999999999999999999',
    '2026-06-08T00:00:00Z',
    '07:32:00',
    '0x1F',
  ),
  fc.constantFrom(
    '"${A}"',
    '"${"',
    '"$$"',
    '"-x"',
    '"https://example.com"',
    '"//"',
    '"\\u0000"',
    "'''\n'''",
    '[[1], {a = 1}]',
  ),
  fc.constantFrom(...words).map((word) => `"${word}"`),
  fc.string().map((text) => JSON.stringify(text)),
  fc.string({ unit: anyCharacter }).map((text) => JSON.stringify(text)),
);
const key = fc.oneof(
  fc.constantFrom(...words),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '"a.b"',
    'a.b.c',
    '""',
    '__proto___file',
    'valueOf_file',
  ),
);
const line = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(key, value).map(([name, given]) => `${name} = ${given}`) },
  { weight: 2, arbitrary: fc.constantFrom(...words).map((word) => `[[${word}]]`) },
  { weight: 2, arbitrary: key.map((word) => `[${word}]`) },
  { weight: 1, arbitrary: fc.string() },
);
const tomlish = fc.array(line, { maxLength: 30 }).map((lines) => Buffer.from(lines.join('\n')));

const example = Buffer.from(exampleConfig().replace(/^#(?=[^ \n#])/gm, ''));
/** The whole example, with a few bytes of it replaced. */
const damaged = fc
  .array(fc.tuple(fc.nat(example.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
  .map((changes) => {
    const copy = Buffer.from(example);
    for (const [index, byte] of changes) copy[index] = byte;
    return copy;
  });

async function loadsOrIsReported(bytes: Uint8Array): Promise<void> {
  try {
    const { config, redact } = await loadConfig('/x.toml', {
      env: { A: 'value', TELEGRAM_TOKEN: 't' },
      readFile: fakeFiles({ '/x.toml': bytes }),
    });
    assert.ok(Object.isFrozen(config));
    redact('text');
  } catch (error) {
    assert.ok(error instanceof StatusdError, `threw ${String(error)}`);
    if (!(error instanceof ConfigError)) return;
    assert.ok(error.problems.length > 0);
    for (const { line: row, column, message, hint } of error.problems) {
      assert.ok(row >= 1 && column >= 1);
      assert.doesNotMatch(message + (hint ?? ''), /[\0-\x1f\x7f-\x9f]/);
    }
  }
}

describe('any bytes', () => {
  const many = casesOf(500, 1500);
  const some = casesOf(100, 300);
  const kinds = [
    ['that look like TOML', tomlish, many],
    ['of a damaged configuration', damaged, some],
    ['at all', fc.uint8Array({ maxLength: 200 }), 500],
  ] as const;
  for (const [name, arbitrary, runs] of kinds) {
    it(`${name} load, or are reported as a named error with places`, async () => {
      await checkAsyncProperty(
        fc.asyncProperty(arbitrary as fc.Arbitrary<Uint8Array>, loadsOrIsReported),
        runs,
      );
    });
  }

  it('of hostile shape are reported in time', async () => {
    const hostile = [
      `[${'a.'.repeat(20_000)}a]\nx = 1`,
      `a = ${'['.repeat(50_000)}`,
      `a = ${'['.repeat(90)}${']'.repeat(90)}`,
      `a = ${'{a='.repeat(50_000)}`,
      Array.from({ length: 5000 }, (_, index) => `k${index} = 1`).join('\n'),
      `[page]\n${'k'.repeat(500_000)} = 1`,
      `[page]\ntitle = "${'${'.repeat(100_000)}"`,
      '[[monitors]]\n'.repeat(5000),
      `[[monitors]]\nid = "a"\ntarget = "https://a.b"\nheaders = {${Array.from({ length: 20_000 }, (_, i) => `h${i} = "x"`).join(', ')}}`,
      Array.from(
        { length: 3000 },
        (_, i) => `[[monitors]]\nid="m${i}"\ntarget="https://a.b"\ndepends_on=["m${i + 1}"]`,
      ).join('\n'),
    ];
    for (const text of hostile) {
      // Processor time: what else the machine is doing is not what is measured.
      const start = process.cpuUsage();
      await loadsOrIsReported(Buffer.from(text));
      const ms = process.cpuUsage(start).user / 1000;
      assert.ok(ms < 5000, `${text.slice(0, 30)} took ${ms} ms`);
    }
  });
});
