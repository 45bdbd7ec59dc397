/** Texts that act on a terminal which shows them as they are. */

/**
 * What each one does, and its text. No sequence for colours is one that statusd itself draws with, so that a
 * text which came through cannot pass for the program's own.
 */
export const hostileTexts: Readonly<Record<string, string>> = {
  'clears the screen': 'cls\u001b[2J\u001b[H',
  'colours what follows': 'sgr\u001b[5;41mred',
  'draws with truecolor': 'rgb\u001b[38;2;255;0;0mred',
  'asks the terminal for its position': 'dsr\u001b[6n',
  'turns mouse reports on': 'mouse\u001b[?1000h',
  'leaves a sequence open': 'open\u001b[',
  'sets the title': 'title\u001b]0;owned\u0007',
  'starts a string that never ends': 'endless\u001b]2;owned',
  'links elsewhere': 'link\u001b]8;;https://evil.example/\u001b\\bank\u001b]8;;\u001b\\',
  'fills the clipboard': 'clip\u001b]52;c;cm0gLXJmIH4=\u0007',
  'asks for a setting': 'dcs\u001bP$qm\u001b\\',
  'sends an application command': 'apc\u001b_Gi=1;AAAA\u001b\\',
  'resets the terminal': 'ris\u001bc',
  'draws lines for letters': 'dec\u001b(0qqq\u000e',
  'clears the screen with one C1 code': 'c1\u009b2J',
  'sets the title with C1 codes': 'c1t\u009d0;owned\u009c',
  'starts a C1 string': 'c1d\u0090q#0\u009c',
  'breaks the line with NEL': 'nel\u0085FAKE',
  rings: 'bel\u0007\u0007',
  'erases what was written': 'safe\b\b\b\bevil',
  'is written over itself': 'evil\rgood',
  'forges a line': 'one\nFAKE up\r\nFAKE too',
  'moves down': 'vt\u000b\u000cff',
  deletes: 'del\u007f\u007f',
  'answers back': 'enq\u0005',
  'shifts out': 'so\u000e\u000f',
  'ends in NUL': 'nul\u0000end',
  'turns the text round': 'rlo\u202egpj.exe\u202c',
  'isolates and never pops': 'iso\u2066\u2067\u2068x',
  'marks a direction': 'mark\u200e\u200f\u061c',
  'hides characters': 'zero\u200b\u200c\u2060\ufeffwidth',
  'breaks lines as Unicode does': 'ls\u2028FAKE\u2029FAKE',
  'writes in tags': 'tag\u{e0041}\u{e0042}\u{e007f}',
  'fills with nothing': 'fill\u3164\uffa0\u00ad\u115f',
  annotates: 'anno\ufff9a\ufffab\ufffb',
};

/** Texts that are no attack, and still must not push a table out of shape. */
export const awkwardTexts: Readonly<Record<string, string>> = {
  wide: '京都の漢字は幅が広い',
  'a family': '👩\u200d👩\u200d👧\u200d👦 🇫🇷 👍🏽',
  combining: `e${'\u0301\u0323'.repeat(6)}`,
  'right to left': 'שלום עולם مرحبا',
  'of private use': '\ue000\u{f0000}',
  'half a pair': 'half\ud83d and \udc00other',
  tabs: 'tab\tstop\t',
  'a very long word': 'w'.repeat(400),
  'very long and wide': '長'.repeat(200),
};

const short = [...Object.values(hostileTexts), ...Object.values(awkwardTexts)].filter(
  ({ length }) => length < 100,
);

/** All of them but the longest, in texts of at most `maxLength` UTF-16 units that begin with `mark`. */
export function volleys(
  mark: string,
  maxLength: number,
  isFit: (text: string) => boolean = () => true,
): string[] {
  return short.filter(isFit).reduce<string[]>((made, text) => {
    const last = made.at(-1);
    const longer = `${last ?? mark} ${text}`;
    if (last === undefined || longer.length > maxLength) return [...made, `${mark} ${text}`];
    return [...made.slice(0, -1), longer];
  }, []);
}

/** All of them in one text. */
export function barrage(mark: string): string {
  return [mark, ...short, ...Object.values(awkwardTexts)].join(' ');
}
