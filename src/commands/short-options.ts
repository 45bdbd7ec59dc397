/** Options of one letter that are written in one word, as other programs take them: `-qc PATH`. */

const together = /^-[chq]{2,}$/;

/** Each letter as an option of its own; what follows `--` is left as it is. */
export function shortOptionsApart(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  const apart = options.flatMap((arg) =>
    together.test(arg) ? Array.from(arg.slice(1), (letter) => `-${letter}`) : [arg],
  );
  return [...apart, ...args.slice(options.length)];
}
