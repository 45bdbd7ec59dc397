/** SMS through Twilio's message API (twilio.com/docs/messaging/api/message-resource). */
import { basic } from '../../engine/net/http/request.ts';
import { textOf, titled } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import type { ChannelOf } from './channel.ts';
import type { HttpChannel } from './http.ts';

const account = ({ api_url, account_sid }: ChannelOf<'twilio'>) =>
  `${api_url ?? 'https://api.twilio.com'}/2010-04-01/Accounts/${encodeURIComponent(account_sid)}`;

const authorization = ({ account_sid, token }: ChannelOf<'twilio'>) =>
  ['authorization', basic({ username: account_sid, password: token.reveal() })] as const;

/** Three SMS, of the 1,600 characters that the service takes. */
const limit = 480;

export const twilio: HttpChannel<'twilio'> = {
  vendor: 'Twilio',
  call: (message, channel) => ({
    url: `${account(channel)}/Messages.json`,
    method: 'POST',
    headers: [['content-type', 'application/x-www-form-urlencoded'], authorization(channel)],
    body: new URLSearchParams({
      To: channel.to,
      [channel.from.startsWith('MG') ? 'MessagingServiceSid' : 'From']: channel.from,
      // The answer of a target is nothing for an SMS.
      Body: textOf(titled({ ...wordingOf(message), quote: [] }, message.severity), message, { limit }),
    }).toString(),
  }),
  whoAmI: (channel) => ({
    url: `${account(channel)}.json`,
    method: 'GET',
    headers: [authorization(channel)],
    body: null,
  }),
  advice: {
    400: 'from and to',
    401: 'account_sid and token',
    403: 'the account: it may not send there',
    404: 'account_sid',
  },
};
