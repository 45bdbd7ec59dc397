/** Rocket.Chat, through an incoming webhook (docs.rocket.chat, "Integrations"). */
import { fenced } from './fence.ts';
import { type HttpChannel, jsonBody } from './http.ts';

export const rocketchat: HttpChannel<'rocketchat'> = {
  vendor: 'Rocket.Chat',
  call: (message, channel) => ({
    url: channel.webhook_url.reveal(),
    method: 'POST',
    // Message_MaxAllowedSize is 5,000 unless someone changed it.
    ...jsonBody({ text: fenced(message, { limit: 4500 }), parseUrls: false }),
  }),
  whoAmI: null,
  advice: {
    400: 'webhook_url, and that its integration is switched on',
    401: 'webhook_url: its token is wrong',
    404: 'webhook_url: the integration was deleted',
  },
  isRefusal: ({ success }) => success === false,
};
