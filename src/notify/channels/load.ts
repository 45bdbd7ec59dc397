/** Loads what channels need before they need it. */
import type { Channel } from '../../engine/config/config.ts';
import { loadHttpClient } from '../../engine/net/http/client.ts';

/**
 * A process that lives long does so at its start and after a reload: what Node once failed to load, for want of a
 * file descriptor, fails to load until the process ends.
 */
export async function loadChannels(channels: readonly Pick<Channel, 'type'>[]): Promise<void> {
  const hasMail = channels.some(({ type }) => type === 'email');
  const hasOthers = channels.some(({ type }) => type !== 'email');
  await Promise.all([...(hasMail ? [import('nodemailer')] : []), ...(hasOthers ? [loadHttpClient()] : [])]);
}
