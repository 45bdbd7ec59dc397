/** Tells whether a mail server refuses because its client has sent too much. */

/** What is looked at of an error of nodemailer. */
interface Refusal {
  readonly response?: string;
  readonly rejectedErrors?: readonly { readonly response?: string }[];
}

const words =
  /quota|throttl|too many (?:e-?mails?|messages?|mails?|recipients|concurrent|connections?|sessions)|rate[ -]?limit|(?:sending|send|sent|relay|daily|hourly|message|messages|mails?|submission|rate|recipients?) limits?|limit (?:is |was |has been )?(?:exceeded|reached)|maximum sending rate/i;

/** The mailbox of one recipient is full (RFC 3463, X.2.2), which says nothing of what the client may send. */
const ofRecipient =
  /mailbox|inbox|over ?quota|recipient'?s|user(?:'s)? .*(?:full|quota)|account that you tried|<[^<>\s]+@[^<>\s]+>/i;

/**
 * Whether the reply of a server speaks of a quota of its client: by its words, as the codes of servers differ (421, 450,
 * 452, 454, 550 and 554 are all in use). A reply about one full mailbox does not.
 */
export function speaksOfQuota(thrown: unknown): boolean {
  const { response, rejectedErrors = [] } = (thrown ?? {}) as Refusal;
  return [response, ...rejectedErrors.map((each) => each.response)].some(isOfQuota);
}

function isOfQuota(reply: string | undefined): boolean {
  if (reply === undefined || !/^[45]\d\d/.test(reply) || !words.test(reply)) return false;
  const isOfMailbox =
    /^\d{3}[ -][45]\.2\.[12]\b/.test(reply) || /^552\b/.test(reply) || !/^\d{3}[ -][45]\.\d/.test(reply);
  return !(isOfMailbox && ofRecipient.test(reply));
}
