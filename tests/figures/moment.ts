/** Reads every surface at one instant of a made-up world, beside the figures of the oracle. */
import type { World } from '../serve/world.ts';
import { expectedFigures } from './expected.ts';
import type { Oracle } from './oracle.ts';
import { differences, type Sheet } from './sheet.ts';
import { readSurfaces } from './surfaces.ts';
import { beginsAt, type MadeWorld } from './world.ts';

export interface Moment {
  readonly title: string;
  readonly expected: Sheet;
  readonly shown: Sheet;
}

interface Compared {
  readonly world: World;
  readonly made: MadeWorld;
  readonly oracle: Oracle;
}

/** The world's records have to reach `nowAt` (epoch ms), and no instant after it. */
export async function momentOf(
  { world, made, oracle }: Compared,
  { title, nowAt }: { readonly title: string; readonly nowAt: number },
): Promise<Moment> {
  oracle.goOn(nowAt);
  const months = monthsUntil(nowAt);
  const shown = await readSurfaces(world, months);
  return { title, expected: expectedFigures({ oracle, made, nowAt, months }), shown };
}

/** One line for each figure of any surface that differs. Throws where nothing was compared. */
export function allDifferences({ title, expected, shown }: Moment): readonly string[] {
  const keys = new Set([...expected.figures.keys(), ...shown.figures.keys()]);
  if (expected.figures.size === 0) throw new Error(`${title}: no figure is compared`);
  return [...keys].flatMap((key) =>
    differences(expected, shown, key).map((text) => `${title}, ${key}: ${text}`),
  );
}

/** The months that have begun, from the first of the world. */
function monthsUntil(nowAt: number): readonly string[] {
  const months: string[] = [];
  const first = new Date(beginsAt);
  const beginOf = (index: number) => Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index, 1);
  for (let at = beginOf(0); at < nowAt; at = beginOf(months.length))
    months.push(new Date(at).toISOString().slice(0, 7));
  return months;
}
