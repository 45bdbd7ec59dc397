/** The colours of every page, by day and by night. Text keeps 4.5 to 1 on its ground, bars and marks 3 to 1. */

const light = `
--paper:#f7f6f2;--card:#fff;--ink:#1b211e;--soft:#59625d;--line:#e2dfd6;--accent:#0b6650;--focus:#0b6650;
--up:#2f8f68;--bar:#4b9f7d;--degraded:#c98709;--down:#c8281e;--none:#94978f;
--up-word:#1d6f4d;--degraded-word:#835200;--down-word:#b3211a;
--amber-band:#fbe8bb;--amber-ink:#3d2a00;--amber-mark:#945c00;--red-band:#b3211a;
--h0:#fff1c9;--h1:#fcc86a;--h2:#ec8f2f;--h3:#b9520f;--h4:#662704;--heat-none:#efede6;`;

const dark = `
--paper:#111513;--card:#181d1b;--ink:#e7ece9;--soft:#9ca7a1;--line:#2a312e;--accent:#6fcfae;--focus:#8fe3c5;
--up:#3c9d74;--bar:#35896a;--degraded:#dfa236;--down:#ef5b4a;--none:#65706a;
--up-word:#6fcf9f;--degraded-word:#f0bd5c;--down-word:#ff8f80;
--amber-band:#3b2b08;--amber-ink:#ffe7b3;--amber-mark:#f0bd5c;--red-band:#9c1d17;
--h0:#33270f;--h1:#6e4413;--h2:#b8691b;--h3:#ee9f45;--h4:#ffe6b3;--heat-none:#1f2522;`;

export const colours = `:root{color-scheme:light dark;${light}}@media (prefers-color-scheme:dark){:root{${dark}}}`;

/** The colours of paper, whatever the screen prefers. */
export const inkColours = light;
