/** The input line at the bottom of the screen: its subject, its suggestions, its meaning. */
import type { LiveView } from '../engine/views/live.ts';
import { silenceOver } from './incidents.ts';
import type { Model } from './model.ts';
import type { HeaderNotice } from './notices.ts';

export type PromptKind =
  | 'filter'
  | 'silence'
  | 'unsilence'
  | 'announce'
  | 'unannounce'
  | 'annotate'
  | 'update'
  | 'acknowledge'
  | 'unacknowledge';

export interface Prompt {
  readonly kind: PromptKind;
  readonly text: string;
  /**
   * What it is about: a monitor; for an update and an acknowledgement the uid of an incident; for an end the number of
   * the silence or the banner; null: none in particular.
   */
  readonly subject: string | null;
  /** It is shown as it will be, and done with the next Enter. */
  readonly isConfirming: boolean;
  /** Why it was refused as it stands; absent: it was not. */
  readonly trouble?: string;
}

/** What an operator does from the screen. `text` is as typed. */
export type OperatorAction =
  | { readonly kind: 'silence' | 'annotate'; readonly monitor: string; readonly text: string }
  | { readonly kind: 'announce'; readonly text: string }
  | { readonly kind: 'update' | 'acknowledge'; readonly incident: string; readonly text: string }
  | { readonly kind: 'unacknowledge'; readonly incident: string }
  | { readonly kind: 'unsilence' | 'unannounce'; readonly id: number }
  | { readonly kind: 'check'; readonly monitor: string };

/** What Tab puts in front of the text, one after the other. */
export const presets: Readonly<Record<PromptKind, readonly string[]>> = {
  filter: ['down', 'degraded', 'up'],
  silence: ['15m', '1h', '4h', '1d'],
  unsilence: [],
  unannounce: [],
  announce: ['info:', 'warning:', 'critical:', 'resolved:'],
  annotate: [],
  update: ['investigating:', 'identified:', 'monitoring:'],
  acknowledge: [],
  unacknowledge: [],
};

/** The next preset in the place of the one that stands in front, or before what was typed. */
export function withPreset({ kind, text }: Pick<Prompt, 'kind' | 'text'>): string {
  const offered = presets[kind];
  const [first = '', ...rest] = text.trim().split(' ');
  const at = offered.indexOf(first);
  const next = offered[(at + 1) % offered.length];
  if (next === undefined) return text;
  return `${next} ${at === -1 ? text.trim() : rest.join(' ')}`;
}

/** What is published is seen before it is. */
export function needsConfirming(kind: PromptKind): boolean {
  return kind === 'announce';
}

/** Nothing is typed: Enter ends what is shown. */
export function isQuestion(kind: PromptKind): kind is 'unsilence' | 'unannounce' | 'unacknowledge' {
  return kind === 'unsilence' || kind === 'unannounce' || kind === 'unacknowledge';
}

/** What the typed line asks for; null: nothing. An empty one changes nothing, but to end or to acknowledge needs no words. */
export function actionOf({ kind, text: typed, subject }: Prompt): OperatorAction | null {
  const text = typed.trim();
  if (kind === 'announce') return text === '' ? null : { kind, text };
  if (kind === 'filter' || subject === null) return null;
  if (kind === 'unacknowledge') return { kind, incident: subject };
  if (isQuestion(kind)) return { kind, id: Number(subject) };
  if (kind === 'acknowledge') return { kind, incident: subject, text };
  if (text === '') return null;
  return kind === 'update' ? { kind, incident: subject, text } : { kind, monitor: subject, text };
}

/** The word of a silence that names one monitor by its id: `all` alone would silence everything. */
export function silencedWord(monitor: string): string {
  return monitor === 'all' ? 'all,all' : monitor;
}

/** `1h deploy of the API`: how long, then why. */
export function silenceTyped(text: string): { readonly duration: string; readonly reason: string } {
  const [duration = '', ...words] = text.trim().split(/\s+/);
  return { duration, reason: words.join(' ') };
}

/** `! the text`: it is published even if it names what strangers are not shown. */
function publishedTyped(typed: string): { readonly text: string; readonly isForced: boolean } {
  const [, mark, text = ''] = /^(!?)\s*(.*)$/s.exec(typed.trim()) ?? [];
  return { text, isForced: mark === '!' };
}

/** The note of an incident. */
export function noteTyped(typed: string): { readonly note: string; readonly isForced: boolean } {
  const { text: note, isForced } = publishedTyped(typed);
  return { note, isForced };
}

/** `warning: slow today`; without a severity in front it is info. */
export function bannerTyped(typed: string): {
  readonly severity: string;
  readonly title: string;
  readonly isForced: boolean;
} {
  const { text, isForced } = publishedTyped(typed);
  const found = /^(info|warning|critical|resolved):\s*(.*)$/is.exec(text);
  return { severity: found?.[1]?.toLowerCase() ?? 'info', title: found?.[2] ?? text, isForced };
}

/** `identified: a full disk`; without a state in front that stays what it is. */
export function updateTyped(typed: string): {
  readonly state: string | null;
  readonly message: string;
  readonly isForced: boolean;
} {
  const { text, isForced } = publishedTyped(typed);
  const found = /^(investigating|identified|monitoring|resolved):\s*(.*)$/is.exec(text);
  return { state: found?.[1]?.toLowerCase() ?? null, message: found?.[2] ?? text, isForced };
}

/** `@ann restarting it`: who is at work, then what is done about it. */
export function acknowledgeTyped(text: string): { readonly by: string | null; readonly reason: string } {
  const [, by = null, reason = ''] = /^(?:@(\S+))?\s*(.*)$/.exec(text.trim()) ?? [];
  return { by, reason };
}

export interface PromptInputs {
  readonly model: Model | null;
  readonly live: LiveView | null;
  readonly filter: string;
  /** Under the cursor; null: there is none. */
  readonly monitor: string | null;
  /** Who is logged in; null: not known. */
  readonly author: string | null;
}

/** The line to type into, or why there is nothing to type. */
export function openedPrompt(
  kind: Exclude<PromptKind, 'unacknowledge'>,
  { model, live, filter, monitor, author }: PromptInputs,
): { readonly prompt?: Prompt; readonly notice?: HeaderNotice } {
  const prompt = (subject: string | null, isConfirming = false) => ({
    prompt: { kind, text: kind === 'filter' ? filter : '', subject, isConfirming },
  });
  const nothing = (text: string) => ({ notice: { text, tone: 'warn' } as const });
  if (kind === 'filter' || kind === 'announce') return prompt(null);
  if (kind === 'unannounce') {
    const [first] = pinnedBanners(model);
    return first === undefined
      ? nothing('no banner is up that can be ended here')
      : prompt(String(first.id), true);
  }
  if (monitor === null) return {};
  switch (kind) {
    case 'silence':
    case 'annotate':
      return prompt(monitor);
    case 'unsilence': {
      const silence = silenceOver(live, monitor);
      return silence === null ? nothing(`no silence names ${monitor}`) : prompt(String(silence.id), true);
    }
    case 'acknowledge': {
      const incident = model?.summary.incidents.find((one) => one.monitor === monitor);
      if (incident === undefined) return nothing(`no incident of ${monitor} is open`);
      const { uid: subject, acknowledged } = incident;
      if (acknowledged !== null)
        return { prompt: { kind: 'unacknowledge', text: '', subject, isConfirming: true } };
      const text = author === null ? '' : `@${author} `;
      return { prompt: { kind, text, subject, isConfirming: false } };
    }
    case 'update': {
      const incidents = model?.summary.incidents ?? [];
      const about =
        incidents.find((incident) => incident.monitor === monitor) ??
        incidents.find((incident) => incident.kind === 'operator' && incident.monitors.includes(monitor));
      return about === undefined ? nothing(`no incident of ${monitor} is open`) : prompt(about.uid);
    }
  }
}

/** The banners with a number: those of the configuration have none, and strangers see none. */
export function pinnedBanners(model: Model | null) {
  return (model?.summary.announcements ?? []).flatMap(({ id, severity, title }) =>
    typeof id === 'number' ? [{ id, severity, title }] : [],
  );
}

export function nextBanner(prompt: Prompt, model: Model | null): Prompt {
  const banners = pinnedBanners(model);
  const at = banners.findIndex(({ id }) => String(id) === prompt.subject);
  const next = banners[(at + 1) % Math.max(1, banners.length)];
  return next === undefined ? prompt : { ...prompt, subject: String(next.id) };
}
