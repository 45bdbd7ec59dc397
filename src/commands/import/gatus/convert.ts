/** Turns a configuration of Gatus into the items of one of statusd. */
import type { Imported } from '../document.ts';
import type { Item } from '../item.ts';
import { createIds, slug } from '../names.ts';
import type { Secrets } from '../variables.ts';
import { createAlerting } from './alerting.ts';
import { type Draft, type EndpointContext, endpointDraft, externalDraft, routed } from './endpoint.ts';
import { noticeItems } from './notices.ts';
import { expiryOf, settingsItems } from './settings.ts';
import { type Loose, recordsIn, textAt } from './tree.ts';

export function convertGatus(root: Loose, secrets: Secrets): Imported {
  const alerting = createAlerting(root, secrets);
  const endpoints = [...recordsIn(root['endpoints']), ...recordsIn(root['services'])];
  const externals = recordsIn(root['external-endpoints']);
  const identityOf = identities([...endpoints, ...externals]);
  const drafts: Draft[] = [
    ...endpoints.map((endpoint) => endpointDraft(endpoint, { ...identityOf(endpoint), alerting, secrets })),
    ...externals.map((endpoint) => externalDraft(endpoint, { ...identityOf(endpoint), alerting, secrets })),
  ];
  const channels = alerting.channels();
  const count = channels.filter(({ result }) => result.kind === 'written').length;
  const expiry = expiryOf(drafts);
  const monitors = drafts.map((draft) => expiry.told(routed(draft, count), draft));
  return {
    program: 'Gatus',
    items: [
      ...settingsItems(root, expiry),
      ...channels,
      ...monitors,
      ...recordsIn(root['suites']).map(suiteItem),
      ...noticeItems(root),
    ],
    wanted: secrets.wanted(),
  };
}

type Identity = Pick<EndpointContext, 'id' | 'isShared'>;

/** A name that is there once makes the id; with its group it is told from others of the same name. */
function identities(endpoints: readonly Loose[]): (endpoint: Loose) => Identity {
  const next = createIds();
  const slugs = endpoints.map((endpoint) => slug(textAt(endpoint, 'name')));
  const found = endpoints.map((endpoint, index): Identity => {
    const isShared = slugs.filter((one) => one === slugs[index]).length > 1;
    const name = textAt(endpoint, 'name');
    const wanted = isShared ? `${textAt(endpoint, 'group')} ${name}` : name;
    return { id: next(wanted, `endpoint-${index + 1}`), isShared };
  });
  return (endpoint) => found[endpoints.indexOf(endpoint)] ?? { id: '', isShared: false };
}

function suiteItem(suite: Loose): Item {
  const text = 'is a sequence of requests that hand values on: write an exec plugin, or push from a script';
  return {
    kind: 'monitor',
    name: textAt(suite, 'name') || 'suite',
    type: 'suite',
    result: { kind: 'left_out' },
    remarks: [{ level: 'dropped', text }],
  };
}
