/** Reports what a notification of Uptime Kuma asks for that no channel has. */
import type { Remarks } from '../item.ts';
import { flagIn, type Loose, ownValue, textIn } from '../record.ts';

const ownText = 'has a text of its own';
const ownUrgency = 'has a priority or a sound of its own: in statusd both follow the severity';

/** What fields of a form ask for that has nothing here. Names and pictures of the sender are not missed. */
const losses: Readonly<Record<string, readonly (readonly [text: string, ...keys: string[]])[]>> = {
  telegram: [
    [ownText, 'telegramUseTemplate'],
    ['sends without a sound', 'telegramSendSilently'],
    ['lets nobody forward its messages', 'telegramProtectContent'],
  ],
  ntfy: [
    [ownText, 'ntfyUseTemplate', 'ntfyCustomTitle', 'ntfyCustomMessage'],
    [ownUrgency, 'ntfyPriorityDown'],
    ['calls a telephone', 'ntfyCall'],
  ],
  pushover: [
    [ownUrgency, 'pushoverpriority', 'pushoversounds', 'pushoversounds_up'],
    [ownText, 'pushovertitle'],
    ['takes its messages back after a while', 'pushoverttl'],
  ],
  smtp: [['signs with DKIM: let the mail server do so', 'smtpDkimDomain']],
  GoogleChat: [[ownText, 'googleChatUseTemplate']],
  twilio: [['sends through a messaging service: put its SID into from', 'twilioMessagingServiceSID']],
};

export function reportLosses(type: string, config: Loose, remarks: Remarks): void {
  for (const [text, ...keys] of ownValue(losses, type) ?? [])
    if (keys.some((key) => isFilled(config, key))) remarks.drop(text);
}

/** Not empty, and not switched off. */
function isFilled(config: Loose, key: string): boolean {
  return !['', '0', 'false', 'null'].includes(textIn(config, key).trim()) || flagIn(config, key, false);
}
