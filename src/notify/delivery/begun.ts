/** Lets several writes be under way at once. */

/** Nobody looks at the first write before the last one is begun; its failure must not count as overlooked until then. */
export function begun(writing: Promise<void>): Promise<void> {
  writing.catch(() => undefined);
  return writing;
}
