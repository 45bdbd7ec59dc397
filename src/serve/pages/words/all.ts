/** Every language of the pages. */
import type { PageLanguage } from '../../../engine/config/rows/page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { english, Speech, type Words } from './speech.ts';
import { zh } from './zh.ts';

export const languages: Readonly<Record<PageLanguage, Words>> = { en, de, fr, es, it, pt, nl, pl, ja, zh };

/** `zone`: a name of the IANA database. */
export function speechFor(language: PageLanguage, zone: string): Speech {
  return language === 'en' && zone === 'UTC' ? english : new Speech(language, zone, languages[language]);
}
