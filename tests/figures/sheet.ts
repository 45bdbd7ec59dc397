/** Figures by what shows them, what they are and whom they are about: the shape in which surfaces and the oracle are compared. */

export type Value = string | number | null;

/** By figure (`digest: uptime`), then by subject (`web`). */
export class Sheet {
  readonly figures = new Map<string, Map<string, Value>>();

  /** Collects the figures of one surface. */
  of(surface: string): { readonly put: (figure: string, subject: string, value: Value) => void } {
    return {
      put: (figure, subject, value) => {
        const key = `${surface}: ${figure}`;
        const own = this.figures.get(key) ?? new Map<string, Value>();
        own.set(subject, typeof value === 'number' ? Number(value.toPrecision(10)) : value);
        this.figures.set(key, own);
      },
    };
  }
}

/** `web: expected 99.95, got 100`, for each subject that differs. */
export function differences(expected: Sheet, shown: Sheet, figure: string): readonly string[] {
  const wanted = expected.figures.get(figure) ?? new Map<string, Value>();
  const found = shown.figures.get(figure) ?? new Map<string, Value>();
  return [...new Set([...wanted.keys(), ...found.keys()])].flatMap((subject) => {
    const [want, got] = [wanted.get(subject), found.get(subject)];
    // That a report has no row of a monitor is a difference of its `monitors`, and of nothing else.
    const isOfRow = figure.startsWith('report') && got === undefined;
    return want === got || isOfRow ? [] : [`${subject}: expected ${said(want)}, got ${said(got)}`];
  });
}

function said(value: Value | undefined): string {
  return value === undefined ? 'nothing' : value === null ? 'no data' : String(value);
}
