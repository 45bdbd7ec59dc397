/** A test that the channel works. A down or recovered message that is a test has `isTest` instead. */
import type { Envelope, NoticeRow } from './event.ts';

export interface TestMessage extends Envelope {
  readonly event: 'test';
}

export const test: NoticeRow<TestMessage> = {
  event: 'test',
  severity: 'info',
  subject: 'node',
  isMutable: false,
  givenUp: 'after_a_day',
  withoutChannel: 'dropped',
  withoutMonitor: 'dropped',
  raisedBy: [],
  keyOf: () => '',
  read: () => ({}),
  webhook: () => ({}),
};
