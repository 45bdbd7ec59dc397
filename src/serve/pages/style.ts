/** The one stylesheet of every page, and its hash for the Content-Security-Policy. */
import { createHash } from 'node:crypto';

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

const colours = `:root{color-scheme:light dark;${light}}@media (prefers-color-scheme:dark){:root{${dark}}}`;

/** The colours of paper, whatever the screen prefers. */
const inkColours = light;

/** How pages print: on white, without what is for hands, everything unfolded, nothing cut in two. */
const printing = `
@media print{
:root{${inkColours}--paper:#fff;--line:#bbb}
@page{margin:14mm}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
body{font-size:10pt}
nav,.skip,.stale,.pager,.no-print,summary{display:none!important}
.in{max-width:none;padding:0}
.band{background:none!important;color:#000!important;--band:#fff;--mark:var(--down)}
.t-up .band,.t-unknown .band{--mark:var(--up)}
.verdict{padding:.5rem 0 1rem}
h1{font-size:22pt}
.card{border-radius:0}
section{margin-bottom:1.2rem}
.m,.note,.rows li,tr{break-inside:avoid}
h2{break-after:avoid}
details::details-content{content-visibility:visible;display:block;height:auto}
a{color:inherit;text-decoration:none}
table{font-size:8.5pt;min-width:0}
th,td{padding:.3rem .4rem}
}
`;

const ground = `
*,::before,::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
h1,h2,h3,p,ul,ol,dl,dd{margin:0;padding:0}
ul,ol{list-style:none}
a{color:var(--accent);text-underline-offset:.2em;text-decoration-thickness:.06em}
a:hover{text-decoration-thickness:.12em}
:focus-visible{outline:3px solid var(--focus);outline-offset:3px;border-radius:3px}
.vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-99rem;top:.5rem;z-index:1;padding:.5rem 1rem;background:var(--card);border-radius:3px}
.skip:focus{left:.5rem}
.in{max-width:62rem;margin:0 auto;padding:0 1.25rem}
.i{width:1em;height:1em;flex:none;fill:currentColor}
.k{fill:none;stroke:var(--card);stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}
.c-up{color:var(--up-word)}.c-degraded{color:var(--degraded-word)}.c-down{color:var(--down-word)}.c-unknown{color:var(--soft)}
.soft{color:var(--soft)}
`;

const band = `
.band{padding:1.25rem 0 0;background:var(--band);color:var(--band-ink)}
.band a{color:inherit}
.bar{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:baseline;justify-content:space-between}
.site{font-weight:650;letter-spacing:.01em}
.site a{text-decoration:none}
.bar ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:.9375rem}
.bar [aria-current]{font-weight:650;text-decoration:none}
h1{font:400 clamp(2rem,1.3rem + 3.2vw,3.5rem)/1.12 Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,"Noto Serif",serif;letter-spacing:-.015em;text-wrap:balance}
.verdict{display:flex;gap:clamp(.75rem,2vw,1.25rem);padding:clamp(2.25rem,6vw,4rem) 0 clamp(2rem,5vw,3rem)}
.verdict>.i{width:clamp(2rem,1.2rem + 3.4vw,3.5rem);height:clamp(2rem,1.2rem + 3.4vw,3.5rem);margin-top:.1em;color:var(--mark)}
.verdict .k{stroke:var(--band)}
.verdict p{margin-top:.6rem;font-size:.9375rem;opacity:.92}
.verdict p a{white-space:nowrap}
.t-up,.t-unknown{--band:var(--paper);--band-ink:var(--ink);--mark:var(--up)}
.t-unknown{--mark:var(--soft)}
.t-degraded{--band:var(--amber-band);--band-ink:var(--amber-ink);--mark:var(--amber-mark)}
.t-down{--band:var(--red-band);--band-ink:#fff;--mark:#fff}
.t-down .band :focus-visible,.t-degraded .band :focus-visible{outline-color:currentColor}
.t-up main,.t-unknown main{padding-top:0}
main{padding:1.75rem 0 1rem}
section,.block{margin-bottom:2.25rem}
h2{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:baseline;justify-content:space-between;margin-bottom:.7rem;font-size:1.0625rem;font-weight:650}
h2 a{color:inherit;text-decoration:none}
h2 a:hover{text-decoration:underline}
h2 small a{color:var(--accent);text-decoration:underline}
h2 small,.small{font-size:.875rem;font-weight:400;color:var(--soft)}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px}
`;

const monitors = `
.m{display:grid;grid-template-columns:minmax(0,1fr) 16rem;gap:.45rem 2.25rem;padding:1.05rem 1.4rem .8rem}
.m+.m{border-top:1px solid var(--line)}
.mh{grid-column:1/-1;display:flex;flex-wrap:wrap;align-items:center;gap:.3rem .75rem}
.mh h3{font-size:1.0625rem;font-weight:600;line-height:1.35}
.mh .w{margin-left:auto;display:flex;align-items:center;gap:.4rem;font-weight:600}
.m.is-down{box-shadow:inset 4px 0 var(--down)}
.m.is-degraded{box-shadow:inset 4px 0 var(--degraded)}
.tag{padding:.05rem .55rem;border:1px solid currentColor;border-radius:9px;font-size:.8125rem;color:var(--soft)}
.tag.warn{color:var(--degraded-word)}
.tag.bad{color:var(--down-word)}
.err{grid-column:1/-1;font-size:.9375rem}
svg.bars{display:block;width:100%;height:34px}
.bars path{stroke-dasharray:.75 .25}
.b-up{stroke:var(--bar);stroke-width:26}
.b-degraded{stroke:url(#cut);stroke-width:26}
stop{stop-color:var(--degraded)}
.b-down{stroke:var(--down);stroke-width:34}
.b-unknown{stroke:var(--none);stroke-width:4}
svg.line{display:block;width:100%;height:34px;fill:none;stroke:var(--accent);stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round;overflow:visible}
.line path{vector-effect:non-scaling-stroke}
.n{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.1rem .75rem;margin-top:.4rem;font-size:.8125rem;line-height:1.35}
.n div{display:flex;gap:.4em;white-space:nowrap}
.n dt{color:var(--soft)}
.none{display:grid;place-items:center;height:34px;border-bottom:1px solid var(--line);font-size:.8125rem;color:var(--soft)}
details{grid-column:1/-1;font-size:.875rem}
.note details{margin-top:.5rem}
summary{width:max-content;max-width:100%;cursor:pointer;color:var(--soft);font-size:.8125rem}
summary:hover{color:var(--ink)}
.d{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(14rem,100%),1fr));gap:.75rem 2rem;padding:.8rem 0 .4rem}
.d dt{color:var(--soft);font-size:.8125rem}
.key{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin-top:1rem;font-size:.8125rem;color:var(--soft)}
.key li{display:flex;align-items:center;gap:.45rem}
.key svg{width:7px;height:20px}
.key path{stroke-dasharray:none}
.key .sw{width:14px;height:14px}
.sw path{stroke-width:14;fill:none}
`;

const notices = `
.note{padding:1rem 1.4rem;border-left:4px solid var(--edge,var(--accent));border-radius:3px 10px 10px 3px}
.note+.note{margin-top:.75rem}
.note h3{font-size:1.0625rem;font-weight:600;line-height:1.35}
.note p{margin-top:.3rem}
.text{white-space:pre-line;max-width:44rem}
.s-warning,.s-degraded,.s-unknown{--edge:var(--degraded)}
.s-critical,.s-error,.s-down{--edge:var(--down)}
.s-resolved{--edge:var(--up)}
.word{font-weight:650}
.s-warning .word{color:var(--degraded-word)}.s-critical .word,.s-error .word,.s-down .word{color:var(--down-word)}.s-resolved .word{color:var(--up-word)}
.rows li{display:flex;flex-wrap:wrap;gap:.15rem 1rem;justify-content:space-between;padding:.7rem 1.4rem}
.rows .i{vertical-align:-.12em}
.rows li+li{border-top:1px solid var(--line)}
.pager{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;justify-content:space-between}
.filter{display:flex;flex-wrap:wrap;gap:.35rem 1.1rem;padding:.8rem 0}
.snap{margin:.6rem 0 .2rem;padding:.8rem 1rem;overflow-x:auto;background:var(--paper);border:1px solid var(--line);border-radius:6px;font:.8125rem/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre-wrap}
.heatmap{padding:1.1rem 1.4rem}
.axis{display:flex;justify-content:space-between;margin:.3rem 0 .6rem;font-size:.8125rem;color:var(--soft)}
svg.heat{display:block;width:100%;height:15rem;background:var(--heat-none)}
.heat path{fill:none;stroke-width:5;stroke-dasharray:9 1}
.h0{stroke:var(--h0)}.h1{stroke:var(--h1)}.h2{stroke:var(--h2)}.h3{stroke:var(--h3)}.h4{stroke:var(--h4)}
.scroll{overflow-x:auto}
table{width:100%;min-width:54rem;table-layout:fixed;border-collapse:collapse;font-size:.9375rem}
th:first-child{width:24%}th:nth-last-child(2){width:15%}th:last-child{width:18%}
th,td{padding:.6rem .75rem;text-align:right;vertical-align:baseline;border-top:1px solid var(--line);white-space:nowrap}
thead th{border-top:0;font-size:.8125rem;font-weight:400;color:var(--soft)}
th:first-child{padding-left:1.4rem;text-align:left;white-space:normal}
td:last-child,th:last-child{padding-right:1.4rem}
tbody th{font-weight:600}
tfoot th,tfoot td{font-weight:650;border-top:2px solid var(--line)}
footer{padding:1.25rem 0 2.5rem;font-size:.875rem;color:var(--soft)}
footer .in>*{border-top:1px solid var(--line);padding-top:1.1rem;display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;justify-content:space-between}
.stale{position:sticky;bottom:0;padding:.7rem 1.25rem;text-align:center;background:var(--card);border-top:1px solid var(--line);visibility:hidden;animation:stale 0s 60s forwards}
@keyframes stale{to{visibility:visible}}
@media (max-width:46rem){
.m{grid-template-columns:minmax(0,1fr);padding-inline:1rem}
.note,.rows li{padding-inline:1rem}
.n div{flex-direction:column;gap:0}
.n{gap:.25rem .6rem}
.l{display:grid;grid-template-columns:minmax(3rem,1fr) auto;gap:1rem;align-items:end}
.l .n{margin:0;flex-wrap:nowrap}
svg.heat{height:11rem}
}
`;

function minified(css: string): string {
  return css
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};]) ?/g, '$1')
    .replaceAll(';}', '}')
    .trim();
}

/** The text between `<style>` and `</style>`. */
export const stylesheet = minified(colours + ground + band + monitors + notices + printing);

/** For `style-src`: `'sha256-…'`, quotes included. */
export const stylesheetSource = `'sha256-${createHash('sha256').update(stylesheet).digest('base64')}'`;
