/** How pages print: on white, without what is for hands, everything unfolded, nothing cut in two. */
import { inkColours } from './style-colours.ts';

export const printing = `
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
