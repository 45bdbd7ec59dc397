/** The stylesheet of every page, and its entry in the Content-Security-Policy. */
import { createHash } from 'node:crypto';
import { lightened } from '../../engine/core/colour.ts';
import { darkHeatmapColours, heatmapColours } from '../svg/heatmap-colours.ts';

export interface Stylesheets {
  /** What stands between `<style>` and `</style>`: the own one, then that of the site. */
  readonly texts: readonly string[];
  /** For `style-src`: `'sha256-…'` of each. */
  readonly sources: string;
  /** The ground of a page, for the browser's own frame; `media` null: always. */
  readonly grounds: readonly { readonly media: string | null; readonly colour: string }[];
}

export interface StyleOptions {
  /** `#rrggbb`; null: the usual one. */
  readonly accent: string | null;
  readonly theme: 'auto' | 'light' | 'dark';
  /** What comes after everything; null: nothing. */
  readonly css: string | null;
}

export function stylesheetsOf({ accent, theme, css }: StyleOptions): Stylesheets {
  const own = [
    accent === null ? light : `${light}--acc:${accent};`,
    accent === null ? dark : `${dark}--acc:${lightened(accent)};`,
  ] as const;
  const texts = [minified(coloursOf(own, theme) + body + printing(own[0])), ...(css === null ? [] : [css])];
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const [day, night] = [
    { media: theme === 'auto' ? '(prefers-color-scheme:light)' : null, colour: lightGround },
    { media: theme === 'auto' ? '(prefers-color-scheme:dark)' : null, colour: darkGround },
  ];
  return {
    texts,
    sources: texts.map(hash).join(' '),
    grounds: theme === 'auto' ? [day, night] : [theme === 'light' ? day : night],
  };
}

const lightGround = '#fafaf8';
const darkGround = '#0f1412';

/** Text keeps 4.5 to 1 on its ground, bars and marks 3 to 1. */
const light = `
--bg:${lightGround};--card:#fff;--ink:#16201b;--soft:#59635d;--line:#e3e2dc;--acc:#0b6650;
--up:#1f8a5b;--bar:#3fb57f;--warn:#d98e04;--down:#cf2f24;--blue:#2f6fde;--none:#d5d4cd;
--upw:#19734b;--warnw:#7d4f00;--downw:#b3211a;--bluew:#1f57b8;
--v-up:#1b7a50;--v-warn:#fbe3ad;--v-warni:#3d2a00;--v-down:#c52a20;--v-blue:#245fc4;
--t-down:#fdeceb;--t-warn:#fdf3dd;--t-blue:#e9f0fd;
${heatmapVariables(heatmapColours)}`;

const dark = `
--bg:${darkGround};--card:#171d1a;--ink:#e8edea;--soft:#9aa69f;--line:#29312d;--acc:#6fcfae;
--up:#45c48c;--bar:#2f9c70;--warn:#e2a93c;--down:#ef5b4a;--blue:#5b8ff0;--none:#38423d;
--upw:#62d6a0;--warnw:#f0bd5c;--downw:#ff9184;--bluew:#93b8ff;
--v-up:#17603f;--v-warn:#4a360a;--v-warni:#ffe7b3;--v-down:#b3261c;--v-blue:#2450a4;
--t-down:#2a1614;--t-warn:#2a2210;--t-blue:#141d30;
${heatmapVariables(darkHeatmapColours)}`;

function heatmapVariables({ grades, noData }: typeof heatmapColours): string {
  return [...grades.map((colour, level) => `--h${level}:${colour};`), `--hn:${noData};`].join('');
}

function coloursOf([day, night]: readonly [string, string], theme: StyleOptions['theme']): string {
  const auto = `:root{color-scheme:light dark;${day}}@media (prefers-color-scheme:dark){:root{${night}}}`;
  return theme === 'auto' ? auto : `:root{color-scheme:${theme};${theme === 'light' ? day : night}}`;
}

/** How pages print: on white, without what is for hands, everything unfolded, nothing cut in two. */
const printing = (ink: string) => `
@media print{
:root{${ink}--bg:#fff;--line:#bbb}
@page{margin:14mm}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
body{font-size:9.5pt}
nav,.skip,.stale,.pager,.no-print,.fold>summary,summary::after{display:none!important}
.in{max-width:none;padding:0}
.verdict{background:none!important;color:#000!important;border:1px solid #000}
.row,.note,.mt,.inc,.past,tr,.lines li{break-inside:avoid}
h2,h3,summary{break-after:avoid}
details::details-content{content-visibility:visible;display:block;height:auto}
a{color:inherit;text-decoration:none}
table{font-size:8pt;min-width:0!important}
thead th{font-size:8pt}
th,td{padding:.25rem .3rem!important}
.facts{grid-template-columns:repeat(auto-fit,minmax(5.5rem,1fr));gap:.5rem}
.facts dd{font-size:9.5pt}
}
`;

const body = `
*,::before,::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Inter,Roboto,"Noto Sans",sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
h1,h2,h3,h4,p,ul,ol,dl,dd,figure{margin:0;padding:0}
ul,ol{list-style:none}
img{max-width:100%;object-fit:contain;object-position:left}
a{color:var(--acc);text-underline-offset:.18em}
h3 a,h4 a,.site a,.nm{color:inherit;text-decoration:none}
h3 a:hover,h4 a:hover{text-decoration:underline}
:focus-visible{outline:3px solid var(--acc);outline-offset:2px;border-radius:3px}
main:focus{outline:0}
.vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-99rem;top:.5rem;z-index:1;padding:.5rem 1rem;background:var(--card);border-radius:6px}
.skip:focus{left:.5rem}
.in{max-width:54rem;margin:0 auto;padding:0 1rem}
.i{width:2rem;height:2rem;flex:none;fill:currentColor;color:inherit}
.k{fill:none;stroke:var(--g,var(--card));stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}
.soft{color:var(--soft)}.small{font-size:.8125rem;color:var(--soft)}
.c-down{color:var(--downw)}.c-degraded{color:var(--warnw)}.c-up{color:var(--upw)}.c-unknown{color:var(--soft)}
.top .in{display:flex;align-items:center;gap:.5rem 1rem;padding-block:1rem}
.site a{display:flex;width:fit-content;align-items:center;gap:.7rem;font-size:1.05rem}
.logo{width:28px;height:28px;flex:none;border-radius:7px;background:var(--acc);color:var(--card);display:grid;place-items:center;font-weight:700}
.brand{display:block;max-height:36px;max-width:11rem}
nav{margin-left:auto;font-size:.9rem}
.site{flex:1;min-width:0}
.top nav{flex:none;max-width:70%;overflow-wrap:break-word}
.top nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:center;justify-content:flex-end}
nav [aria-current]{text-decoration:none;font-weight:600}
.btn{display:inline-block;border:1px solid var(--line);background:var(--card);border-radius:7px;padding:.35rem .8rem;text-decoration:none;font-weight:600;color:var(--ink)}
button.btn{font:inherit;font-size:.9rem;font-weight:600;cursor:pointer}
.form{display:grid;gap:.7rem;justify-items:start}
.form label,legend{font-weight:600;padding:0}
.form li label{font-weight:400}
.form [type=email]{display:block;width:min(24rem,100%);margin-top:.2rem;font:inherit;color:inherit;background:var(--bg);border:1px solid var(--soft);border-radius:7px;padding:.4rem .6rem}
fieldset{border:0;margin:0;padding:0;min-width:0}
.crumb{margin:.2rem 0 .5rem;font-size:.875rem}
.head{margin:.4rem 0 1.25rem}
.head h1{font-size:1.5rem;line-height:1.25;font-weight:650}
.verdict{--g:var(--v-down);background:var(--g);color:#fff;border-radius:10px;padding:1rem 1.25rem;display:flex;gap:.9rem;align-items:flex-start;margin:.4rem 0 1.25rem}
.verdict h1{font-size:1.35rem;line-height:1.25;font-weight:650;margin-top:.1rem}
.verdict p{font-size:.9rem}
.verdict a{color:inherit}
.verdict :focus-visible{outline-color:currentColor}
.v-up{--g:var(--v-up)}.v-degraded{--g:var(--v-warn);color:var(--v-warni)}.v-maintenance{--g:var(--v-blue)}
.v-unknown{--g:var(--card);color:var(--ink);border:1px solid var(--line)}
.also a+span,.also bdi+span{opacity:.9}
.also{display:flex;flex-wrap:wrap;gap:.15rem 1rem;margin-top:.35rem;font-size:.875rem}
section{margin-bottom:1.25rem}
section>h2{font-size:1rem;font-weight:650;margin-bottom:.5rem}
h2 small{font-weight:400;color:var(--soft);font-size:.875rem}
.card,.inc,.grp,.note,.mt{border:1px solid var(--line);border-radius:10px;background:var(--card)}
.pad{padding:.9rem 1.25rem}
.inc{border-color:var(--down);margin-bottom:.75rem;overflow:hidden}
.inc>header,.inc>summary{background:var(--t-down);padding:.7rem 1.25rem}
.inc h3{font-size:1.05rem;line-height:1.35}
.inc>summary{cursor:pointer;display:flex;flex-wrap:wrap;gap:.1rem .75rem;align-items:baseline;list-style:none}
.inc>summary h3{font-size:.95rem}
.inc>.chips{padding:.6rem 1.25rem 0}
.i-unknown,.i-operator{border-color:var(--warn)}.i-unknown>header,.i-unknown>summary,.i-operator>header,.i-operator>summary{background:var(--t-warn)}
.chips{display:flex;flex-wrap:wrap;gap:.35rem;margin-top:.35rem;font-size:.8125rem}
.chips li{border:1px solid var(--line);background:var(--card);border-radius:99px;padding:.05rem .65rem}
.tl{padding:.85rem 1.25rem}
.tl>li{display:grid;grid-template-columns:8.5rem minmax(0,1fr);gap:0 1rem;padding-bottom:.7rem}
.tl>li:last-child{padding:0}
.tl b{display:block}
.tl time{color:var(--soft);font-size:.8125rem}
.text{white-space:pre-line}
.md>*+*{margin-top:.6rem}.md h3{font-size:1.05rem}.md h4,.md h5,.md h6{font-size:.9375rem}.md ul,.md ol{padding-left:1.25rem;list-style:disc}.md ol{list-style:decimal}.md code{font-size:.9em}
.note{padding:.7rem 1.25rem;border-left:4px solid var(--e,var(--acc));margin-bottom:.6rem}
.note h3{font-size:1rem;line-height:1.4}
.a-warning,.a-error{--e:var(--warn)}.a-critical{--e:var(--down)}.a-resolved{--e:var(--up)}
.a-warning .word{color:var(--warnw)}.a-critical .word,.a-error .word{color:var(--downw)}.a-resolved .word{color:var(--upw)}
.mt{display:flex;gap:.25rem 1rem;align-items:baseline;border-left:4px solid var(--blue);padding:.65rem 1.25rem;margin-bottom:.6rem}
.mt>span{margin-left:auto;color:var(--soft);white-space:nowrap;font-size:.9rem}
.grp{margin-bottom:.75rem}
.grp>summary{display:flex;align-items:center;gap:.2rem .7rem;padding:.75rem 1.25rem;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
.grp>summary::after,.inc>summary::after,.fold>summary::after,.rest>summary::after{content:"";flex:none;width:.5em;height:.5em;border:solid var(--soft);border-width:0 2px 2px 0;transform:rotate(45deg);margin:-.2em .1rem 0 .2rem}
details[open]>summary::after{transform:rotate(225deg);margin-top:.25em}
.inc>summary::after{margin-left:auto}
.grp h2{flex:none;max-width:60%;font-size:1rem;line-height:1.4}
.sum{margin-left:auto;color:var(--soft);font-size:.875rem;text-align:right}
.dot{display:inline-block;width:10px;height:10px;border-radius:50%;background:var(--up);flex:none}
.dot.s-down{background:var(--down)}.dot.s-degraded{background:var(--warn)}.dot.s-maintenance{background:var(--blue)}.dot.s-unknown{background:var(--none)}
.row{border-top:1px solid var(--line);display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.1rem 1rem;padding:.6rem 1.25rem .5rem;scroll-margin-top:1rem}
.row h3{font-size:.9375rem;line-height:1.4;font-weight:600}
.st{font-size:.875rem;font-weight:600;color:var(--upw)}
.s-down>.st,.s-down>.why{color:var(--downw)}.s-degraded>.st,.s-degraded>.why{color:var(--warnw)}.s-maintenance>.st{color:var(--bluew)}.s-unknown>.st{color:var(--soft)}
.why,.ds{grid-column:1/-1;font-size:.8125rem;color:var(--soft)}
.bars{grid-column:1/-1;display:flex;gap:2px;height:26px;margin-top:.15rem}
.bars i{flex:1;min-width:0;border-radius:2px;background:var(--bar)}
.bars i:hover{opacity:.6}
.n{background:var(--none)!important}
.m{background:var(--blue)!important}
.g{background:linear-gradient(var(--bar) 70%,var(--warn) 70%)!important}
.d1{background:linear-gradient(var(--bar) 70%,var(--down) 70%)!important}
.d2{background:linear-gradient(var(--bar) 45%,var(--down) 45%)!important}
.d3{background:var(--down)!important}
.ax{grid-column:1/-1;display:flex;justify-content:space-between;gap:.5rem;font-size:.75rem;color:var(--soft);line-height:1.6}
.ax b{font-weight:500}
.ax small{display:none;font-size:inherit}
.ax span:nth-child(2):not(:last-child){display:none}
.rest{border-top:1px solid var(--line);padding:.35rem 1.25rem;font-size:.8125rem}
.rest>summary::after,.fold>summary::after{display:inline-block;margin:0 .1rem .2em .4rem}
nav>.fold{margin-bottom:1rem}
.rest>summary,.fold>summary{cursor:pointer;list-style:none;color:var(--soft);width:max-content;max-width:100%}
section>.rest{border:0;padding-inline:0}
.names{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(11rem,100%),1fr));gap:.3rem 1rem;padding:.75rem 1.25rem;font-size:.875rem}
.names .dot{margin-right:.5rem}
.rest .names{padding-inline:0}
.day{font-size:.9375rem;padding:.6rem 0 .35rem;border-top:1px solid var(--line)}
.past{padding:.1rem 0 .6rem .9rem;border-left:3px solid var(--line);margin-bottom:.4rem}
.past h3,.past h4{font-size:.9375rem;line-height:1.4;font-weight:600}
.past p{font-size:.875rem}.past .chips{margin-block:.25rem}
.past.i-down{border-color:var(--down)}.past.i-unknown,.past.i-operator{border-color:var(--warn)}
.lines li{display:flex;flex-wrap:wrap;gap:.15rem 1rem;justify-content:space-between;padding:.6rem 1.25rem}
.lines li+li{border-top:1px solid var(--line)}
.facts{display:grid;margin-bottom:1.25rem;grid-template-columns:repeat(auto-fit,minmax(min(7rem,100%),1fr));gap:.5rem 1.25rem;padding:.9rem 1.25rem}
.facts dt{font-size:.8125rem;color:var(--soft)}
.facts dd{font-size:1rem;font-weight:600}
.charts{display:grid;gap:1rem;padding:.9rem 1.25rem}
figcaption{display:flex;flex-wrap:wrap;gap:.1rem 1rem;justify-content:space-between;font-size:.8125rem;color:var(--soft)}
figcaption b{color:var(--ink);font-weight:600}
svg.line{display:block;width:100%;height:72px;border-bottom:1px solid var(--line);fill:none;stroke:var(--acc);overflow:visible}
.line .mk{stroke:var(--soft);stroke-dasharray:2 3}
.line path{stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}
.cal{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(17rem,100%),1fr));gap:.9rem 1.5rem;padding:.9rem 1.25rem}
.cal h3{font-size:.875rem;margin-bottom:.25rem}
.cal ol{display:grid;grid-template-columns:repeat(7,1fr);gap:3px}
.cal li{font-size:.6875rem;line-height:1.3;text-align:center;color:var(--soft)}
.w2{grid-column:2}.w3{grid-column:3}.w4{grid-column:4}.w5{grid-column:5}.w6{grid-column:6}.w7{grid-column:7}
.cal i{display:block;height:.9rem;border-radius:3px;background:var(--bar)}
.card+.card{margin-top:.75rem}
section .facts{margin-bottom:0}
svg.heat{display:block;width:100%;height:13rem;background:var(--hn)}
.heat path,.sw path{fill:none;stroke-width:5}
.heat path{stroke-dasharray:9 1}
.sw{width:14px;height:14px}.sw path{stroke-width:14}
.h0{stroke:var(--h0)}.h1{stroke:var(--h1)}.h2{stroke:var(--h2)}.h3{stroke:var(--h3)}.h4{stroke:var(--h4)}
.key{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin-top:.5rem;font-size:.8125rem;color:var(--soft)}
.key li{display:flex;align-items:center;gap:.4rem}
.fold{margin-top:.5rem;font-size:.875rem}
.snap,.code{margin:.5rem 0 0;padding:.7rem .9rem;overflow-x:auto;background:var(--bg);border:1px solid var(--line);border-radius:6px;font:.8125rem/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre-wrap}
.pager{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;justify-content:space-between;margin:0 0 1rem}
.scroll{overflow-x:auto}
table{width:100%;min-width:51rem;table-layout:fixed;border-collapse:collapse;font-size:.8125rem;overflow-wrap:normal}
th:first-child{width:19.5%}th:nth-child(2){width:11.5%}th:nth-child(3){width:10%}th:nth-child(4){width:9.5%}th:nth-child(5),th:nth-child(6){width:12.75%}th:nth-child(7){width:12.5%}
td:nth-child(-n+4){white-space:nowrap}
td .soft{display:block;font-weight:400}
th,td{padding:.5rem .45rem;text-align:right;vertical-align:baseline;border-top:1px solid var(--line)}
thead th{border-top:0;font-size:.75rem;font-weight:400;color:var(--soft);hyphens:auto;overflow-wrap:break-word}
th:first-child{padding-left:1.25rem;text-align:left;overflow-wrap:anywhere}
td:last-child,th:last-child{padding-right:1.25rem}
tbody th{font-weight:600}
tfoot th,tfoot td{font-weight:650;border-top:2px solid var(--line)}
@media screen and (max-width:40rem){
table{min-width:0}
table,tbody,tfoot{display:block}
thead{display:none}
tr{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.5rem .75rem;padding:.75rem 1.25rem;border-top:1px solid var(--line)}
tbody:first-of-type tr:first-child{border-top:0}
tfoot tr{border-top-width:2px}
tr>*{border:0!important;padding:0!important;text-align:left}
tr>th:first-child{grid-column:1/-1;width:auto;font-size:.9375rem}
td::before{content:attr(data-l);display:block;font-size:.75rem;font-weight:400;color:var(--soft);white-space:normal;hyphens:auto;overflow-wrap:anywhere}
td:not([data-l]){display:none}
td:last-child{grid-column:1/-1}
td .soft{display:inline}
}
@media screen and (max-width:22rem){tr{grid-template-columns:repeat(2,minmax(0,1fr))}}
footer{color:var(--soft);font-size:.8125rem;padding:1rem 0 2.5rem}
footer p{margin-bottom:.25rem}
.stale{position:sticky;bottom:0;padding:.6rem 1rem;text-align:center;background:var(--card);border-top:1px solid var(--line);visibility:hidden;animation:stale 0s 60s forwards}
@keyframes stale{to{visibility:visible}}
@media (forced-colors:active){
.bars i,.cal i,.dot,svg.heat,.sw,.logo{forced-color-adjust:none}
.verdict{border:1px solid}
}
@media (max-width:40rem){
.tl>li{grid-template-columns:minmax(0,1fr)}
.tl b{display:inline}
.tl time{margin-left:.3rem}
.bars{gap:1px}
.bars i:nth-last-child(n+46){display:none}
.ax span:nth-child(2):not(:last-child){display:inline}
.ax:has(span:nth-child(2):not(:last-child)) span:first-child{display:none}
.ax small{display:inline}
.wide{display:none}
.grp>summary{flex-wrap:wrap}
.grp h2{max-width:80%}
.sum{order:3;width:100%;text-align:left;margin:0 0 0 1.35rem}
.grp>summary::after{margin-left:auto}
.mt{display:block}
.mt>span{margin:0;white-space:normal}
.verdict{padding:.9rem 1rem}
.verdict .i{width:1.6rem;height:1.6rem}
.row,.grp>summary,.tl,.inc>header,.inc>summary,.note,.mt,.lines li{padding-inline:1rem}
}
`;

function minified(css: string): string {
  return css
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};]) ?/g, '$1')
    .replaceAll(';}', '}')
    .trim();
}
