/** What every message carries, and how it calls what it is about. */
import type { Message, Named } from '../message.ts';
import type { DeliveryContext } from './context.ts';

/** What all variants of a message begin with. */
export type Envelope = Pick<Message, 'deliveryId' | 'isTest' | 'link' | 'repeat'>;

export function named(id: string, context: DeliveryContext): Named {
  return { id, name: nameOf(id, context, id) };
}

/** The configured name; `otherwise` for what is configured no more. */
export function nameOf(id: string, { settings }: DeliveryContext, otherwise: string): string {
  return settings.names.get(id) ?? otherwise;
}
