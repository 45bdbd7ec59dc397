/** A reader who gets mails, put straight into the store, with a link that works. */
import type { Operation } from '../../src/db/store/operation.ts';
import { subscribers } from '../../src/db/tables/subscribers.ts';
import { digestOfSecret, linkOf } from '../../src/engine/operations/subscribe.ts';

const secret = 'a'.repeat(43);

export const readerLink = linkOf('reader', secret);

/** What has to stand in a configuration for mails: the head goes to `[server]`, the tail anywhere. */
export const mailConfig = {
  head: 'base_url = "https://status.example.org"\n',
  tail: `
[subscribe]
email_channel = "mail"

[[channels]]
name = "mail"
type = "email"
host = "127.0.0.1"
from = "statusd@example.com"
to = ["ops@example.com"]
`,
};

export function readerWrites(at: number, groups: readonly string[] = []): readonly Operation[] {
  return [
    subscribers.ask({ uid: 'reader', address: 'reader@example.com', groups, at, max: 100 }),
    subscribers.confirm({ uid: 'reader', at }),
    subscribers.admit({ uid: 'reader', token: digestOfSecret(secret) }),
  ];
}
