/** The last lines: the keys, the result of the last action, or the input line and its effect. */
import { Box } from 'ink';
import { durationText } from '../../engine/core/duration.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { inWords } from '../../engine/core/words.ts';
import { acknowledgedText, impactedBy } from '../incidents.ts';
import { keymap, keyText } from '../keys.ts';
import { dialogLines } from '../selection.ts';
import { type ScreenState } from '../state.ts';
import { bannerTyped, isQuestion, pinnedBanners, presets, type Prompt, type PromptKind } from '../prompt.ts';
import { severityTones } from '../notices.ts';
import { type Marks, type StyledText, span } from '../theme.ts';
import { Line, Rule, useTheme } from './parts.tsx';

export function Footer({ state, room }: { readonly state: ScreenState; readonly room: number }) {
  const { marks } = useTheme();
  const { prompt, notice, size } = state;
  const hasDialog = room >= dialogLines;
  return (
    <Box flexDirection="column" flexShrink={0} height={1 + room}>
      {prompt === null || !hasDialog ? null : <Dialog state={state} prompt={prompt} />}
      {prompt === null ? (
        <Line
          spans={
            notice === null ? hintSpans(state, marks) : [span(` ${cleanLine(notice.text)}`, notice.tone)]
          }
        />
      ) : (
        <Line spans={promptSpans(prompt, hasDialog ? '' : subjectOf(state, prompt), size.columns)} />
      )}
    </Box>
  );
}

const promptWords: Readonly<Record<PromptKind, string>> = {
  filter: 'Filter',
  silence: 'Silence',
  unsilence: 'End silence',
  announce: 'Banner',
  unannounce: 'End banner',
  annotate: 'Note on',
  update: 'Update',
  acknowledge: 'Acknowledge',
  unacknowledge: 'Withdraw the acknowledgement',
};

const promptHints: Readonly<Record<PromptKind, string>> = {
  filter: 'a name, a group, down',
  silence: 'how long, and why: 1h deploy',
  unsilence: '',
  unannounce: '',
  announce: 'what to say; warning: in front says how bad',
  annotate: 'what the record should say',
  update: 'what is known; identified: in front says how far it is',
  acknowledge: '@name, then what is done about it',
  unacknowledge: '',
};

const endWords = {
  unsilence: 'ends silence',
  unannounce: 'ends banner',
  unacknowledge: 'withdraws it',
} as const;

/** The dialog names the incident that these are about. */
const ofIncident: readonly PromptKind[] = ['update', 'acknowledge'];

/** Where there is no room for the dialog, the line names the incident. */
function subjectOf({ model }: ScreenState, { subject }: Prompt): string {
  return model?.summary.incidents.find(({ uid }) => uid === subject)?.name ?? '';
}

function promptSpans(
  { kind, text, subject, isConfirming }: Prompt,
  incident: string,
  width: number,
): StyledText[] {
  if (isQuestion(kind))
    return [
      span(' enter', 'accent'),
      span(` ${endWords[kind]}${kind === 'unacknowledge' ? '' : ` ${subject ?? ''}`}, `),
      span('esc', 'accent'),
      span(' leaves it'),
    ];
  if (isConfirming)
    return [
      span(' enter', 'accent'),
      span(' publishes it, '),
      span('esc', 'accent'),
      span(' goes back to it'),
    ];
  const about = cleanLine(ofIncident.includes(kind) ? incident : (subject ?? ''));
  const lead = ` ${promptWords[kind]}${about === '' ? '' : ` ${about}`}: `;
  const typed = cleanLine(text);
  if (typed === '') return [span(lead, 'accent'), span('_'), span(` ${promptHints[kind]}`, 'dim')];
  return [span(lead, 'accent'), span(`${endOf(typed, Math.max(8, width - lead.length - 2))}_`)];
}

/** The end of what is typed is seen, however long it is. A wide character counts as two. */
function endOf(text: string, room: number): string {
  const segments = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  let used = 0;
  let from = segments.length;
  while (from > 0) {
    used += /^[ -~]$/.test(segments[from - 1] ?? '') ? 1 : 2;
    if (used > room) break;
    from -= 1;
  }
  return segments.slice(from).join('');
}

/** Says what the line that is typed will do, before it does. */
function Dialog({ state, prompt }: { readonly state: ScreenState; readonly prompt: Prompt }) {
  const { marks } = useTheme();
  const [first, second] = dialogSpans(state, prompt, marks);
  return (
    <>
      <Rule width={state.size.columns} spans={[span(promptWords[prompt.kind], 'strong')]} />
      <Line spans={[span(' '), ...first]} />
      <Line
        spans={[
          span(' '),
          ...(prompt.trouble === undefined ? second : [span(cleanLine(prompt.trouble), 'bad')]),
        ]}
      />
    </>
  );
}

type TwoLines = readonly [readonly StyledText[], readonly StyledText[]];

function dialogSpans(state: ScreenState, prompt: Prompt, marks: Marks): TwoLines {
  const { kind, text, subject } = prompt;
  const offered = presets[kind];
  const tab =
    offered.length === 0 ? [] : [span('tab', 'accent'), span(` ${offered.join(` ${marks.dot} `)}`, 'dim')];
  switch (kind) {
    case 'filter':
      return [[], []];
    case 'silence': {
      const below = state.glances.get(subject ?? '')?.dependents ?? [];
      const covers = [subject ?? '', ...below].map((id) => cleanLine(id));
      return [[span(`this will cover: ${inWords(covers, 8)}`)], tab];
    }
    case 'unsilence': {
      const silence = state.live?.silences.find(({ id }) => String(id) === subject);
      const over =
        silence?.monitors.includes('*') === true ? 'all monitors' : inWords(silence?.monitors ?? [], 8);
      const reason = silence?.reason ?? null;
      const why = reason === null ? '' : `: ${reason}`;
      return [
        [span(cleanLine(`silence ${subject ?? ''} of ${over}${why}`))],
        [span('what was held back and is still true is sent', 'dim')],
      ];
    }
    case 'announce': {
      const { severity, title } = bannerTyped(text);
      if (!prompt.isConfirming) return [[span('everybody who may see the page will see it', 'dim')], tab];
      return [
        [
          span('everybody will see: ', 'dim'),
          span(`${marks.banner} ${severity}: ${cleanLine(title)}`, severityTones[severity] ?? 'accent'),
        ],
        [span('it stays until it is ended: B', 'dim')],
      ];
    }
    case 'unannounce': {
      const banners = pinnedBanners(state.model);
      const banner = banners.find(({ id }) => String(id) === subject);
      const other = banners.length < 2 ? [] : [span('tab', 'accent'), span(' another one', 'dim')];
      if (banner === undefined) return [[span('it is over already', 'dim')], other];
      const { severity, title } = banner;
      const tone = severityTones[severity] ?? 'accent';
      return [
        [span('nobody will see any more: ', 'dim'), span(cleanLine(`${severity}: ${title}`), tone)],
        other,
      ];
    }
    case 'annotate':
      return [[span('the note goes to its last incident, and is public where the monitor is', 'dim')], tab];
    case 'acknowledge':
    case 'unacknowledge':
      return acknowledgeSpans(state, prompt);
    case 'update': {
      const name = state.model?.summary.incidents.find(({ uid }) => uid === subject)?.name ?? '';
      return [
        [span(cleanLine(`the update of "${name}" is on the page, in the history and in the feed`), 'dim')],
        tab,
      ];
    }
  }
}

/** Which incident it is, and which monitors it took along. */
function acknowledgeSpans({ model, nowAt }: ScreenState, { kind, subject }: Prompt): TwoLines {
  const incident = model?.summary.incidents.find(({ uid }) => uid === subject);
  if (model === null || incident === undefined) return [[span('it is over already', 'dim')], []];
  const { summary, readAt } = model;
  const { id, name, acknowledged, duration_secs, cause } = incident;
  const nameOf = (monitor: string) => summary.monitors.find((one) => one.id === monitor)?.name ?? monitor;
  const what = `${id === undefined ? '' : `#${id} `}${name}`;
  if (kind === 'unacknowledge') {
    const by = acknowledged === null ? '' : `: ${acknowledgedText(acknowledged, summary.generated_at)}`;
    return [[span(cleanLine(`${what}${by}`))], [span('reminders go on', 'dim')]];
  }
  const length = durationText(duration_secs * 1000 + Math.max(0, nowAt - readAt));
  const below = impactedBy(incident, summary).map(nameOf);
  const along = below.length === 0 ? '' : `, and with it: ${inWords(below, 8)}`;
  const because = cause === null ? '' : `, because of ${nameOf(cause)}`;
  const state = incident.kind === 'unknown' ? 'not checked' : 'down';
  return [
    [span(cleanLine(`${what}, ${state} for ${length}${because}${along}`))],
    [span('reminders stop; the recovery is still sent', 'dim')],
  ];
}

/** As many hints as fit; help and quit always do. */
function hintSpans({ place, size }: ScreenState, marks: Marks): StyledText[] {
  const hints = keymap
    .filter(({ on, hint }) => hint !== null && on.includes(place))
    .map(({ keys, hint }) => ({ key: keyText(keys[0] ?? '', marks), hint: hint ?? '' }));
  const widthOf = (kept: typeof hints) =>
    kept.reduce((sum, { key, hint }) => sum + key.length + hint.length + 3, 0);
  const kept = [...hints];
  while (kept.length > 2 && widthOf(kept) > size.columns) kept.splice(-3, 1);
  return kept.flatMap(({ key, hint }, index) => [
    span(index === 0 ? ' ' : '  '),
    span(key, 'accent'),
    span(` ${hint}`, 'dim'),
  ]);
}
