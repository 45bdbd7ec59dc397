/** What every message carries, and how it calls what it is about. */
import type { Message, Named } from '../message.ts';
import type { Facts } from './facts.ts';

/** What all variants of a message begin with. */
export type Envelope = Pick<Message, 'deliveryId' | 'isTest' | 'link' | 'repeat'>;

export function named(id: string, facts: Facts): Named {
  return { id, name: nameOf(id, facts, id) };
}

/** The configured name; `otherwise` for what is configured no more. */
export function nameOf(id: string, { setting }: Facts, otherwise: string): string {
  return setting.names.get(id) ?? otherwise;
}
