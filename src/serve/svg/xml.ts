/** Writes XML (SVG, Atom): a template's text is markup, everything put into it is text. */

/** Text that is XML already. Only `xml` makes one. */
export class Xml {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type XmlPart = Xml | string | number | null | readonly XmlPart[];

/** Fragments are put in as they are, lists one after the other, null as nothing, the rest escaped. */
export function xml(markup: TemplateStringsArray, ...parts: readonly XmlPart[]): Xml {
  let text = markup[0] ?? '';
  parts.forEach((part, index) => {
    text += xmlText(part) + (markup[index + 1] ?? '');
  });
  return new Xml(text);
}

function xmlText(part: XmlPart): string {
  if (part === null) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escapeXml(part);
  return part instanceof Xml ? part.text : part.map(xmlText).join('');
}

/**
 * What XML 1.0 cannot hold in any form: control characters, halves of surrogate pairs, two non-characters
 * (Char, section 2.2). C1 controls are allowed there, but nobody can read them.
 */
const illegal = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]|\p{Cs}/gu;

/** Marks that turn the direction of what follows, beyond the text they stand in (UAX #9). */
const overrides = /[\u202a-\u202e\u2066-\u2069]/g;

const markupCharacters: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** `text` fit for XML content and for an attribute in quotes. What XML cannot hold is left out. */
export function escapeXml(text: string): string {
  if (/^[\w .,:;/()%+–-]*$/.test(text)) return text;
  return text
    .replace(illegal, '')
    .replace(overrides, '')
    .replace(/[&<>"']/g, (character) => markupCharacters[character] ?? '');
}
