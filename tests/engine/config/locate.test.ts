import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { locator, scanPlaces } from '../../../src/engine/config/locate.ts';
import { wholeText } from '../../../src/engine/config/parse-parts.ts';
import type { Path } from '../../../src/engine/config/types/value.ts';

const text = `# a comment
top = 1
[page]
  title = "x" # [not] a = heading
[server.group_tokens]
"a b" = "t"
[[monitors]]
id = "one"
headers = { Accept = "x", "X-Y" = [
  1,
  2,
] }
[[monitors]]
id = "two"
[monitors.headers]
A.B = 1
`;

const name = { file: '/etc/statusd/statusd.toml', fileName: 'statusd.toml' };

describe('the place of a setting', () => {
  const cases: readonly (readonly [path: Path, key: string, value: string])[] = [
    [['top'], '2:1', '2:7'],
    [['page'], '3:1', '3:1'],
    [['page', 'title'], '4:3', '4:11'],
    [['server'], '5:1', '5:1'],
    [['server', 'group_tokens'], '5:1', '5:1'],
    [['server', 'group_tokens', 'a b'], '6:1', '6:9'],
    [['monitors'], '7:1', '7:1'],
    [['monitors', 0], '7:1', '7:1'],
    [['monitors', 0, 'headers', 'Accept'], '9:13', '9:22'],
    [['monitors', 0, 'headers', 'X-Y', 1], '11:3', '11:3'],
    [['monitors', 1], '13:1', '13:1'],
    [['monitors', 1, 'id'], '14:1', '14:6'],
    [['monitors', 1, 'headers'], '15:1', '15:1'],
    [['monitors', 1, 'headers', 'A', 'B'], '16:1', '16:7'],
    [['monitors', 1, 'target'], '13:1', '13:1'],
    [['monitors', 1, 'id', 'deeper'], '14:1', '14:1'],
    [['nowhere'], '1:1', '1:1'],
    [[], '1:1', '1:1'],
  ];
  const locate = locator({ ...name, parts: [wholeText(text)] });
  for (const [path, key, value] of cases) {
    it(`is that of its key or value: ${JSON.stringify(path)}`, async () => {
      const show = ({ line, column }: { line: number; column: number }) => `${line}:${column}`;
      assert.equal(show(await locate(path, 'key')), key);
      assert.equal(show(await locate(path)), value);
    });
  }

  it('is found line by line when the parser with positions gives up', async () => {
    const odd = `at = [1979-02-30T00:00:00Z]\n${text}`;
    const lookup = locator({ ...name, parts: [wholeText(odd)] });
    assert.deepEqual(await lookup(['monitors', 1, 'id']), { ...name, line: 15, column: 6 });
    assert.deepEqual(await lookup(['page', 'title'], 'key'), { ...name, line: 5, column: 3 });
    assert.deepEqual(await lookup(['monitors', 1]), { ...name, line: 14, column: 1 });
  });

  it('is the same either way for headings and plain keys', async () => {
    const scanned = scanPlaces(text);
    for (const [path] of cases.filter(([, key]) => /^(2|3|4|7|13|14):/.test(key))) {
      const spots = scanned.find(path);
      if (spots !== null)
        assert.deepEqual(
          { key: { ...name, ...spots.key }, value: { ...name, ...spots.value } },
          { key: await locate(path, 'key'), value: await locate(path) },
        );
    }
  });
});
