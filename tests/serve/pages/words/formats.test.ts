import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Formats,
  formatsOf,
  intlFormats,
  type Unit,
} from '../../../../src/serve/pages/words/formats.ts';
import { printedSeed, randomOf } from '../../../support/random.ts';

/** Blanks apart, of which Intl has several kinds. */
const plain = (text: string) => text.replace(/\s/g, ' ');

const units: readonly Unit[] = ['day', 'hour', 'minute', 'second'];

function everything(formats: Formats, at: number, count: number): readonly string[] {
  const { clock, date, utcDay, month, isoDay, unit, number, share, plural, list } = formats;
  const names = Array.from({ length: count % 5 }, (_, index) => `n${index}`);
  return [
    ...[clock, date, utcDay, month, isoDay].map((format) => format(at)),
    ...units.map((name) => plain(unit(name, count))),
    ...[number(count), number(count / 1000), share((count % 10_000) / 100), plural(count)],
    ...list(names).map(({ type, value }) => `${type} ${value}`),
  ];
}

describe('English as it is written by hand', () => {
  it('is what Intl writes, in UTC and in any other zone', () => {
    const random = randomOf(printedSeed());
    for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns']) {
      const [own, intl] = [formatsOf('en', zone), intlFormats('en', zone)];
      for (let round = 0; round < 300; round += 1) {
        const at = random.below(2 ** 31) * 1000 * (1 + random.below(3)) + random.below(1000);
        const count = round < 30 ? round : random.below(2 ** (1 + random.below(30)));
        assert.deepEqual(everything(own, at, count), everything(intl, at, count), `${zone} ${at} ${count}`);
      }
    }
  });

  it('needs no formatter of Intl in UTC, which would bring megabytes of tables in', () => {
    const kinds = ['DateTimeFormat', 'NumberFormat', 'ListFormat', 'PluralRules'] as const;
    const originals = kinds.map((kind) => Intl[kind]);
    const refuse = () => {
      throw new Error('a formatter of Intl was made');
    };
    try {
      for (const kind of kinds) Object.assign(Intl, { [kind]: refuse });
      assert.ok(everything(formatsOf('en', 'UTC'), 0, 1234).includes('1,234'));
      assert.throws(() => everything(formatsOf('de', 'UTC'), 0, 1234));
    } finally {
      kinds.forEach((kind, index) => Object.assign(Intl, { [kind]: originals[index] }));
    }
  });
});
