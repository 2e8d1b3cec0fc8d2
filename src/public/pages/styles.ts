/** The styles of the pages. Each page contains its own, so that the first paint needs no second request. */

/** What all pages share. */
const BASE = `
:root{color-scheme:light dark;--paper:light-dark(#f6f8fa,#0d1117);--card:light-dark(#fff,#161b22);--ink:light-dark(#1b1f24,#e6edf3);--faint:light-dark(#57606a,#9ba6b2);--line:light-dark(#d8dee4,#30363d);--edge:light-dark(#7a828c,#7d8590);--link:light-dark(#0550ae,#79c0ff);--good:light-dark(#1a7f37,#4ac26b);--warn:light-dark(#8a5a00,#e3b341);--bad:light-dark(#b3202a,#ff8b84)}
*{box-sizing:border-box}
body{max-width:76rem;margin:0 auto;padding:1rem clamp(1rem,4vw,3rem) 3rem;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:break-word}
bdi{overflow-wrap:anywhere}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.top{display:flex;flex-wrap:wrap;gap:.25rem 2rem;justify-content:space-between;font-size:.9375rem}
.top:not(:has(+main)){visibility:hidden}
nav a,.links a,.details a{display:inline-block;padding:.375rem 0;margin-inline-end:1rem}
.top ul{display:flex;flex-wrap:wrap;margin:0;padding:0;list-style:none}
[aria-current]{color:var(--ink);font-weight:600;text-decoration:none}
h1{margin:1rem 0 .5rem;font-size:clamp(1.5rem,5vw,2.25rem);line-height:1.2}
h2{margin:2rem 0 .5rem;font-size:1.25rem;line-height:1.3}
p{max-width:65ch;margin:.5rem 0}
label{display:block;color:var(--faint);font-size:.875rem}
input,button,select{min-height:2.75rem;padding:.25rem .75rem;border:1px solid var(--edge);border-radius:.375rem;background:var(--card);color:var(--ink);font:inherit}
button{cursor:pointer}
.asof,.note,dt,small{color:var(--faint)}
footer{margin-top:2rem;border-top:1px solid var(--line);font-size:.9375rem}
@media print{:root{color-scheme:light}nav,form,footer{display:none!important}body{max-width:none;padding:0;background:none}.bar{print-color-adjust:exact}}
`;

/** A search in a list. */
const SEARCH = `
.search{display:flex;flex-wrap:wrap;gap:.5rem;align-items:end;margin:1rem 0}
.search label{flex-basis:100%}
.search input{flex:1 1 10rem;max-width:24rem;min-width:0}
`;

/** The list of all cities. */
const CITIES = `
.intro{color:var(--faint);font-size:1.125rem}
.cities{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,14rem),1fr));gap:.5rem;margin:1rem 0;padding:0;list-style:none}
.cities a{display:block;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.5rem;background:var(--card);text-decoration:none;font-weight:600}
.cities a:hover{text-decoration:underline}
`;

/** Figures that a script refreshes: their age, the notice above them, their tones and bars. */
const LIVE = `
.asof,.note{font-size:.875rem}
.asof{min-block-size:1lh}
.notice{margin:.75rem 0;padding:.5rem 1rem;border-inline-start:.25rem solid var(--warn);background:var(--card)}
.notice:empty{display:none}
.said{display:grid;max-width:65ch;margin:.75rem 0}
.said>*,.said::after{grid-area:1/1;align-content:center;max-width:none;margin:0;padding:.5rem 1rem;border-inline-start:.25rem solid var(--line);background:var(--card);font-size:.875rem}
.said::after{content:attr(data-longest);visibility:hidden}
.said .notice{border-color:var(--warn)}
.said .notice:empty{display:block;opacity:0}
.said:has(.notice:not(:empty)) .note{visibility:hidden}
.available{--tone:var(--good)}
.almost_full{--tone:var(--warn)}
.full{--tone:var(--bad)}
.bar{display:block;width:100%;height:.375rem;border-radius:1em;background:var(--line);fill:var(--tone)}
@media (forced-colors:active){.bar{forced-color-adjust:none;background:Canvas;outline:1px solid CanvasText;fill:Highlight}.notice{border:1px solid}}
`;

/** The areas of a city. */
const AREAS = `
small{font-weight:400;font-size:.8125rem}
.areas{margin:1rem 0;padding:0;border:1px solid var(--line);border-radius:.75rem;background:var(--card);list-style:none}
.area{--tone:var(--faint);padding:0 .75rem;font-variant-numeric:tabular-nums;break-inside:avoid}
.area+.area{border-top:1px solid var(--line)}
.area:has(:target){outline:2px solid var(--link)}
:target{scroll-margin-top:8rem}
.row{display:grid;grid-template-columns:1fr auto;gap:.125rem .75rem;align-items:baseline;padding:.5rem 0}
summary{cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary h2::after{content:" ▾"/"";color:var(--faint)}
[open]>summary h2::after{content:" ▴"/""}
.degraded .available,.outdated .area,.stale .available{--tone:var(--faint)}
.area h2{min-width:0;margin:0;font-size:1.0625rem}
.number{display:inline-block;min-width:1.75em;padding:0 .25em;border-radius:1em;background:var(--line);color:var(--ink);font-size:.8125em;text-align:center}
.status{color:var(--tone);font-size:.9375rem;font-weight:600}
.status svg{width:.875rem;height:.875rem;vertical-align:-1px;fill:currentColor}
.cut{stroke:var(--card);stroke-width:2.5}
.outline{fill:none;stroke:currentColor;stroke-width:2}
.row>:nth-child(3){grid-column:1/-1}
.figures{display:grid;grid-template-columns:1.8fr 1fr 1fr;gap:.5rem;color:var(--faint);font-size:.8125rem}
.figures b{display:block;color:var(--ink);font-size:.875rem}
.figures span+span b{font-weight:400}
.details{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,18rem),1fr));gap:0 1.5rem;margin:0 0 .75rem;font-size:.875rem}
.details div{display:flex;flex-wrap:wrap;gap:0 .5rem;align-items:baseline}
.details dd{min-width:0;margin:0}
@media (min-width:50rem){.row{grid-template-columns:1fr 9rem minmax(24rem,1fr)}.row>:nth-child(3){grid-column:auto}}
dd span,dd small{display:block}
@media print{::details-content{content-visibility:visible;block-size:auto}summary h2::after,dl div:has([href^=geo]){display:none}}
`;

/** The choices that a city's page has and its frame has not. */
const CITY = `
.filters button{min-height:2.25rem;padding:.125rem .75rem;font-size:.9375rem}
.filters button:disabled{visibility:hidden}
[aria-pressed=true]{border-color:var(--link);font-weight:600}
`;

/** A city's page within another site's. */
const FRAME = `
body{padding:.5rem}
h1{margin:.25rem 0;font-size:1.25rem}
`;

/** Code to copy. */
const CODE = `
textarea{display:block;width:100%;max-width:65rem;margin:.25rem 0 1rem;padding:.75rem;border:1px solid var(--edge);border-radius:.5rem;background:var(--card);color:var(--ink);font:.875rem/1.6 ui-monospace,monospace;resize:vertical;field-sizing:content}
`;

/** The control room. */
const BOARD = `
.said:has(~#sign-in:not([hidden]))::after{content:none}
.said:has(~#sign-in:not([hidden])) .notice:empty{padding:0}
body:has(#board){max-width:120rem}
#sign-in input{width:100%;max-width:40rem}
#picture{font-size:clamp(1rem,1.6vw,1.5rem);font-variant-numeric:tabular-nums}
.controls{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:end}
.controls label{font-size:.875rem}
.controls select{display:block;max-width:100%}
.controls button,.controls a{font-size:1rem}
.controls a{padding:.625rem 0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,10rem),1fr));gap:.75rem;margin:1rem 0}
.tiles div{display:grid;align-content:space-between;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.75rem;background:var(--card)}
.tiles dt{font-size:1rem}
.tiles dd{margin:0;font-size:clamp(1.75rem,2.5vw,3.5rem);font-weight:700;line-height:1.1;white-space:nowrap}
.late-sources{padding:0;list-style:none;color:var(--warn);font-weight:600}
.scroll{overflow-x:auto}
table{width:100%;border-collapse:collapse;background:var(--card)}
th,td{padding:.375rem .625rem;border-bottom:1px solid var(--line);text-align:end}
td{white-space:nowrap}
th:nth-child(n+11){min-width:6.5rem}
th{font-size:1rem;font-weight:600}
thead th{color:var(--faint);vertical-align:bottom}
tbody th{font-size:inherit}
th:first-child{text-align:start;overflow-wrap:anywhere;min-width:min(14rem,35vw)}
[colspan]{text-align:center}
[colspan],.group,thead tr+tr th:nth-child(3n+2){border-inline-start:1px solid var(--line)}
td .bar{min-width:4rem;height:.5rem}
.over{color:var(--bad);font-weight:700}
.stale .tiles dd,.stale td{color:var(--faint)}
.day{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:.75rem;background:var(--card)}
.day polyline{fill:none;stroke:var(--link);stroke-width:3}
.day .later{stroke-dasharray:2 7}
.day line{stroke:var(--line)}
.day text{fill:var(--faint);font-size:16px}
.leave{display:none}
:root:has(#wall:target>#picture:not([hidden])){.top,.controls,.note{display:none}h1{position:absolute;clip-path:inset(50%)}.said:not(:has(.notice:not(:empty))){display:none}.leave{display:inline-block;float:inline-end;padding:.25rem;font-size:.875rem}body{max-width:none;padding:.5rem 1rem}#picture{font-size:clamp(1rem,1.8vw,2.5rem)}.tiles{grid-template-columns:repeat(auto-fit,minmax(min(100%,9rem),1fr));margin:.5rem 0}#wall h2,#wall p{margin:.25rem 0}}
`;

/** The style of each kind of page, as its element has it: the digests in the policy are of these very characters. */
export const STYLES = {
  cities: BASE + SEARCH + CITIES,
  // An area's own tone gives way to that of its status.
  city: BASE + SEARCH + AREAS + CITY + LIVE,
  frame: BASE + AREAS + LIVE + FRAME,
  data: BASE + CODE,
  board: BASE + LIVE + BOARD,
} as const;

/** The kinds of pages. */
export type Style = keyof typeof STYLES;
