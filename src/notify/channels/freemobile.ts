/** Free Mobile, which sends its customers an SMS to their own phone (mobile.free.fr, "Notifications par SMS"). */
import { textOf, titled } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import type { HttpChannel } from './http.ts';

/** Three SMS. */
const limit = 480;

export const freemobile: HttpChannel<'freemobile'> = {
  vendor: 'Free Mobile',
  call: (message, channel) => {
    const query = new URLSearchParams({
      user: channel.user,
      pass: channel.pass.reveal(),
      // A line break ends the message at some of its servers; the answer of a target is nothing for an SMS.
      msg: textOf(titled({ ...wordingOf(message), quote: [] }, message.severity), message, {
        limit,
        separator: ' - ',
      }),
    });
    const api = channel.api_url ?? 'https://smsapi.free-mobile.fr';
    return { url: `${api}/sendmsg?${query.toString()}`, method: 'GET', headers: [], body: null };
  },
  whoAmI: null,
  advice: {
    400: 'user and pass',
    402: 'how many messages it gets: too many in too short a time',
    403: 'user and pass, and that the service is switched on in the account',
  },
  passing: [402],
};
