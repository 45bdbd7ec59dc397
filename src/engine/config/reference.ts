/** The settings as data for manual pages. */
import { defaultText } from './default-text.ts';
import type { ConfigRow } from './row.ts';
import { topRows } from './rows/top.ts';
import { allSections, heading, tablesOf, type ConfigSection, type VariedSection } from './sections.ts';

export interface SettingReference {
  readonly key: string;
  /** The type in words. */
  readonly type: string;
  /** `required`, a TOML value, or words. */
  readonly default: string;
  readonly doc: string;
  /** A TOML value. */
  readonly example: string;
  /** The kinds of monitor or types of channel it fits; null when it fits all, or the section has none. */
  readonly fits: readonly string[] | null;
  /** Whether it has a twin that reads it from a file: `<key>_file`. */
  readonly isSecret: boolean;
}

export interface SectionReference {
  readonly name: string;
  /** `[page]`, `[[monitors]]`. */
  readonly heading: string;
  readonly doc: string;
  /** The key that decides which settings there are: kind or type. */
  readonly by: 'kind' | 'type' | null;
  readonly settings: readonly SettingReference[];
}

/** The settings above all tables. */
export function topReference(): readonly SettingReference[] {
  return Object.entries(topRows).map(([key, row]) => referenceOf(key, row, null));
}

/** Every section with its settings. A key that means something else in another kind is listed again. */
export function configReference(): readonly SectionReference[] {
  return allSections.map((section) => ({
    name: section.name,
    heading: heading(section),
    doc: section.doc,
    by: 'by' in section ? section.by : null,
    settings: settingsOf(section),
  }));
}

function settingsOf(section: ConfigSection): readonly SettingReference[] {
  const tables = tablesOf(section);
  const fits = new Map<ConfigRow<unknown, unknown>, { readonly key: string; readonly variants: string[] }>();
  for (const [variant, rows] of tables) {
    for (const [key, row] of Object.entries(rows)) {
      if ('by' in section && key === section.by) continue;
      const entry = fits.get(row) ?? { key, variants: [] };
      fits.set(row, entry);
      if (variant !== null) entry.variants.push(variant);
    }
  }
  const settings = [...fits].map(
    ([row, { key, variants }]): SettingReference =>
      referenceOf(key, row, variants.length === tables.length || variants.length === 0 ? null : variants),
  );
  return 'by' in section ? settings.toSpliced(2, 0, deciding(section)) : settings;
}

function referenceOf(
  key: string,
  { type, fallback, doc, example }: ConfigRow<unknown, unknown>,
  fits: readonly string[] | null,
): SettingReference {
  return {
    key,
    type: type.name,
    default: defaultText(fallback),
    doc,
    example,
    fits,
    isSecret: type.isSecret,
  };
}

/** The rows of kind differ in their only word from table to table; together they are one setting. */
function deciding(section: VariedSection): SettingReference {
  const names = Object.keys(section.variants);
  return {
    key: section.by,
    type: `one of ${names.join(', ')}`,
    default: section.usual === null ? 'required' : `"${section.usual}"`,
    doc: Object.values(section.variants)[0]?.[section.by]?.doc ?? '',
    example: `"${names[0] ?? ''}"`,
    fits: null,
    isSecret: false,
  };
}
