/** Runs one function for each of many items, a few at a time. */

/** The results in the order of `items`, of which `most` are under way at a time. Rejects with the first error. */
export async function inParallel<Item, Made>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Made>,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  const left = items.entries();
  const goOn = async () => {
    for (const [index, item] of left) made[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, goOn));
  return made;
}
