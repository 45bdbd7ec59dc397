import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { XMLParser } from 'fast-xml-parser';
import { plainCells } from '../../../src/serve/plain/lines.ts';
import { casesOf, printedSeed } from '../../support/random.ts';
import { skipWithout } from '../../support/tool.ts';
import { hostileTexts, renderAllWith } from './hostile.ts';

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  processEntities: false,
  trimValues: false,
});

type Nodes = readonly Readonly<Record<string, unknown>>[];

/** The elements of a document and the names of their attributes, without any text. */
function skeletonOf(document: string): string {
  const text = document.replace(/<style>[^<]*<\/style>/, '<style/>').replace('<!DOCTYPE html>', '');
  const draw = (nodes: Nodes): string =>
    nodes
      .map((node) => {
        const names = Object.keys(node[':@'] ?? {}).join(' ');
        const tag = Object.keys(node).find((key) => key !== ':@' && key !== '#text');
        if (tag === undefined) return '';
        return `<${tag} ${names}>${draw((node[tag] ?? []) as Nodes)}</>`;
      })
      .join('');
  return draw(parser.parse(text) as Nodes);
}

describe('hostile text', () => {
  const seed = printedSeed();
  const texts = hostileTexts(seed, casesOf(80, 200));
  const hostile = texts.map((text) => [text, renderAllWith(text)] as const);
  const benign = renderAllWith('benign');
  const skeletons = new Map(
    [...benign].filter(([name]) => !name.endsWith('.txt')).map(([name, text]) => [name, skeletonOf(text)]),
  );

  it('gives the same elements and attributes as benign text, in every page, picture and feed', () => {
    for (const [text, drawn] of hostile) {
      for (const [name, skeleton] of skeletons) {
        const document = drawn.get(name) ?? '';
        assert.ok(
          skeletonOf(document) === skeleton,
          `${name} changes with ${JSON.stringify(text.slice(0, 200))}`,
        );
        assert.doesNotMatch(document, /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]/);
      }
    }
  });

  it('would be noticed if it were markup', () => {
    const page = benign.get('status.html') ?? '';
    const broken = page.replaceAll('benign', 'x<b></b>');
    assert.notEqual(skeletonOf(broken), skeletons.get('status.html'));
  });

  it('leaves every page, picture and feed well-formed', { skip: skipWithout('xmllint') }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'statusd-hostile-'));
    try {
      const files = hostile.flatMap(([, drawn], index) =>
        [...drawn.keys()]
          .filter((name) => skeletons.has(name))
          .map((name) => {
            const file = join(folder, `${index}-${name}`);
            writeFileSync(file, (drawn.get(name) ?? '').replace('<!DOCTYPE html>', ''));
            return file;
          }),
      );
      const checked = spawnSync('xmllint', ['--noout', '--nonet', ...files], { encoding: 'utf8' });
      assert.equal(checked.stderr, '');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('makes no plain line wider than asked for, and sends no control character', () => {
    for (const [, drawn] of hostile) {
      for (const [name, document] of drawn) {
        if (!name.endsWith('.txt')) continue;
        assert.doesNotMatch(document.replaceAll('\n', ''), /[\p{Cc}\p{Cs}\u2028\u2029]/u);
        for (const line of document.split('\n'))
          assert.ok(plainCells.measure(line) <= 80, `${name}: ${line}`);
      }
    }
  });
});
