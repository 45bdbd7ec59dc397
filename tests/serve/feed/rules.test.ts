import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { XMLParser } from 'fast-xml-parser';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { startHttp } from '../../../src/serve/http.ts';
import { openWorld, startAt, type World } from '../world.ts';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

type Node = Readonly<Record<string, unknown>>;

function elementsIn(nodes: readonly Node[]): Element[] {
  return nodes.flatMap((node) => {
    const name = Object.keys(node).find(
      (key) => key !== ':@' && !key.startsWith('#') && !key.startsWith('?'),
    );
    if (name === undefined) return [];
    const inner = node[name] as readonly Node[];
    const texts = inner.flatMap((child) => ('#text' in child ? [String(child['#text'])] : []));
    return [
      {
        name,
        attributes: (node[':@'] ?? {}) as Record<string, string>,
        children: elementsIn(inner),
        text: texts.join(''),
      },
    ];
  });
}

function rootOf(document: string): Element {
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    trimValues: false,
  });
  const [root] = elementsIn(parser.parse(document) as Node[]);
  assert.ok(root);
  return root;
}

function all(element: Element, name: string): readonly Element[] {
  return element.children.filter((child) => child.name === name);
}

function textOf(element: Element, name: string): string {
  return all(element, name)[0]?.text ?? '';
}

/** RFC 3339 with a capital T and Z (RFC 4287, section 3.3), an instant that exists. */
function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** An absolute IRI: a UUID (RFC 9562, section 4) for ids. */
const uuidUri = /^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a feed has against the rules of RFC 4287, section 4, as far as it uses them. */
function faultsOf(feed: Element): readonly string[] {
  const faults: string[] = [];
  const must = (isRight: boolean, rule: string) => {
    if (!isRight) faults.push(rule);
  };
  const metadata = (element: Element, at: string, known: readonly string[]) => {
    for (const name of ['id', 'title', 'updated'])
      must(all(element, name).length === 1, `${at}: one ${name}`);
    must(uuidUri.test(textOf(element, 'id')), `${at}: id is no absolute IRI`);
    must(isInstant(textOf(element, 'updated')), `${at}: updated is no instant`);
    for (const { name, children } of element.children) {
      must(known.includes(name), `${at}: ${name}`);
      must(name === 'author' || name === 'entry' || children.length === 0, `${at}: markup in ${name}`);
    }
    const alternates = all(element, 'link').filter(({ attributes }) => attributes['rel'] === 'alternate');
    must(alternates.length === 1, `${at}: one alternate`);
    for (const { attributes } of all(element, 'link')) {
      must(URL.canParse(attributes['href'] ?? ''), `${at}: href ${attributes['href'] ?? ''}`);
    }
  };
  must(feed.name === 'feed' && feed.attributes['xmlns'] === 'http://www.w3.org/2005/Atom', 'the namespace');
  metadata(feed, 'feed', ['id', 'title', 'updated', 'author', 'link', 'generator', 'entry']);
  const authors = all(feed, 'author');
  must(
    authors.length === 1 && authors.every((author) => textOf(author, 'name') !== ''),
    'an author with a name',
  );
  must(all(feed, 'link').filter(({ attributes }) => attributes['rel'] === 'self').length === 1, 'one self');
  const entries = all(feed, 'entry');
  must(new Set(entries.map((entry) => textOf(entry, 'id'))).size === entries.length, 'ids are of one entry');
  for (const entry of entries) {
    metadata(entry, 'entry', ['id', 'title', 'published', 'updated', 'link', 'category', 'content']);
    must(isInstant(textOf(entry, 'published')), 'entry: published is no instant');
    must(textOf(entry, 'published') <= textOf(entry, 'updated'), 'entry: updated before it was published');
    must(textOf(feed, 'updated') >= textOf(entry, 'updated'), 'feed: older than an entry');
    must(all(entry, 'content').length === 1, 'entry: one content');
    for (const { attributes } of all(entry, 'category'))
      must(attributes['term'] !== undefined, 'category: term');
  }
  return faults;
}

const config = `
auth_token = "operator-token"

[[monitors]]
id = "web"
name = "Website & <more>"
target = "https://example.com"

[[monitors]]
id = "hidden"
target = "https://hidden.example.com"
public = false
`;

const minute = 60_000;

describe('the feed as it is served', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
  });
  after(() => world.close());

  const get = async (headers: Readonly<Record<string, string>> = {}) => {
    const reply = await world.ask('/history.atom', { headers });
    return { ...reply, feed: reply.status === 304 ? null : rootOf(reply.text) };
  };
  const open = (uid: string, monitor: string, minutesAgo: number) =>
    incidents.open({
      uid,
      monitor,
      name: monitor === 'web' ? 'Website & <more>' : monitor,
      startedAt: startAt - minutesAgo * minute,
      confirmedAt: startAt - (minutesAgo - 1) * minute,
      category: 'timeout',
      reason: null,
      cause: null,
      impacted: [],
      snapshot: null,
      vantage: null,
    });
  const entryOf = (feed: Element | null, uid: string) => {
    const found = all(feed ?? rootOf('<feed/>'), 'entry').find((entry) =>
      all(entry, 'link').some(({ attributes }) => attributes['href']?.endsWith(`/incidents/${uid}`)),
    );
    assert.ok(found, uid);
    return { id: textOf(found, 'id'), updated: textOf(found, 'updated'), entry: found };
  };

  it('keeps to RFC 4287 without an incident, and does not change by being looked at', async () => {
    const first = await get();
    assert.deepEqual(faultsOf(first.feed ?? rootOf('<x/>')), []);
    world.clock.advance(10 * minute);
    const tag = first.headers.get('etag') ?? '';
    assert.equal((await get({ 'if-none-match': tag })).status, 304);
  });

  it('keeps to RFC 4287 with incidents, for everybody', async () => {
    await world.store.write([
      open('a1', 'web', 50),
      incidents.close({ uid: 'a1', endedAt: startAt - 40 * minute }),
      open('a2', 'hidden', 30),
      open('a3', 'web', 20),
    ]);
    for (const [headers, count] of [
      [{}, 2],
      [{ authorization: 'Bearer operator-token' }, 3],
    ] as const) {
      const { feed } = await get(headers);
      assert.ok(feed);
      assert.deepEqual(faultsOf(feed), []);
      assert.equal(all(feed, 'entry').length, count);
      const self = all(feed, 'link').find(({ attributes }) => attributes['rel'] === 'self');
      assert.equal(self?.attributes['href'], `${world.url}/history.atom`);
    }
  });

  it('has the same ids whatever the Host header says, and after a restart', async () => {
    const idsIn = (feed: Element | null) =>
      [feed ?? rootOf('<x/>'), ...all(feed ?? rootOf('<x/>'), 'entry')].map((one) => textOf(one, 'id'));
    const first = idsIn((await get()).feed);
    assert.equal(first.length, 3);
    const other = await world.raw(
      'GET /history.atom HTTP/1.1\r\nHost: status.example.org\r\nConnection: close\r\n\r\n',
    );
    assert.match(other, /http:\/\/status\.example\.org\/history\.atom/);
    assert.deepEqual(idsIn(rootOf(other.slice(other.indexOf('<?xml'), other.lastIndexOf('>') + 1))), first);
    const again = await startHttp({
      loaded: world.loaded,
      store: world.store,
      clock: world.clock,
      log: () => undefined,
      version: '0.0.0',
      engine: world.engine,
      probe: () => Promise.reject(new Error('nothing is probed here')),
      newRequestId: () => 'made-later',
    });
    try {
      const reply = await fetch(`http://127.0.0.1:${again.address.port}/history.atom`);
      assert.deepEqual(idsIn(rootOf(await reply.text())), first);
    } finally {
      await again.stop(0);
    }
  });

  it('moves an entry and the feed when a note is added, and when it is over, under the same id', async () => {
    const before = await get();
    const { id, updated } = entryOf(before.feed, 'a3');
    assert.equal(updated, '2026-06-07T11:41:00Z');
    const changes = [
      [incidents.annotate({ uid: 'a3', note: 'A cable', at: startAt - 10 * minute }), '2026-06-07T11:50:00Z'],
      [incidents.close({ uid: 'a3', endedAt: startAt - 5 * minute }), '2026-06-07T11:55:00Z'],
      [incidents.annotate({ uid: 'a3', note: '', at: startAt - 2 * minute }), '2026-06-07T11:58:00Z'],
    ] as const;
    let tag = before.headers.get('etag') ?? '';
    for (const [change, at] of changes) {
      await world.store.write([change]);
      const { status, feed, headers } = await get({ 'if-none-match': tag });
      assert.equal(status, 200);
      const entry = entryOf(feed, 'a3');
      assert.deepEqual([entry.id, entry.updated, textOf(feed ?? rootOf('<x/>'), 'updated')], [id, at, at]);
      tag = headers.get('etag') ?? '';
    }
  });

  it('leads to the page of the incident', async () => {
    const { entry } = entryOf((await get()).feed, 'a1');
    const { pathname, search } = new URL(all(entry, 'link')[0]?.attributes['href'] ?? '');
    assert.equal(pathname, '/incidents/a1');
    const page = await world.ask(`${pathname}${search}`, { headers: { accept: 'text/html' } });
    assert.equal(page.status, 200);
    assert.match(page.text, /<h1><bdi>Website [^<]*<\/bdi> was down<\/h1>/);
  });

  it('would be found out if it broke a rule', async () => {
    const { text } = await get();
    for (const [right, wrong] of [
      ['<author>', '<contributor>'],
      [/<updated>[^<]*/, '<updated>2026-06-07 11:00'],
      [/<id>[^<]*/, '<id>history'],
      ['<title>', '<title><b/>'],
      [/(<entry><id>)([^<]*)(.*<entry><id>)[^<]*/s, '$1$2$3$2'],
      ['rel="self"', 'rel="alternate"'],
    ] as const) {
      const broken = text
        .replace(right, wrong)
        .replace('</author>', right === '<author>' ? '</contributor>' : '$&');
      assert.notEqual(broken, text);
      assert.notDeepEqual(faultsOf(rootOf(broken)), [], String(right));
    }
  });
});
