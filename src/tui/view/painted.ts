/** Keeps painted lines out of Ink's layout: one placeholder character stands for each, and is replaced afterwards. */

/** Characters that mean nothing to anyone (the last private plane), each one cell wide. */
const firstMark = 0x100000;
const marksThenSpaces = /([\u{100000}-\u{10fffd}])( *)/gu;

interface PaintedLine {
  readonly text: string;
  /** In cells. */
  readonly width: number;
}

export class PaintedLines {
  private readonly lines = new Map<string, PaintedLine>();
  private readonly free: string[] = [];

  /** A character that no other line of this screen has. */
  take(): string {
    const mark = this.free.pop() ?? String.fromCodePoint(firstMark + this.lines.size);
    this.lines.set(mark, { text: '', width: 1 });
    return mark;
  }

  put(mark: string, line: PaintedLine): void {
    this.lines.set(mark, line);
  }

  /** The line stays known until its character is taken again: the frame it is in may still be on its way. */
  drop(mark: string): void {
    this.free.push(mark);
  }

  /** The frame with the lines in it. Ink leaves out the spaces at the end of a line. */
  restored(frame: string): string {
    return frame.replace(marksThenSpaces, (found, mark: string, spaces: string) => {
      const line = this.lines.get(mark);
      return line === undefined ? found : line.text + spaces.slice(line.width - 1);
    });
  }
}
